//! Writers of JSON values into a buffer.

const DAY: i64 = 86_400_000_000;
const HEX: &[u8; 16] = b"0123456789abcdef";

pub(super) fn integer(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

pub(super) fn float(out: &mut Vec<u8>, number: f64) {
    if number.is_finite() {
        out.extend_from_slice(ryu::Buffer::new().format_finite(number).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

pub(super) fn boolean(out: &mut Vec<u8>, yes: bool) {
    out.extend_from_slice(if yes { b"true" } else { b"false" });
}

pub(super) fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    // Few strings need escapes, so eight bytes are checked at a time.
    let mut words = text.chunks_exact(8);
    let plain = words.all(|word| is_plain(u64::from_ne_bytes(word.try_into().expect("eight bytes"))))
        && text[text.len() / 8 * 8..]
            .iter()
            .all(|byte| !must_be_escaped(*byte));
    if plain {
        out.extend_from_slice(text);
    } else {
        escaped(out, text);
    }
    out.push(b'"');
}

/// Whether none of the eight bytes is a control character, a quote or a backslash.
fn is_plain(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let is_below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word & HIGH;
    let quotes = word ^ (ONES * u64::from(b'"'));
    let backslashes = word ^ (ONES * u64::from(b'\\'));
    is_below(word, 0x20) | is_below(quotes, 1) | is_below(backslashes, 1) == 0
}

fn must_be_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn escaped(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..b' ' => {
                let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            }
            _ => out.push(byte),
        }
    }
}

/// Writes a number that is stored in hundredths.
pub(super) fn cents(out: &mut Vec<u8>, cents: i64) {
    out.extend_from_slice(if cents < 0 { b"\"-" } else { b"\"" });
    let cents = cents.unsigned_abs();
    out.extend_from_slice(itoa::Buffer::new().format(cents / 100).as_bytes());
    out.push(b'.');
    two_digits(out, (cents % 100) as u32);
    out.push(b'"');
}

/// Writes a date that is stored in days since 1970.
pub(super) fn date(out: &mut Vec<u8>, days: i64) {
    out.push(b'"');
    ymd(out, days);
    out.push(b'"');
}

/// Writes a timestamp that is stored in microseconds since 1970.
pub(super) fn moment(out: &mut Vec<u8>, micros: i64) {
    out.push(b'"');
    ymd(out, micros.div_euclid(DAY));
    let micros = micros.rem_euclid(DAY);
    let (seconds, fraction) = ((micros / 1_000_000) as u32, (micros % 1_000_000) as u32);
    for (sign, number) in [
        (b'T', seconds / 3600),
        (b':', seconds / 60 % 60),
        (b':', seconds % 60),
    ] {
        out.push(sign);
        two_digits(out, number);
    }
    if fraction > 0 {
        out.push(b'.');
        two_digits(out, fraction / 10_000);
        two_digits(out, fraction / 100 % 100);
        two_digits(out, fraction % 100);
    }
    out.extend_from_slice(b"Z\"");
}

/// Howard Hinnant's `civil_from_days`.
fn ymd(out: &mut Vec<u8>, days: i64) {
    let z = days + 719_468;
    let (era, day_of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = (if shifted < 10 { shifted + 3 } else { shifted - 9 }) as u32;
    let year = (year_of_era + era * 400 + i64::from(month <= 2)) as u32;
    two_digits(out, year / 100);
    two_digits(out, year % 100);
    out.push(b'-');
    two_digits(out, month);
    out.push(b'-');
    two_digits(out, day);
}

fn two_digits(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_at_every_position() {
        for at in 0..20 {
            for sign in ['"', '\\', '\n', '\u{1}', 'é', '\u{7f}', ' '] {
                let mut value = "abcdefghijklmnopqrst".to_owned();
                value.insert(at, sign);
                let mut out = Vec::new();
                text(&mut out, value.as_bytes());
                assert_eq!(serde_json::from_slice::<String>(&out).expect("it is JSON"), value);
            }
        }
    }
}
