//! How a Korean statement is shown: the user's own words without "저는" and the closing mark.

use crate::rules::pattern;
use regex::Regex;
use std::sync::LazyLock;

static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:네|예|응|아|음|그리고|그런데|근데|참고로|사실|솔직히|기억해 ?줘|기억해 ?주세요|기억해)[ ,.!:~]+)*(?:(?:저는|나는|난|전|제가|내가|저도|나도|저|나)[ ,]+)?",
    )
});

/// The statement without its subject; the words and their endings stay.
pub(crate) fn shown(clause: &str) -> String {
    let start = SUBJECT.find(clause).map_or(0, |found| found.end());
    clause
        .get(start..)
        .filter(|rest| !rest.trim().is_empty())
        .unwrap_or(clause)
        .trim()
        .to_owned()
}
