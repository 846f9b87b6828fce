//! JSON output from borrowed values, written directly into a buffer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::calendar::{MICROS_PER_DAY, civil_from_days, micros_from_time};
use crate::value::ValueRef;

/// Formats a value, such as a key, for use in a URL.
pub fn url_text(value: ValueRef<'_>) -> String {
    if let ValueRef::Text(text) = value {
        return text.to_owned();
    }
    let mut out = Vec::new();
    write_value(&mut out, value);
    String::from_utf8_lossy(&out).trim_matches('"').to_owned()
}

/// Writes one value as JSON.
pub fn write_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => write_null(out),
        ValueRef::Bool(v) => write_bool(out, v),
        ValueRef::Int(v) => write_int(out, v),
        ValueRef::Single(v) => write_float(out, v),
        ValueRef::Double(v) => write_float(out, v),
        ValueRef::Text(v) => write_text(out, v),
        ValueRef::Bytes(v) => {
            out.push(b'"');
            let start = out.len();
            out.resize(start + v.len().div_ceil(3) * 4, 0);
            let written = BASE64
                .encode_slice(v, &mut out[start..])
                .expect("the buffer has the exact size of padded base64");
            out.truncate(start + written);
            out.push(b'"');
        }
        ValueRef::Decimal(v) => quoted(out, |out| write_decimal(out, v)),
        ValueRef::Date(v) => quoted(out, |out| write_date(out, v)),
        ValueRef::Time(v) => quoted(out, |out| write_micros_of_day(out, micros_from_time(v))),
        ValueRef::Timestamp(v) => write_timestamp(out, v.as_microsecond()),
        ValueRef::Uuid(v) => quoted(out, |out| {
            out.extend_from_slice(
                v.hyphenated()
                    .encode_lower(&mut uuid::Uuid::encode_buffer())
                    .as_bytes(),
            );
        }),
        ValueRef::Json(v) => out.extend_from_slice(v.as_bytes()),
    }
}

/// Writes `null`.
pub fn write_null(out: &mut Vec<u8>) {
    out.extend_from_slice(b"null");
}

/// Writes a boolean.
pub fn write_bool(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes a whole number.
pub fn write_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a JSON string, escaping what must be escaped.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = position_to_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        write_escaped(out, rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Writes bytes as a JSON string if they are valid UTF-8; returns whether they are.
pub fn write_utf8(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    // Most texts are plain ASCII, which is faster to detect than valid UTF-8.
    if is_plain_ascii(bytes) {
        out.reserve(bytes.len() + 2);
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
        return true;
    }
    let text = std::str::from_utf8(bytes);
    text.map(|text| write_text(out, text)).is_ok()
}

/// One bit in each byte of a word, to test eight bytes at once.
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = 0x80 * EACH;

/// Whether all bytes are ASCII and none of them must be escaped.
fn is_plain_ascii(bytes: &[u8]) -> bool {
    // Subtracting a larger number sets the highest bit of a byte below 128.
    let is_plain = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        let less = |word: u64, than: u8| word.wrapping_sub(EACH * u64::from(than));
        let is = |byte: u8| less(word ^ (EACH * u64::from(byte)), 1);
        (word | less(word, b' ') | is(b'"') | is(b'\\')) & HIGHEST == 0
    };
    let (words, _) = bytes.as_chunks::<8>();
    match bytes.last_chunk::<8>() {
        // The last word may overlap the previous one.
        Some(last) => words.iter().all(is_plain) && is_plain(last),
        None => bytes
            .iter()
            .all(|byte| byte.is_ascii() && !must_be_escaped(*byte)),
    }
}

/// Returns the position of the first byte that must be escaped.
fn position_to_escape(bytes: &[u8]) -> Option<usize> {
    let is_plain = |word: &&[u8; 8]| {
        let word = u64::from_ne_bytes(**word);
        // The highest bit shows a borrow only if it was not set before.
        let less = |word: u64, than: u8| word.wrapping_sub(EACH * u64::from(than)) & !word;
        let is = |byte: u8| less(word ^ (EACH * u64::from(byte)), 1);
        (less(word, b' ') | is(b'"') | is(b'\\')) & HIGHEST == 0
    };
    let (words, _) = bytes.as_chunks::<8>();
    let plain = words.iter().take_while(is_plain).count() * 8;
    let rest = bytes[plain..].iter();
    rest.copied().position(must_be_escaped).map(|at| plain + at)
}

fn must_be_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn write_escaped(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        _ => {
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    }
}

fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// Writes a floating-point number; NaN and infinity, which JSON lacks, as null.
pub fn write_float<F: ryu::Float + Into<f64>>(out: &mut Vec<u8>, value: F) {
    if value.into().is_finite() {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

fn write_decimal(out: &mut Vec<u8>, value: Decimal) {
    match i64::try_from(value.mantissa()) {
        Ok(units) => write_units(out, units, value.scale() as usize),
        Err(_) => out.extend_from_slice(value.to_string().as_bytes()),
    }
}

/// Writes a decimal given in units of its last decimal place.
pub fn write_scaled_decimal(out: &mut Vec<u8>, units: i64, scale: u8) {
    quoted(out, |out| write_units(out, units, scale.into()));
}

fn write_units(out: &mut Vec<u8>, units: i64, scale: usize) {
    if units < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(units.unsigned_abs()).as_bytes();
    let whole = digits.len().saturating_sub(scale);
    out.extend_from_slice(if whole == 0 { b"0" } else { &digits[..whole] });
    if scale > 0 {
        out.push(b'.');
        out.resize(out.len() + scale.saturating_sub(digits.len()), b'0');
        out.extend_from_slice(&digits[whole..]);
    }
}

fn write_date(out: &mut Vec<u8>, date: Date) {
    write_ymd(
        out,
        i64::from(date.year()),
        date.month() as u32,
        date.day() as u32,
    );
}

/// Writes the date of a day since 1970-01-01, for which [`calendar::is_valid_day`](crate::calendar::is_valid_day) must hold.
pub fn write_date_of_day(out: &mut Vec<u8>, days: i64) {
    let (year, month, day) = civil_from_days(days);
    quoted(out, |out| write_ymd(out, year, month, day));
}

/// Writes the timestamp at this number of microseconds since 1970; [`calendar::is_valid_day`](crate::calendar::is_valid_day) must
/// hold for its day.
pub fn write_timestamp(out: &mut Vec<u8>, micros: i64) {
    let (year, month, day) = civil_from_days(micros.div_euclid(MICROS_PER_DAY));
    quoted(out, |out| {
        write_ymd(out, year, month, day);
        out.push(b'T');
        write_micros_of_day(out, micros.rem_euclid(MICROS_PER_DAY));
        out.push(b'Z');
    });
}

fn write_ymd(out: &mut Vec<u8>, year: i64, month: u32, day: u32) {
    let year = year.unsigned_abs() as u32;
    let ([a, b], [c, d]) = (two_digits(year / 100), two_digits(year % 100));
    let ([e, f], [g, h]) = (two_digits(month), two_digits(day));
    out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
}

fn write_micros_of_day(out: &mut Vec<u8>, micros: i64) {
    let seconds = (micros / 1_000_000) as u32;
    let ([a, b], [c, d]) = (two_digits(seconds / 3600), two_digits(seconds / 60 % 60));
    let [e, f] = two_digits(seconds % 60);
    out.extend_from_slice(&[a, b, b':', c, d, b':', e, f]);
    let fraction = (micros % 1_000_000) as u32;
    if fraction > 0 {
        let ([a, b], [c, d]) = (two_digits(fraction / 10_000), two_digits(fraction / 100 % 100));
        let [e, f] = two_digits(fraction % 100);
        out.extend_from_slice(&[b'.', a, b, c, d, e, f]);
    }
}

fn two_digits(number: u32) -> [u8; 2] {
    [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use proptest::prelude::*;

    fn written(value: ValueRef<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_kind_has_its_wire_form() {
        assert_eq!(written(ValueRef::Single(0.1)), "0.1");
        assert_eq!(written(ValueRef::Double(f64::NAN)), "null");
        assert_eq!(written(ValueRef::Decimal("12.30".parse().unwrap())), "\"12.30\"");
        assert_eq!(written(ValueRef::Decimal("-0.05".parse().unwrap())), "\"-0.05\"");
        assert_eq!(
            written(ValueRef::Date("2024-02-29".parse().unwrap())),
            "\"2024-02-29\""
        );
        assert_eq!(
            written(ValueRef::Time("07:08:09.5".parse().unwrap())),
            "\"07:08:09.500000\""
        );
        assert_eq!(
            written(ValueRef::Timestamp("2024-05-06T07:08:09Z".parse().unwrap())),
            "\"2024-05-06T07:08:09Z\""
        );
        assert_eq!(written(ValueRef::Bytes(b"hi")), "\"aGk=\"");
        assert_eq!(written(ValueRef::Text("a\"\\\n\u{1}é")), r#""a\"\\\n\u0001é""#);
    }

    proptest! {
        #[test]
        fn any_text_reads_back(text in any::<String>()) {
            prop_assert_eq!(serde_json::from_str::<String>(&written(ValueRef::Text(&text))).unwrap(), text);
        }

        #[test]
        fn any_text_with_much_to_escape_reads_back(text in "[a-c\"\\\\\\x00-\\x20é]{0,40}") {
            let text_written = written(ValueRef::Text(&text));
            let mut out = Vec::new();
            prop_assert!(write_utf8(&mut out, text.as_bytes()));
            prop_assert_eq!(&out, text_written.as_bytes());
            prop_assert_eq!(serde_json::from_str::<String>(&text_written).unwrap(), text);
        }

        #[test]
        fn bytes_that_are_no_text_are_not_written(before in "[a-z]{0,40}", after in "[a-z]{0,40}") {
            let mut out = Vec::new();
            prop_assert!(!write_utf8(&mut out, &[before.as_bytes(), &[0xff], after.as_bytes()].concat()));
            prop_assert!(out.is_empty());
        }

        #[test]
        fn any_double_reads_back(number in proptest::num::f64::NORMAL) {
            prop_assert_eq!(written(ValueRef::Double(number)).parse::<f64>().unwrap(), number);
        }

        #[test]
        fn any_moment_reads_back(micros in -62_135_596_800_000_000i64..253_402_207_200_000_000) {
            let moment = Timestamp::from_microsecond(micros).unwrap();
            let text = written(ValueRef::Timestamp(moment));
            prop_assert_eq!(text.trim_matches('"').parse::<Timestamp>().unwrap(), moment);
        }

        #[test]
        fn any_decimal_reads_back(mantissa in any::<i64>(), scale in 0u32..=18) {
            let decimal = Decimal::new(mantissa, scale);
            prop_assert_eq!(written(ValueRef::Decimal(decimal)).trim_matches('"').to_owned(), decimal.to_string());
        }
    }
}
