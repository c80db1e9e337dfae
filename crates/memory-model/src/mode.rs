//! How much is captured and recalled: the modes of the settings, of a thread and of a namespace.

use serde::{Deserialize, Serialize};

/// How much is kept without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum CaptureMode {
    /// What passes the judgement.
    #[default]
    Auto,
    /// Nothing: what passes waits for a person.
    Confirm,
    /// Only what the user asked to be remembered.
    Manual,
    /// Nothing at all.
    RecallOnly,
}

/// Why nothing is captured, whatever was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CaptureBlock {
    /// The memory is switched off.
    MemoryOff,
    /// The thread is temporary.
    TemporaryThread,
    /// Capture is set to recall only, in the settings or for the thread.
    RecallOnly,
    /// Capture is set to manual, and the user did not ask for it.
    Manual,
    /// The namespace is switched off.
    NamespaceOff,
}

impl CaptureBlock {
    /// In plain English, for JSON output.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::MemoryOff => "mode: the memory is switched off",
            Self::TemporaryThread => "mode: nothing of a temporary conversation is kept",
            Self::RecallOnly => "mode: recall only, nothing is kept",
            Self::Manual => "mode: manual, only what you ask to be remembered is kept",
            Self::NamespaceOff => "mode: this kind of memory is switched off",
        }
    }
}

/// What one turn may capture and recall, after the settings, the thread and the namespaces were asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TurnMode {
    /// How much was kept without asking.
    pub capture: CaptureMode,
    /// Why nothing was captured, whatever was said.
    pub blocked: Option<CaptureBlock>,
    /// Whether memories were looked for.
    pub recall: bool,
}

/// The switches of one namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NamespaceSwitch {
    /// The namespace without its owner, such as `preference`.
    pub namespace: String,
    /// Whether statements of it are kept.
    pub capture: bool,
    /// Whether its memories are recalled.
    pub recall: bool,
}
