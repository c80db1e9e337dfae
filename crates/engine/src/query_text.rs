//! Filters that people type into the search box: `type:preference`, `is:pinned`, `is:archived`, `is:superseded`.

use crate::{EngineError, EngineResult, MemoryQuery};
use memory_model::{Category, Status, nfc};

/// A search box taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryText {
    /// The words without the filters.
    pub words: String,
    /// Filters of the box and of the screen together.
    pub categories: Vec<Category>,
    pub statuses: Vec<Status>,
    pub pinned: bool,
}

/// Takes the filters out of the text.
///
/// # Errors
/// `InvalidInput` that names the filter and the allowed values.
pub(crate) fn parse(query: &MemoryQuery) -> EngineResult<QueryText> {
    let mut parsed = QueryText {
        words: String::new(),
        categories: query.categories.clone(),
        statuses: query.statuses.clone(),
        pinned: query.pinned,
    };
    let mut words = Vec::new();
    let text = nfc(&query.text);
    for word in text.split_whitespace() {
        match word.split_once(':') {
            Some(("type", value)) => parsed.categories.push(category(value)?),
            Some(("is", "pinned")) => parsed.pinned = true,
            Some(("is", "archived")) => parsed.statuses.push(Status::Archived),
            Some(("is", "superseded")) => parsed.statuses.push(Status::Superseded),
            Some(("is", "active")) => parsed.statuses.push(Status::Active),
            Some(("is", _)) => {
                return Err(EngineError::invalid(
                    "is",
                    "is: pinned, active, archived or superseded.",
                ));
            }
            _ => words.push(word),
        }
    }
    parsed.words = words.join(" ");
    Ok(parsed)
}

fn category(value: &str) -> EngineResult<Category> {
    Category::ALL
        .into_iter()
        .find(|category| category.name() == value)
        .ok_or_else(|| {
            let allowed: Vec<&str> = Category::ALL.into_iter().map(Category::name).collect();
            EngineError::invalid("type", format!("type: one of {}.", allowed.join(", ")))
        })
}
