//! Settings and the audit log.

use super::InMemoryStore;
use async_trait::async_trait;
use memory_model::UserId;
use ports::{AuditEntry, AuditLog, SettingsStore, StoreResult};
use serde_json::Value;

#[async_trait]
impl SettingsStore for InMemoryStore {
    async fn load_settings(&self) -> StoreResult<Vec<(String, Value)>> {
        Ok(self
            .to_read("reading settings")?
            .settings
            .clone()
            .into_iter()
            .collect())
    }

    async fn save_setting(&self, name: &str, value: Option<&Value>) -> StoreResult<()> {
        let mut state = self.to_write("keeping a setting")?;
        match value {
            Some(value) => state.settings.insert(name.to_owned(), value.clone()),
            None => state.settings.remove(name),
        };
        Ok(())
    }
}

#[async_trait]
impl AuditLog for InMemoryStore {
    async fn record(&self, entry: AuditEntry) -> StoreResult<()> {
        self.to_write("writing the audit log")?.audit.push(entry);
        Ok(())
    }

    async fn recent(&self, owner: &UserId, limit: u32) -> StoreResult<Vec<AuditEntry>> {
        let state = self.to_read("reading the audit log")?;
        let newest = state.audit.iter().rev().filter(|entry| &entry.owner == owner);
        Ok(newest.take(limit as usize).cloned().collect())
    }
}
