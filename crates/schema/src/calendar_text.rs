//! Parsing of dates, times and timestamps, strictly in the notation of RFC 3339.

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use crate::calendar::MIN_MICROS;

/// Whether a text matches a format in which `d` is any digit.
fn has_format(text: &[u8], format: &[u8]) -> bool {
    text.len() == format.len()
        && std::iter::zip(text, format).all(|(byte, expected)| match expected {
            b'd' => byte.is_ascii_digit(),
            _ => byte == expected,
        })
}

pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let date: Date = has_format(text.as_bytes(), b"dddd-dd-dd")
        .then(|| text.parse().ok())
        .flatten()?;
    (date.year() > 0).then_some(date)
}

/// Splits `HH:MM:SS`, with up to nine fractional digits, off the front.
fn split_time(text: &str) -> Option<(Time, &str)> {
    let (clock, rest) = text.split_at_checked(8)?;
    // Databases cannot store a leap second, and shifting it would silently store another time.
    if !has_format(clock.as_bytes(), b"dd:dd:dd") || clock.ends_with("60") {
        return None;
    }
    let digits = match rest.strip_prefix('.') {
        None => 0,
        Some(fraction) => match fraction.bytes().take_while(u8::is_ascii_digit).count() {
            count @ 1..=9 => count + 1,
            _ => return None,
        },
    };
    let time: Time = text[..8 + digits].parse().ok()?;
    let micros = time.subsec_nanosecond() / 1000 * 1000;
    let time = Time::new(time.hour(), time.minute(), time.second(), micros).ok()?;
    Some((time, &rest[digits..]))
}

/// Parses `HH:MM:SS` with or without a fraction, or `HH:MM` as browsers send it.
pub(crate) fn parse_time(text: &str) -> Option<Time> {
    if has_format(text.as_bytes(), b"dd:dd") {
        return text.parse().ok();
    }
    split_time(text)
        .filter(|(_, rest)| rest.is_empty())
        .map(|(time, _)| time)
}

pub(crate) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let (day, rest) = text.split_at_checked(10)?;
    let date = parse_date(day)?;
    let (time, offset) = split_time(rest.strip_prefix(['T', 't'])?)?;
    let seconds = match offset.as_bytes() {
        b"Z" | b"z" => 0,
        &[sign @ (b'+' | b'-'), ..] if has_format(&offset.as_bytes()[1..], b"dd:dd") => {
            let (hours, minutes): (i32, i32) = (offset[1..3].parse().ok()?, offset[4..6].parse().ok()?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 3600 + minutes * 60) * if sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    let offset = jiff::tz::Offset::from_seconds(seconds).ok()?;
    let timestamp = offset.to_timestamp(date.to_datetime(time)).ok()?;
    // The timestamp in UTC must also have a four-digit year.
    (timestamp.as_microsecond() >= MIN_MICROS).then_some(timestamp)
}
