//! What the rules ask of the outside world. One trait per file; adapters implement them, stand-ins for
//! tests live in `test-support`.

mod audit_log;
mod chat_model;
mod clock;
mod conversations;
mod embedder;
mod memory_backend;
mod review_queue;
mod secrets;
mod settings_store;
mod token_matrix;
mod vector_index;

pub use audit_log::*;
pub use chat_model::*;
pub use clock::*;
pub use conversations::*;
pub use embedder::*;
pub use memory_backend::*;
pub use review_queue::*;
pub use secrets::*;
pub use settings_store::*;
pub use token_matrix::*;
pub use vector_index::*;

/// Why a store could not do what it was asked. One variant for each thing a caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full: free space, then try again.
    #[error("the disk is full while {doing}")]
    DiskFull {
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: BoxError,
    },
    /// The data cannot be written: choose another folder or change its permissions.
    #[error("the data folder cannot be written while {doing}")]
    ReadOnly {
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: BoxError,
    },
    /// Another process held the data for longer than the busy timeout: try again.
    #[error("the data is in use by another program while {doing}")]
    Busy {
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: BoxError,
    },
    /// The data is damaged: keep the file and restore a backup.
    #[error("the data is damaged, found while {doing}")]
    Damaged {
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: BoxError,
    },
    /// Written by a newer version of the app: update the app; nothing was changed.
    #[error(
        "the data was written by a newer version of the app (data version {found}, this app knows {known})"
    )]
    Newer {
        /// The version of the data.
        found: i64,
        /// The newest version this app knows.
        known: i64,
    },
    /// What was asked for does not exist.
    #[error("{what} was not found")]
    NotFound {
        /// The kind of thing, such as "thread".
        what: &'static str,
    },
    /// Somebody else was faster: read again and decide again.
    #[error("{what} was changed by somebody else in between")]
    Conflict {
        /// The kind of thing, such as "review item".
        what: &'static str,
    },
    /// Anything else.
    #[error("failed while {doing}")]
    Other {
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: BoxError,
    },
}

/// A cause of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The result of a store.
pub type StoreResult<T> = Result<T, StoreError>;
