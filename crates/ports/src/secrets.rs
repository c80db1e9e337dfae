//! Keys of providers. They live in the system's keychain or in the environment, never in settings.

/// A key. It has no `Debug` and no `Serialize`, so it reaches no log and no file by accident.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key; surrounding spaces, as pasting brings them, are no part of it.
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The key itself, for the one header that it goes into.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Where keys are.
pub trait Secrets: Send + Sync {
    /// The key with a name such as `OPENAI_API_KEY`; `None` when there is none.
    fn get(&self, name: &str) -> Option<Secret>;
}
