//! Where settings are kept, as raw values under their names.

use crate::StoreResult;
use async_trait::async_trait;

/// A table of names and JSON values. The `settings` crate knows what they mean.
#[async_trait]
pub trait SettingsStore: Send + Sync {
    /// Everything that is stored; a value that is not JSON comes as a JSON string.
    async fn load_settings(&self) -> StoreResult<Vec<(String, serde_json::Value)>>;

    /// Stores one value; `None` removes it.
    async fn save_setting(&self, name: &str, value: Option<&serde_json::Value>) -> StoreResult<()>;
}
