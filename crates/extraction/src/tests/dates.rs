//! Relative dates mean days of the user's clock, and are resolved when they are said.

use crate::dates::{When, holds_since, resolve};
use crate::{SourceMessage, extract};
use memory_model::{Candidate, MessageId, Role, Timestamp};

/// 2026-03-04 15:30 UTC, a Wednesday: 00:30 on Thursday in Seoul, 07:30 in Los Angeles.
const SAID: Timestamp = Timestamp::from_millis(1_772_638_200_000);
const SEOUL: i32 = 9 * 60;
const LOS_ANGELES: i32 = -8 * 60;
const HOUR_MS: i64 = 3_600_000;

fn when(words: &str, zone: i32) -> Option<When> {
    resolve(words, SAID, zone)
}

fn date(words: &str, zone: i32) -> String {
    when(words, zone).map(|when| when.date).unwrap_or_default()
}

fn said_in(zone: i32, text: &str) -> Vec<Candidate> {
    let message = MessageId::new("m1");
    extract(&SourceMessage {
        thread_id: None,
        message_id: Some(&message),
        role: Role::User,
        text,
        said_at: SAID,
        utc_offset_minutes: zone,
    })
    .candidates
}

#[test]
fn days_weeks_months_and_years_are_found_in_both_languages() {
    for (english, korean, expected) in [
        ("i moved yesterday", "어제 이사했어요", "2026-03-04"),
        (
            "i moved the day before yesterday",
            "그저께 이사했어요",
            "2026-03-03",
        ),
        ("i moved three days ago", "사흘 전 이사했어요", "2026-03-02"),
        ("i moved last week", "지난주에 이사했어요", "2026-02-23/01"),
        ("i moved last month", "지난달에 이사했어요", "2026-02"),
        ("i moved last year", "작년에 이사했어요", "2025"),
        ("i moved two years ago", "2년 전에 이사했어요", "2024"),
        ("i moved four months ago", "네 달 전에 이사했어요", "2025-11"),
        ("i moved last sunday", "지난 일요일에 이사했어요", "2026-03-01"),
        (
            "we will move next month",
            "다음 달에 이사하기로 했어요",
            "2026-04",
        ),
    ] {
        assert_eq!(date(english, SEOUL), expected, "{english}");
        assert_eq!(date(korean, SEOUL), expected, "{korean}");
    }
    for without in ["i live in porto", "포르투에 살아요", "the last weekend house"] {
        assert_eq!(when(without, SEOUL), None, "{without}");
    }
}

#[test]
fn yesterday_after_midnight_is_the_day_before_in_the_users_zone_and_utc_is_stored() {
    let seoul = when("어제 이사했어", SEOUL).expect("a date");
    assert_eq!(seoul.date, "2026-03-04", "it is Thursday the 5th in Seoul");
    // Midnight in Seoul is 15:00 UTC on the day before.
    assert_eq!(seoul.from, SAID.plus_millis(-24 * HOUR_MS - HOUR_MS / 2));
    assert_eq!(date("i moved yesterday", LOS_ANGELES), "2026-03-03");
    assert_eq!(date("i moved yesterday", 0), "2026-03-03");
}

#[test]
fn the_date_stands_behind_the_words_and_says_since_when_they_hold() {
    let found = said_in(SEOUL, "어제 제주로 이사했어");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].text, "어제 제주로 이사했어 (2026-03-04)");
    assert_eq!(found[0].evidence.quote, "어제 제주로 이사했어");
    assert_eq!(holds_since(&found[0]), when("어제", SEOUL).map(|when| when.from));

    let found = said_in(LOS_ANGELES, "I moved to Quito last year.");
    assert_eq!(found[0].text, "Moved to Quito last year (2025)");
    assert!(holds_since(&found[0]).is_some_and(|since| since < SAID));

    // What is still to come is dated, and holds from when it was said.
    let found = said_in(SEOUL, "다음 달에 제주로 이사하기로 했어요.");
    assert!(found[0].text.ends_with("(2026-04)"), "{}", found[0].text);
    assert_eq!(holds_since(&found[0]), None);
}

#[test]
fn leap_days_and_turns_of_the_year_are_counted_right() {
    let at = |millis| Timestamp::from_millis(millis);
    // 2024-03-01 00:10 UTC and 2027-01-01 00:10 UTC.
    assert_eq!(
        resolve("yesterday", at(1_709_251_800_000), 0).map(|when| when.date),
        Some("2024-02-29".to_owned())
    );
    assert_eq!(
        resolve("어제", at(1_798_762_200_000), 0).map(|when| when.date),
        Some("2026-12-31".to_owned())
    );
    assert_eq!(
        resolve("last month", at(1_798_762_200_000), 0).map(|when| when.date),
        Some("2026-12".to_owned())
    );
}
