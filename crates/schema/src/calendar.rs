//! Calendar arithmetic in days and microseconds since 1970-01-01, as databases store them.
//!
//! Formatting a timestamp takes a few integer divisions here instead of a time zone lookup, which would otherwise
//! dominate the cost of a list with dates.

use jiff::Timestamp;
use jiff::civil::{Date, Time};

/// Microseconds in a day.
pub const MICROS_PER_DAY: i64 = 86_400_000_000;

/// First microsecond of the year 1: earlier years cannot be written with four digits.
pub const MIN_MICROS: i64 = -62_135_596_800 * 1_000_000;

/// Returns year, month and day of a day since the epoch (Howard Hinnant's `civil_from_days`).
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let mp = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * mp + 2) / 5 + 1) as u32;
    let month = (if mp < 10 { mp + 3 } else { mp - 9 }) as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Returns the day since the epoch (Howard Hinnant's `days_from_civil`).
pub fn days_from_date(date: Date) -> i64 {
    let (month, day) = (i64::from(date.month()), i64::from(date.day()));
    let year = i64::from(date.year()) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns the date of a day since the epoch, if it is in the supported range.
pub fn date_from_days(days: i64) -> Option<Date> {
    if !(-4_000_000..=4_000_000).contains(&days) {
        return None;
    }
    let (year, month, day) = civil_from_days(days);
    Date::new(i16::try_from(year).ok()?, month as i8, day as i8).ok()
}

/// Whether a day since the epoch has a four-digit year in every time zone.
pub fn is_valid_day(days: i64) -> bool {
    (MIN_MICROS / MICROS_PER_DAY..2_932_896).contains(&days)
}

/// Returns the microseconds since midnight.
pub fn micros_from_time(time: Time) -> i64 {
    let seconds = i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    seconds * 1_000_000 + i64::from(time.subsec_nanosecond()) / 1000
}

/// Returns the time of day at this number of microseconds after midnight.
pub fn time_from_micros(micros: i64) -> Option<Time> {
    if !(0..MICROS_PER_DAY).contains(&micros) {
        return None;
    }
    let seconds = micros / 1_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Time::new(
        hour as i8,
        minute as i8,
        second as i8,
        (micros % 1_000_000 * 1000) as i32,
    )
    .ok()
}

/// Converts microseconds since 1970 to a timestamp. `Timestamp::from_microsecond` rejects the last second that a
/// timestamp can hold.
#[inline]
pub fn timestamp_from_micros(micros: i64) -> Option<Timestamp> {
    let nanos = micros.rem_euclid(1_000_000) * 1000;
    Timestamp::new(micros.div_euclid(1_000_000), nanos as i32).ok()
}

/// Current time, truncated to microseconds as databases store it.
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_beyond_the_calendar_have_no_date() {
        for days in [i64::MIN, -4_000_001, 4_000_001, i64::MAX] {
            assert_eq!(date_from_days(days), None);
        }
    }

    proptest! {
        #[test]
        fn days_and_dates_agree_with_jiff(days in -719_162i64..2_932_896) {
            let date = date_from_days(days).unwrap();
            let expected = jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
            prop_assert_eq!(date, expected);
            prop_assert_eq!(days_from_date(date), days);
        }

        #[test]
        fn times_survive_the_way_through_microseconds(micros in 0..MICROS_PER_DAY) {
            prop_assert_eq!(micros_from_time(time_from_micros(micros).unwrap()), micros);
        }
    }
}
