//! [`SettingsStore`] and [`AuditLog`]: small tables with one statement for each call.

use crate::SqliteStore;
use crate::error::Doing;
use crate::tables::{audit_log, settings};
use crate::writer::Durability;
use async_trait::async_trait;
use memory_model::UserId;
use ports::{AuditEntry, AuditLog, SettingsStore, StoreResult};

#[async_trait]
impl SettingsStore for SqliteStore {
    async fn load_settings(&self) -> StoreResult<Vec<(String, serde_json::Value)>> {
        settings::all(&mut *self.reader("reading settings").await?).await
    }

    async fn save_setting(&self, name: &str, value: Option<&serde_json::Value>) -> StoreResult<()> {
        const DOING: &str = "writing a setting";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        settings::save(&mut transaction, name, value).await?;
        transaction.commit().await.doing(DOING)
    }
}

#[async_trait]
impl AuditLog for SqliteStore {
    async fn record(&self, entry: AuditEntry) -> StoreResult<()> {
        const DOING: &str = "writing the audit log";
        let mut writer = self.inner.writer.lock().await;
        let mut transaction = writer.begin(Durability::PowerLoss, DOING).await?;
        audit_log::add(&mut transaction, &entry).await?;
        transaction.commit().await.doing(DOING)
    }

    async fn recent(&self, owner: &UserId, limit: u32) -> StoreResult<Vec<AuditEntry>> {
        audit_log::recent(&mut *self.reader("reading the audit log").await?, owner, limit).await
    }
}
