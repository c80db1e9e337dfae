//! Times as people type them: so long ago, or a day.

use memory_model::Timestamp;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// A time that may depend on the moment at which it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// So many milliseconds before now.
    Ago(i64),
    /// A point in time.
    At(Timestamp),
}

impl Since {
    /// The point in time.
    pub fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(millis) => now.plus_millis(-millis),
            Self::At(at) => at,
        }
    }
}

/// Reads `30m`, `12h`, `2d`, `1w`, or a day such as `2026-11-30`, which begins at midnight UTC.
pub(crate) fn parse(text: &str) -> Result<Since, String> {
    ago(text)
        .or_else(|| day(text))
        .ok_or_else(|| "30m, 12h, 2d, 1w, or a day such as 2026-11-30".to_owned())
}

fn ago(text: &str) -> Option<Since> {
    let unit = match text.chars().last()? {
        'm' => MINUTE,
        'h' => 60 * MINUTE,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    let number: i64 = text.strip_suffix(['m', 'h', 'd', 'w'])?.parse().ok()?;
    let millis = number.checked_mul(unit).filter(|_| number >= 0)?;
    Some(Since::Ago(millis))
}

fn day(text: &str) -> Option<Since> {
    let mut parts = text.splitn(3, '-');
    let mut next = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let known = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    known.then(|| Since::At(Timestamp::from_millis(days_from_civil(year, month, day) * DAY)))
}

/// Days since 1970-01-01 of a day of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", `days_from_civil`), for years after 0.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        assert_eq!(parse("90m"), Ok(Since::Ago(90 * MINUTE)));
        assert_eq!(parse("2w"), Ok(Since::Ago(14 * DAY)));
        assert_eq!(parse("1970-01-02"), Ok(Since::At(Timestamp::from_millis(DAY))));
        // 2024 is a leap year: its last day is the 366th.
        assert_eq!(
            parse("2024-12-31"),
            Ok(Since::At(Timestamp::from_millis(1_735_603_200_000)))
        );
        for wrong in ["", "m", "-2d", "2026-13-01", "어제", "2026-11"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
