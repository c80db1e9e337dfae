//! What values a setting can have: the check, the sentence for people, and the reading of an environment
//! variable.

use serde_json::{Map, Value};

/// The values that a setting can have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Allowed {
    /// `true` or `false`.
    Switch,
    /// A whole number in a range, both ends included; `unit` is said to people, such as "days".
    Number { min: u64, max: u64, unit: &'static str },
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// One of some words, or null for "as the setting above it says".
    OneOfOrNull(&'static [&'static str]),
    /// Any text that is not blank, up to a number of characters.
    Text { chars_max: usize },
    /// Such a text, or null for "none".
    TextOrNull { chars_max: usize },
    /// A list of different words out of some.
    ListOf(&'static [&'static str]),
    /// An object.
    Object,
}

impl Allowed {
    /// Whether a value is allowed.
    pub(crate) fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Switch, Value::Bool(_)) => true,
            (Self::Number { min, max, .. }, Value::Number(number)) => number
                .as_u64()
                .is_some_and(|number| (min..=max).contains(&number)),
            (Self::OneOf(words) | Self::OneOfOrNull(words), Value::String(word)) => {
                words.contains(&word.as_str())
            }
            (Self::OneOfOrNull(_) | Self::TextOrNull { .. }, Value::Null) => true,
            (Self::Text { chars_max } | Self::TextOrNull { chars_max }, Value::String(text)) => {
                !text.trim().is_empty() && text.chars().count() <= chars_max && !text.contains('\0')
            }
            (Self::ListOf(words), Value::Array(list)) => list.iter().enumerate().all(|(index, item)| {
                item.as_str().is_some_and(|word| words.contains(&word))
                    && list.iter().take(index).all(|before| before != item)
            }),
            (Self::Object, Value::Object(_)) => true,
            _ => false,
        }
    }

    /// What is allowed, in plain English.
    pub(crate) fn sentence(self) -> String {
        match self {
            Self::Switch => "true or false".to_owned(),
            Self::Number { min, max, unit: "" } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max, unit } => format!("a whole number of {unit} from {min} to {max}"),
            Self::OneOf(words) => listed(words),
            Self::OneOfOrNull(words) => format!("{}, or null", words.join(", ")),
            Self::Text { chars_max } => format!("a text of 1 to {chars_max} characters"),
            Self::TextOrNull { chars_max } => format!("a text of 1 to {chars_max} characters, or null"),
            Self::ListOf(words) => format!("a list of {}, each at most once", listed(words)),
            Self::Object => "a JSON object".to_owned(),
        }
    }

    /// The value that an environment variable gives, where the text is one.
    pub(crate) fn parse(self, text: &str) -> Option<Value> {
        let text = text.trim();
        let value = match self {
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Value::Bool(true),
                "0" | "false" | "no" | "off" => Value::Bool(false),
                _ => return None,
            },
            Self::Number { .. } => Value::from(text.parse::<u64>().ok()?),
            Self::OneOf(_) | Self::OneOfOrNull(_) | Self::Text { .. } | Self::TextOrNull { .. } => {
                Value::from(text)
            }
            Self::ListOf(_) | Self::Object => serde_json::from_str(text).ok()?,
        };
        self.holds(&value).then_some(value)
    }
}

/// An empty object: the default of a setting that is one.
pub(crate) fn empty_object() -> Value {
    Value::Object(Map::new())
}

/// `a, b or c`.
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
