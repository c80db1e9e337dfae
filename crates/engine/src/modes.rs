//! Modes: what the settings, a thread and a namespace let a turn capture and recall.

use crate::{Engine, EngineError, EngineResult, Tag};
use memory_model::{
    CaptureBlock, CaptureMode, Category, MemoryFilter, MemoryOrder, NamespaceSwitch, Thread, ThreadId,
    TurnMode,
};
use ports::{Conversations, MemoryBackend};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Where the switches of namespaces are kept in the settings.
const NAMESPACES: &str = "memoryNamespaces";

/// A namespace with its switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NamespaceView {
    /// The switches.
    pub switch: NamespaceSwitch,
    /// Active memories in it.
    pub memories: u32,
}

/// What a thread captures and recalls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ThreadMode {
    /// How much is captured; `None` follows the settings.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub capture: Option<CaptureMode>,
    /// Whether memories are recalled; `None` recalls, except in a temporary thread.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub recall: Option<bool>,
}

impl Engine {
    /// Every namespace of the user with its switches.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_namespaces(&self) -> EngineResult<Vec<NamespaceView>> {
        let filter = MemoryFilter::active(self.user());
        let page = self.inner.store.list(&filter, MemoryOrder::Updated, 0, 0).await?;
        Ok(Category::ALL
            .into_iter()
            .map(|category| NamespaceView {
                switch: self.switch_of(category),
                memories: page.by_type.get(&category).copied().unwrap_or_default(),
            })
            .collect())
    }

    /// Switches capture and recall of a namespace.
    ///
    /// # Errors
    /// `InvalidInput` for a namespace that does not exist.
    pub async fn set_namespace(&self, switch: &NamespaceSwitch) -> EngineResult<()> {
        if !Category::ALL
            .iter()
            .any(|category| category.name() == switch.namespace)
        {
            let allowed: Vec<&str> = Category::ALL.into_iter().map(Category::name).collect();
            let message = format!("namespace: one of {}.", allowed.join(", "));
            return Err(EngineError::invalid("namespace", message));
        }
        let mut all = match self.settings().value(NAMESPACES) {
            Some(Value::Object(all)) => all.clone(),
            _ => serde_json::Map::new(),
        };
        all.insert(
            switch.namespace.clone(),
            json!({ "capture": switch.capture, "recall": switch.recall }),
        );
        self.save_setting(NAMESPACES, &Value::Object(all)).await
    }

    /// Sets what a thread captures and recalls.
    ///
    /// # Errors
    /// `NotFound` for an unknown thread.
    pub async fn set_thread_mode(&self, id: &ThreadId, mode: ThreadMode) -> EngineResult<()> {
        self.inner
            .store
            .set_thread_mode(&self.user(), id, mode.capture, mode.recall)
            .await?;
        self.changed(&[Tag::Threads]);
        Ok(())
    }

    fn switch_of(&self, category: Category) -> NamespaceSwitch {
        let settings = self.settings();
        let own = settings
            .value(NAMESPACES)
            .and_then(|all| all.get(category.name()));
        let on = |name: &str| {
            own.and_then(|switch| switch.get(name))
                .and_then(Value::as_bool)
                .unwrap_or(true)
        };
        NamespaceSwitch {
            namespace: category.name().to_owned(),
            capture: on("capture"),
            recall: on("recall"),
        }
    }

    /// Categories whose memories are not recalled, and those of which nothing is captured.
    pub(crate) fn switched_off(&self) -> (Vec<Category>, Vec<Category>) {
        let off = |get: fn(&NamespaceSwitch) -> bool| {
            let off = Category::ALL
                .into_iter()
                .filter(|category| !get(&self.switch_of(*category)));
            off.collect()
        };
        (off(|switch| switch.recall), off(|switch| switch.capture))
    }

    /// What a turn in a thread may capture and recall. A thread that could not be read (`Err`) is treated as
    /// temporary: keeping nothing harms nobody.
    pub(crate) fn turn_mode(&self, thread: Result<Option<&Thread>, ()>) -> TurnMode {
        let settings = self.settings();
        let (temporary, own_capture, own_recall) = match thread {
            Ok(Some(thread)) => (thread.temporary, thread.capture, thread.recall),
            Ok(None) => (false, None, None),
            Err(()) => (true, None, None),
        };
        let capture = chosen(settings.policy().capture, own_capture);
        let blocked = if !settings.memory_enabled {
            Some(CaptureBlock::MemoryOff)
        } else if temporary {
            Some(CaptureBlock::TemporaryThread)
        } else if capture == CaptureMode::RecallOnly {
            Some(CaptureBlock::RecallOnly)
        } else {
            None
        };
        TurnMode {
            capture,
            blocked,
            recall: settings.memory_enabled && own_recall.unwrap_or(!temporary),
        }
    }
}

/// A thread may ask for its own mode; it applies as it is, because the person chose it for this thread.
fn chosen(settings: CaptureMode, own: Option<CaptureMode>) -> CaptureMode {
    own.unwrap_or(settings)
}
