//! PostgreSQL's binary `numeric` as text.

/// Writes the number with its display scale.
pub(super) fn write(out: &mut Vec<u8>, raw: &[u8]) {
    let field = |at: usize| i16::from_be_bytes([raw[at * 2], raw[at * 2 + 1]]);
    let (count, weight, sign, scale) = (field(0), field(1), field(2) as u16, field(3) as usize);
    // Groups of four digits; groups before and after the stored ones are zeros.
    let group = |at: i16| {
        if (0..count).contains(&at) {
            field(4 + at as usize)
        } else {
            0
        }
    };
    out.extend_from_slice(if sign == 0x4000 { b"\"-" } else { b"\"" });
    out.extend_from_slice(
        itoa::Buffer::new()
            .format(group(0) * i16::from(weight >= 0))
            .as_bytes(),
    );
    for at in 1..=weight {
        four_digits(out, group(at));
    }
    if scale > 0 {
        out.push(b'.');
        let start = out.len();
        for group_of_fraction in 1..=scale.div_ceil(4) as i16 {
            four_digits(out, group(weight + group_of_fraction));
        }
        out.truncate(start + scale);
    }
    out.push(b'"');
}

fn four_digits(out: &mut Vec<u8>, number: i16) {
    let number = number as u16;
    let digit = |divisor: u16| b'0' + (number / divisor % 10) as u8;
    out.extend_from_slice(&[digit(1000), digit(100), digit(10), digit(1)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_of_digits_is_at_its_position() {
        let written = |fields: &[i16]| {
            let raw: Vec<u8> = fields.iter().flat_map(|field| field.to_be_bytes()).collect();
            let mut out = Vec::new();
            write(&mut out, &raw);
            String::from_utf8(out).expect("digits")
        };
        assert_eq!(written(&[0, 0, 0, 2]), "\"0.00\"");
        assert_eq!(written(&[1, -1, 0, 2, 500]), "\"0.05\"");
        assert_eq!(written(&[2, 0, 0x4000, 2, 12, 3000]), "\"-12.30\"");
        assert_eq!(written(&[2, 1, 0, 2, 1234, 5]), "\"12340005.00\"");
        assert_eq!(written(&[1, -2, 0, 6, 1200]), "\"0.000012\"");
    }
}
