//! The queries of each table, one file for a table. Nothing here begins or ends a transaction.

pub(crate) mod applied_batches;
pub(crate) mod audit_log;
pub(crate) mod changes;
pub(crate) mod last_seen;
pub(crate) mod memories;
pub(crate) mod memories_fts;
pub(crate) mod memory_versions;
pub(crate) mod messages;
pub(crate) mod review_items;
pub(crate) mod settings;
pub(crate) mod surroundings;
pub(crate) mod threads;
pub(crate) mod token_vectors;
pub(crate) mod turns;
pub(crate) mod vector_log;
pub(crate) mod vectors;

/// Values bound to one statement at most; longer lists are read in parts. SQLite allows 32 766.
pub(crate) const BINDS_MAX: usize = 1_000;
