//! What a person is told when something does not work. A code is born when a screen treats it differently.

use ports::StoreError;
use serde::{Deserialize, Serialize};

/// The kinds of failure that screens and commands tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The disk is full.
    DiskFull,
    /// The data folder cannot be written.
    ReadOnly,
    /// Another program holds the data.
    Busy,
    /// The database is damaged.
    Damaged,
    /// The data was written by a newer version of the app.
    NewerData,
    /// It does not exist (any more).
    NotFound,
    /// Somebody else changed or decided it first.
    Conflict,
    /// A value is not allowed; `field` names it and `message` the range.
    InvalidInput,
    /// The text holds a secret, which is never kept.
    SecretRefused,
    /// Another turn of this thread is still being answered.
    TurnRunning,
    /// Something unforeseen.
    Internal,
}

impl ErrorCode {
    /// Every code; both locales cover each of them.
    pub const ALL: [Self; 11] = [
        Self::DiskFull,
        Self::ReadOnly,
        Self::Busy,
        Self::Damaged,
        Self::NewerData,
        Self::NotFound,
        Self::Conflict,
        Self::InvalidInput,
        Self::SecretRefused,
        Self::TurnRunning,
        Self::Internal,
    ];
}

/// A failure with its code. The message is plain English with the cause, without what people wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[error("{message}")]
pub struct EngineError {
    /// Which kind.
    pub code: ErrorCode,
    /// The field at fault, for `InvalidInput`.
    pub field: Option<String>,
    /// What happened.
    pub message: String,
}

impl EngineError {
    /// A failure of one kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            field: None,
            message: message.into(),
        }
    }

    /// A value that is not allowed.
    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidInput,
            field: Some(field.to_owned()),
            message: message.into(),
        }
    }
}

impl EngineError {
    /// The code of a store's failure.
    pub(crate) fn code_of(error: &StoreError) -> ErrorCode {
        match error {
            StoreError::DiskFull { .. } => ErrorCode::DiskFull,
            StoreError::ReadOnly { .. } => ErrorCode::ReadOnly,
            StoreError::Busy { .. } => ErrorCode::Busy,
            StoreError::Damaged { .. } => ErrorCode::Damaged,
            StoreError::Newer { .. } => ErrorCode::NewerData,
            StoreError::NotFound { .. } => ErrorCode::NotFound,
            StoreError::Conflict { .. } => ErrorCode::Conflict,
            StoreError::Other { .. } => ErrorCode::Internal,
        }
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::new(Self::code_of(&error), chain(&error))
    }
}

/// An error and its causes in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // A wrapper that repeats its cause says nothing new.
        if !line.ends_with(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = error.source();
    }
    line
}

/// The result of a use case.
pub type EngineResult<T> = Result<T, EngineError>;
