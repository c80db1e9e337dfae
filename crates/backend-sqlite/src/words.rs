//! Words of `memory-model` as text columns: an enum is its JSON name, a structure is its JSON.

use crate::error::Doing;
use ports::StoreResult;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The name of a unit variant, such as `active`.
pub(crate) fn name_of<T: Serialize>(value: T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        // Only unit variants are given to this function; anything else would be refused when it is read.
        other => format!("{other:?}"),
    }
}

/// The variant with a name.
pub(crate) fn from_name<'a, T: Deserialize<'a>>(name: &'a str) -> StoreResult<T> {
    let deserializer: serde::de::value::StrDeserializer<'_, serde_json::Error> = name.into_deserializer();
    T::deserialize(deserializer).doing("reading a stored word")
}

/// A structure as JSON.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| crate::error::other("writing JSON", error))
}

/// A structure from JSON.
pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> StoreResult<T> {
    serde_json::from_str(json).doing("reading stored JSON")
}
