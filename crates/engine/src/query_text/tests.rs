//! What people type into the search box, and what becomes of it.

use super::*;
use memory_model::{Origin, Source};

fn taken_apart(text: &str) -> EngineResult<QueryText> {
    parse(&MemoryQuery {
        text: text.to_owned(),
        ..MemoryQuery::default()
    })
}

#[test]
fn filters_are_taken_out_and_words_stay() {
    let parsed =
        taken_apart("통로 쪽 ns:preference is:pinned from:file:여행.md since:2026-02-28 before:2026-03-01")
            .unwrap();
    assert_eq!(parsed.words, "통로 쪽");
    assert_eq!(parsed.categories, [Category::Preference]);
    assert!(parsed.pinned);
    assert_eq!(parsed.narrow.source, Some(Source::new(Origin::File, "여행.md")));
    let (since, until) = (parsed.narrow.since.unwrap(), parsed.narrow.until.unwrap());
    assert_eq!(until.as_millis() - since.as_millis(), MILLIS_PER_DAY);
    // 2026-02-28T00:00:00Z.
    assert_eq!(since.as_millis(), 1_772_236_800_000);
}

#[test]
fn words_with_a_colon_are_words() {
    let parsed = taken_apart("meet at 10:30 https://example.com 메모:장보기").unwrap();
    assert_eq!(parsed.words, "meet at 10:30 https://example.com 메모:장보기");
}

#[test]
fn what_is_not_allowed_names_the_filter() {
    for (text, field) in [
        ("type:dream", "type"),
        ("ns:선호", "ns"),
        ("is:new", "is"),
        ("from:nobody", "from"),
        ("before:2026-02-29", "before"),
        ("before:2026-1-1", "before"),
        ("since:어제", "since"),
        ("since:2026-01-01-01", "since"),
    ] {
        let refused = taken_apart(text).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some(field), "{text}");
    }
    assert!(taken_apart("before:2028-02-29").is_ok());
}
