//! Filters that people type into the search box: `type:preference`, `ns:preference`, `is:pinned`, `from:agent`,
//! `from:file:notes.md`, `since:2026-01-01`, `before:2026-01-01`.

use crate::{EngineError, EngineResult, MemoryQuery};
use memory_model::{Category, Narrow, Status, Timestamp, nfc};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// A search box taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryText {
    /// The words without the filters.
    pub words: String,
    /// Filters of the box and of the screen together.
    pub categories: Vec<Category>,
    pub statuses: Vec<Status>,
    pub pinned: bool,
    pub narrow: Narrow,
}

/// Takes the filters out of the text. Where the box and the screen name the same thing, the box decides.
///
/// # Errors
/// `InvalidInput` that names the filter and the allowed values.
pub(crate) fn parse(query: &MemoryQuery) -> EngineResult<QueryText> {
    let mut parsed = QueryText {
        words: String::new(),
        categories: query.categories.clone(),
        statuses: query.statuses.clone(),
        pinned: query.pinned,
        narrow: query.narrow.clone().unwrap_or_default(),
    };
    let mut words = Vec::new();
    let text = nfc(&query.text);
    for word in text.split_whitespace() {
        match word.split_once(':') {
            Some(("type", value)) => parsed.categories.push(category("type", value)?),
            // A memory lies in the namespace of its owner and its category.
            Some(("ns", value)) => parsed.categories.push(category("ns", value)?),
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
            Some(("from", value)) => {
                let source = value
                    .parse()
                    .map_err(|error| EngineError::invalid("from", format!("from: {error}.")))?;
                parsed.narrow.source = Some(source);
            }
            Some(("since", value)) => parsed.narrow.since = Some(day("since", value)?),
            Some(("before", value)) => parsed.narrow.until = Some(day("before", value)?),
            _ => words.push(word),
        }
    }
    parsed.words = words.join(" ");
    Ok(parsed)
}

fn category(filter: &str, value: &str) -> EngineResult<Category> {
    Category::ALL
        .into_iter()
        .find(|category| category.name() == value)
        .ok_or_else(|| {
            let allowed: Vec<&str> = Category::ALL.into_iter().map(Category::name).collect();
            EngineError::invalid(filter, format!("{filter}: one of {}.", allowed.join(", ")))
        })
}

/// The first moment of a day such as `2026-01-31`, in UTC: the engine knows no time zone.
fn day(filter: &str, value: &str) -> EngineResult<Timestamp> {
    let refused = || EngineError::invalid(filter, format!("{filter}: a day such as 2026-01-31."));
    let mut parts = value.split('-');
    let (Some(year), Some(month), Some(day), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(refused());
    };
    let digits = |text: &str, count: usize| -> Option<i64> {
        let whole = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
        whole.then(|| text.parse().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return Err(refused());
    };
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return Err(refused());
    }
    Ok(Timestamp::default().plus_millis(days_since_1970(year, month, day) * MILLIS_PER_DAY))
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, after Howard Hinnant, «chrono-Compatible Low-Level Date
/// Algorithms», `days_from_civil`, for years from 0 on.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests;
