//! Codec of PostgreSQL's NUMERIC: digits to the base of 10,000.

use bytes::{BufMut, BytesMut};
use rust_decimal::Decimal;

const NEGATIVE: u16 = 0x4000;

/// Decodes a number in units of its last decimal place. Returns `None` for NaN, infinity, more than `scale` decimal
/// places, or a value too large for a model's column.
pub(super) fn read(bytes: &[u8], scale: u8) -> Option<i64> {
    let (weight, sign, digits) = parts(bytes)?;
    let mut units = 0_i64;
    // Decimal exponent of the next digit's unit relative to the result's unit.
    let mut place = i32::from(weight) * 4 + i32::from(scale);
    for digit in digits {
        let digit = i64::from(digit);
        let power = 10_i64.checked_pow(place.unsigned_abs())?;
        let part = match place {
            0.. => digit.checked_mul(power)?,
            _ if digit % power == 0 => digit / power,
            _ => return None,
        };
        units = units.checked_add(part)?;
        place -= 4;
    }
    match sign {
        0 => Some(units),
        NEGATIVE => Some(-units),
        _ => None,
    }
}

/// Decodes a sum in units of its last decimal place, like [`read`], with up to 38 digits.
pub(super) fn read_wide(bytes: &[u8], scale: u8) -> Option<i128> {
    let (weight, sign, digits) = parts(bytes)?;
    let (mut units, mut place) = (0_i128, i32::from(weight) * 4 + i32::from(scale));
    for digit in digits {
        let digit = i128::from(digit);
        let power = 10_i128.checked_pow(place.unsigned_abs())?;
        let part = match place {
            0.. => digit.checked_mul(power)?,
            _ if digit % power == 0 => digit / power,
            _ => return None,
        };
        units = units.checked_add(part)?;
        place -= 4;
    }
    match sign {
        0 => Some(units),
        NEGATIVE => Some(-units),
        _ => None,
    }
}

/// Decodes a number as the nearest double, approximately. Returns `None` for NaN and infinity.
pub(super) fn read_double(bytes: &[u8]) -> Option<f64> {
    let (weight, sign, digits) = parts(bytes)?;
    let sign = match sign {
        0 => "",
        NEGATIVE => "-",
        _ => return None,
    };
    let digits: Vec<String> = digits.map(|digit| format!("{digit:04}")).collect();
    let exponent = (i32::from(weight) + 1 - digits.len() as i32) * 4;
    format!("{sign}0{}e{exponent}", digits.concat()).parse().ok()
}

/// Splits a number into the weight of its first digit, its sign and its digits.
fn parts(bytes: &[u8]) -> Option<(i16, u16, impl Iterator<Item = u16>)> {
    let (words, []) = bytes.as_chunks::<2>() else {
        return None;
    };
    let mut words = words.iter().map(|word| u16::from_be_bytes(*word));
    let (count, weight) = (words.next()?, words.next()? as i16);
    let (sign, _shown) = (words.next()?, words.next()?);
    Some((weight, sign, words.take(count.into())))
}

/// Encodes a number.
pub(super) fn write(number: Decimal, out: &mut BytesMut) {
    let scale = number.scale();
    // Decimal places fill whole groups of four.
    let padding = (4 - scale % 4) % 4;
    let groups_after = ((scale + padding) / 4) as i16;
    let mut rest = number.mantissa().unsigned_abs();
    let mut digits = Vec::with_capacity(8);
    if padding > 0 {
        let power = 10_u128.pow(4 - padding);
        digits.push((rest % power * 10_u128.pow(padding)) as u16);
        rest /= power;
    }
    while rest > 0 {
        digits.push((rest % 10_000) as u16);
        rest /= 10_000;
    }
    let weight = digits.len() as i16 - groups_after - 1;
    out.put_u16(digits.len() as u16);
    out.put_i16(weight);
    out.put_u16(if number.is_sign_negative() { NEGATIVE } else { 0 });
    out.put_u16(scale as u16);
    digits.iter().rev().for_each(|digit| out.put_u16(*digit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_way_through_their_digits() {
        for text in [
            "0.00",
            "1.50",
            "-0.01",
            "10000.00",
            "-99999999.99",
            "1234567890123456.78",
            "0.10",
            "100.00",
            "20000.01",
        ] {
            let number: Decimal = text.parse().unwrap();
            let mut bytes = BytesMut::new();
            write(number, &mut bytes);
            assert_eq!(Decimal::new(read(&bytes, 2).unwrap(), 2).to_string(), text);
        }
        for (text, scale) in [
            ("123456789012345678", 0),
            ("0.000000000000000001", 18),
            ("-12.3456", 4),
        ] {
            let number: Decimal = text.parse().unwrap();
            let mut bytes = BytesMut::new();
            write(number, &mut bytes);
            assert_eq!(
                Decimal::new(read(&bytes, scale).unwrap(), scale.into()).to_string(),
                text
            );
        }
    }

    #[test]
    fn a_number_is_read_as_the_nearest_double() {
        for text in [
            "0",
            "1.5",
            "-0.01",
            "10000",
            "1234567890123456.78",
            "3.3333333333333333",
        ] {
            let mut bytes = BytesMut::new();
            write(text.parse().unwrap(), &mut bytes);
            assert_eq!(read_double(&bytes), text.parse().ok(), "{text}");
        }
        assert_eq!(read_double(&[0, 0, 0, 0, 0xC0, 0, 0, 0]), None);
    }

    #[test]
    fn a_sum_has_more_digits_than_a_column() {
        for (text, scale, units) in [
            ("0", 2, 0),
            ("-0.5", 2, -50),
            ("92233720368547758080000.25", 2, 9_223_372_036_854_775_808_000_025),
            ("79228162514264337593543950335", 0, (1_i128 << 96) - 1),
            (
                "-1234567890123456789012345678",
                0,
                -1_234_567_890_123_456_789_012_345_678,
            ),
        ] {
            let mut bytes = BytesMut::new();
            write(text.parse().unwrap(), &mut bytes);
            assert_eq!(read_wide(&bytes, scale), Some(units), "{text}");
        }
        let mut bytes = BytesMut::new();
        write("1.234".parse().unwrap(), &mut bytes);
        assert_eq!(read_wide(&bytes, 2), None);
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        let mut bytes = BytesMut::new();
        write("1.234".parse().unwrap(), &mut bytes);
        assert_eq!(read(&bytes, 2), None);
        let not_a_number = [0, 0, 0, 0, 0xC0, 0, 0, 0];
        assert_eq!(read(&not_a_number, 2), None);
        assert_eq!(read(&[0, 1], 2), None);
    }
}
