//! Relative dates ("yesterday", "지난주", "two years ago"), resolved when they are said: a week later nobody could.
//! Days are those of the user's zone; what is stored is UTC.

use crate::rules::pattern;
use memory_model::{Candidate, Timestamp};
use regex::{Captures, Regex};
use std::sync::LazyLock;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MINUTE_MS: i64 = 60 * 1000;

/// The field of a candidate's value that holds the resolved date.
const WHEN: &str = "when";

/// A resolved date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// As precise as it was said: `2026-11-30`, `2026-11-23/29`, `2026-11` or `2026`.
    pub date: String,
    /// Where that begins in the user's zone.
    pub from: Timestamp,
}

/// How precise a relative date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// A day of the Gregorian calendar, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Day(i64);

impl Day {
    fn of(at: Timestamp, utc_offset_minutes: i32) -> Self {
        let local = at
            .as_millis()
            .saturating_add(i64::from(utc_offset_minutes) * MINUTE_MS);
        Self(local.div_euclid(DAY_MS))
    }

    /// Howard Hinnant, «chrono-Compatible Low-Level Date Algorithms», `days_from_civil`.
    fn from_civil(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Howard Hinnant, `civil_from_days`: year, month, day of the month.
    fn civil(self) -> (i64, i64, i64) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }

    /// Monday is 0.
    fn weekday(self) -> i64 {
        (self.0 + 3).rem_euclid(7)
    }

    fn shown(self) -> String {
        let (year, month, day) = self.civil();
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// Where the day begins in UTC.
    fn begins(self, utc_offset_minutes: i32) -> Timestamp {
        Timestamp::from_millis(self.0 * DAY_MS - i64::from(utc_offset_minutes) * MINUTE_MS)
    }
}

static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?P<before_yesterday>the day before yesterday)|(?P<yesterday>yesterday|last night)|(?P<today>today|this morning)|(?P<tomorrow>tomorrow)|",
        r"(?P<side>last|next) (?:(?P<unit>week|month|year)|(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday))|",
        r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple of) (?P<counted>day|week|month|year)s? ago)\b",
    ))
});

static KOREAN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[ ,])(?:(?P<before_yesterday>그저께|그제|엊그제|엊그저께)|(?P<yesterday>어제|어젯밤)|(?P<today>오늘)|(?P<tomorrow>내일)|(?P<after_tomorrow>모레)|",
        r"(?P<last_year>작년|지난해|지난 해)|(?P<year_before>재작년)|(?P<next_year>내년)|(?P<side>지난|저번|다음) ?(?:(?P<unit>주|달|해)(?:에|부터|까지|[ ,]|$)|(?P<weekday>[월화수목금토일])요일)|",
        r"(?P<few>이틀|사흘|나흘|보름) 전|(?P<count>\d{1,3}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?(?P<counted>일|주일|주|달|개월|년|해) ?전)",
    ))
});

/// The first relative date in folded words, as it stands on the day they were said; `None` when there is none.
/// `utc_offset_minutes` is the distance of the user's zone from UTC at that time, east positive.
pub(crate) fn resolve(folded: &str, said_at: Timestamp, utc_offset_minutes: i32) -> Option<When> {
    let today = Day::of(said_at, utc_offset_minutes);
    let found = ENGLISH.captures(folded).or_else(|| KOREAN.captures(folded))?;
    let (unit, steps) = distance(&found, today)?;
    let (first, date) = moved(today, unit, steps);
    Some(When {
        date,
        from: first.begins(utc_offset_minutes),
    })
}

/// How far from today, in which unit; the past is negative.
fn distance(found: &Captures<'_>, today: Day) -> Option<(Unit, i64)> {
    let fixed = [
        ("before_yesterday", Unit::Day, -2),
        ("yesterday", Unit::Day, -1),
        ("today", Unit::Day, 0),
        ("tomorrow", Unit::Day, 1),
        ("after_tomorrow", Unit::Day, 2),
        ("last_year", Unit::Year, -1),
        ("year_before", Unit::Year, -2),
        ("next_year", Unit::Year, 1),
    ];
    if let Some((_, unit, steps)) = fixed.iter().find(|(name, ..)| found.name(name).is_some()) {
        return Some((*unit, *steps));
    }
    if let Some(few) = found.name("few") {
        let days = match few.as_str() {
            "이틀" => 2,
            "사흘" => 3,
            "나흘" => 4,
            _ => 15,
        };
        return Some((Unit::Day, -days));
    }
    if let (Some(count), Some(counted)) = (found.name("count"), found.name("counted")) {
        return Some((unit_of(counted.as_str()), -number(count.as_str())?));
    }
    let forward = matches!(found.name("side")?.as_str(), "next" | "다음");
    if let Some(weekday) = found.name("weekday") {
        let wanted = weekday_of(weekday.as_str())?;
        let back = (today.weekday() - wanted).rem_euclid(7);
        let days = if forward {
            7 - back
        } else if back == 0 {
            -7
        } else {
            -back
        };
        return Some((Unit::Day, days));
    }
    Some((
        unit_of(found.name("unit")?.as_str()),
        if forward { 1 } else { -1 },
    ))
}

/// The first day of what is meant, and how it is written.
fn moved(today: Day, unit: Unit, steps: i64) -> (Day, String) {
    let (year, month, _) = today.civil();
    match unit {
        Unit::Day => {
            let day = Day(today.0 + steps);
            (day, day.shown())
        }
        Unit::Week => {
            let monday = Day(today.0 - today.weekday() + 7 * steps);
            let (_, _, sunday) = Day(monday.0 + 6).civil();
            (monday, format!("{}/{sunday:02}", monday.shown()))
        }
        Unit::Month => {
            let months = year * 12 + month - 1 + steps;
            let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
            (Day::from_civil(year, month, 1), format!("{year:04}-{month:02}"))
        }
        Unit::Year => (
            Day::from_civil(year + steps, 1, 1),
            format!("{:04}", year + steps),
        ),
    }
}

fn unit_of(word: &str) -> Unit {
    match word {
        "day" | "일" => Unit::Day,
        "week" | "주" | "주일" => Unit::Week,
        "month" | "달" | "개월" => Unit::Month,
        _ => Unit::Year,
    }
}

fn number(word: &str) -> Option<i64> {
    const WORDS: [&[&str]; 12] = [
        &["a", "an", "one", "한"],
        &["two", "a couple of", "두"],
        &["three", "세"],
        &["four", "네"],
        &["five", "다섯"],
        &["six", "여섯"],
        &["seven", "일곱"],
        &["eight", "여덟"],
        &["nine", "아홉"],
        &["ten", "열"],
        &["eleven"],
        &["twelve"],
    ];
    let named = WORDS.iter().position(|words| words.contains(&word));
    match named {
        Some(at) => i64::try_from(at + 1).ok(),
        None => word.parse().ok(),
    }
}

fn weekday_of(word: &str) -> Option<i64> {
    const DAYS: [(&str, &str); 7] = [
        ("monday", "월"),
        ("tuesday", "화"),
        ("wednesday", "수"),
        ("thursday", "목"),
        ("friday", "금"),
        ("saturday", "토"),
        ("sunday", "일"),
    ];
    let at = DAYS
        .iter()
        .position(|(english, korean)| *english == word || *korean == word)?;
    i64::try_from(at).ok()
}

/// Writes a resolved date into a candidate: behind its words, and in its value.
pub(crate) fn note(candidate: &mut Candidate, when: &When, chars_max: usize) {
    let dated = format!("{} ({})", candidate.text, when.date);
    if dated.chars().count() <= chars_max {
        candidate.text = dated;
    }
    if let Some(value) = candidate.value.as_object_mut() {
        let noted = serde_json::json!({ "date": when.date, "from": when.from.as_millis() });
        value.insert(WHEN.to_owned(), noted);
    }
}

/// Since when a candidate holds, where its words say so and that time had come when they were said.
pub fn holds_since(candidate: &Candidate) -> Option<Timestamp> {
    let from = candidate.value.get(WHEN)?.get("from")?.as_i64()?;
    let from = Timestamp::from_millis(from);
    (from <= candidate.evidence.said_at).then_some(from)
}
