//! The header `Prefer` (RFC 7240).

use http::{HeaderMap, HeaderName, HeaderValue};

const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Header that reports the applied preference.
pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// Preference for the object in the response.
pub(crate) const RETURN_REPRESENTATION: HeaderValue = HeaderValue::from_static("return=representation");

/// Whether the client prefers to get the written object. The first of contradicting preferences counts.
pub(crate) fn wants_representation(headers: &HeaderMap) -> bool {
    let texts = headers
        .get_all(PREFER)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut wishes = texts.flat_map(|text| text.split(',')).filter_map(|wish| {
        let (name, value) = wish.split(';').next()?.split_once('=')?;
        let is_return = name.trim().eq_ignore_ascii_case("return");
        is_return.then(|| value.trim().trim_matches('"'))
    });
    wishes.next() == Some("representation")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wish_for_a_return_counts_among_others() {
        for (lines, expected) in [
            (&["return=representation"][..], true),
            (&["respond-async, Return = \"representation\"; why=not"], true),
            (&["wait=10", "return=representation"], true),
            (&["return=minimal", "return=representation"], false),
            (&["return=representation, return=minimal"], true),
            (&["return=minimal"], false),
            (&["return"], false),
            (&["not-return=representation"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(PREFER, HeaderValue::from_static(line));
            }
            assert_eq!(wants_representation(&headers), expected, "{lines:?}");
        }
    }
}
