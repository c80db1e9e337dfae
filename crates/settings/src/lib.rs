//! Settings: their names, defaults and allowed values, and the typed form that the engine acts upon.
//!
//! Values are kept by the store under their names; an environment variable may override some of them for
//! one process. Both are handed in: nothing here reads a file or the environment. Keys and tokens are not
//! settings and never come here.

mod allowed;
mod table;
mod typed;

pub use typed::{SettingInfo, SettingProblem, Settings};

#[cfg(test)]
mod tests;

use serde_json::Value;

/// A value that a setting cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
pub struct SettingError {
    /// The setting.
    pub name: String,
    /// What is allowed, in plain English.
    pub allowed: String,
}

/// Checks a value before it is stored.
///
/// # Errors
/// For a name that does not exist and for a value outside what is allowed.
pub fn check(name: &str, value: &Value) -> Result<(), SettingError> {
    let Some(entry) = table::find(name) else {
        return Err(SettingError {
            name: name.to_owned(),
            allowed: "the name of a setting".to_owned(),
        });
    };
    if entry.allowed.holds(value) {
        Ok(())
    } else {
        Err(SettingError {
            name: name.to_owned(),
            allowed: entry.allowed.sentence(),
        })
    }
}
