//! Settings: read and change.

use crate::{Engine, EngineError, EngineResult, SettingView, Tag};
use ports::SettingsStore;
use serde_json::Value;
use settings::Settings;
use std::sync::PoisonError;

impl Engine {
    /// Every setting with its value, its default and what is allowed.
    pub fn list_settings(&self) -> Vec<SettingView> {
        self.settings()
            .views()
            .into_iter()
            .map(|info| SettingView {
                name: info.name,
                value: info.value,
                default: info.default,
                set_by: info.set_by,
                allowed: info.allowed,
            })
            .collect()
    }

    /// Changes a setting; it applies at once.
    ///
    /// # Errors
    /// `InvalidInput` with the allowed range for a value that cannot be.
    pub async fn save_setting(&self, name: &str, value: &Value) -> EngineResult<()> {
        settings::check(name, value).map_err(|error| {
            EngineError::invalid(&error.name, format!("{}: {}", error.name, error.allowed))
        })?;
        self.inner.store.save_setting(name, Some(value)).await?;
        self.reload_settings().await?;
        self.changed(&[Tag::Settings, Tag::Health]);
        Ok(())
    }

    /// Reads the settings again, for instance because another program changed them.
    pub(crate) async fn reload_settings(&self) -> EngineResult<()> {
        let stored = self.inner.store.load_settings().await?;
        let (settings, _) = Settings::load(&stored, &|name| (self.inner.env)(name));
        match settings.embedding_wanted() {
            true => self.inner.models.start(),
            false => self.inner.models.stop(),
        }
        self.inner
            .chat
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .follow(&settings, &self.inner.env);
        *self
            .inner
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner) = settings;
        Ok(())
    }
}
