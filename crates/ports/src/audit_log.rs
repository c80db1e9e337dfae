//! The record of what was done. Holds ids and counts, never what people wrote.

use crate::StoreResult;
use async_trait::async_trait;
use memory_model::{Timestamp, UserId};

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Whose data.
    pub owner: UserId,
    /// What was done, such as `turn.finished` or `review.decided`.
    pub action: String,
    /// What it was done to: an id.
    pub target: String,
    /// Counts and codes.
    pub details: serde_json::Value,
}

/// The audit log.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Adds a record.
    async fn record(&self, entry: AuditEntry) -> StoreResult<()>;

    /// The last records, newest first.
    async fn recent(&self, owner: &UserId, limit: u32) -> StoreResult<Vec<AuditEntry>>;
}
