//! Qualities of accepted values (RFC 9110, section 12.4.2), in thousandths.

/// Parses `1`, `0.5`, `0.123`: a number from 0 to 1 with at most three decimals.
pub(crate) fn parse_quality(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || decimals.len() > 3 || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok()?;
    let quality = if whole == "1" {
        1000 + thousandths
    } else {
        thousandths
    };
    (quality <= 1000).then_some(quality)
}
