//! The `Accept` header: the media type that a client prefers among several.

use std::borrow::Cow;

use http::{HeaderMap, header};

use crate::http::parse_quality;

/// Media ranges that a client accepts.
pub(crate) struct Accept(Vec<MediaRange>);

struct MediaRange {
    kind: Cow<'static, str>,
    subtype: Cow<'static, str>,
    /// Quality in thousandths, because the header allows three decimals.
    quality: u16,
}

/// Specificity of a range: a media type, its top-level type, or anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Specificity {
    Anything,
    Kind,
    Exact,
}

impl Accept {
    /// Parses a request's header. Without a range, anything is accepted. Invalid ranges are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let values = headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let ranges = values
            .flat_map(|value| value.split(','))
            .filter_map(MediaRange::parse);
        Self(ranges.collect())
    }

    /// Whether the client has no preference.
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    /// Position of the preferred media type: by quality, then by specificity, then by order.
    pub(crate) fn best<'a>(&self, media_types: impl Iterator<Item = (usize, &'a str)>) -> Option<usize> {
        let mut best: Option<(u16, Specificity, usize)> = None;
        for (position, media_type) in media_types {
            let Some((specificity, quality)) = self.rate(media_type) else {
                continue;
            };
            if quality > 0 && best.is_none_or(|(q, s, _)| (quality, specificity) > (q, s)) {
                best = Some((quality, specificity, position));
            }
        }
        best.map(|(_, _, position)| position)
    }

    /// Whether the client excludes this media type (`q=0`).
    pub(crate) fn refuses(&self, media_type: &str) -> bool {
        !self.is_open() && self.rate(media_type).is_some_and(|(_, quality)| quality == 0)
    }

    /// Quality of a media type that the client names without a wildcard.
    pub(crate) fn named(&self, media_type: &str) -> Option<u16> {
        let rated = self
            .rate(media_type)
            .filter(|(specificity, _)| *specificity == Specificity::Exact);
        rated.map(|(_, quality)| quality)
    }

    /// Quality by the most specific range that matches.
    fn rate(&self, media_type: &str) -> Option<(Specificity, u16)> {
        let (kind, subtype) = media_type.split_once('/')?;
        if self.is_open() {
            return Some((Specificity::Anything, 1000));
        }
        self.0
            .iter()
            .filter_map(|range| Some((range.specificity(kind, subtype)?, range.quality)))
            .max()
    }
}

impl MediaRange {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let token = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        if !token(kind) || !token(subtype) || (kind == "*" && subtype != "*") {
            return None;
        }
        let quality = match parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
        {
            Some(text) => parse_quality(text)?,
            None => 1000,
        };
        Some(Self {
            kind: lower_case(kind),
            subtype: lower_case(subtype),
            quality,
        })
    }

    fn specificity(&self, kind: &str, subtype: &str) -> Option<Specificity> {
        match (&*self.kind, &*self.subtype) {
            ("*", "*") => Some(Specificity::Anything),
            (own, "*") if own == kind => Some(Specificity::Kind),
            (own, own_subtype) if own == kind && own_subtype == subtype => Some(Specificity::Exact),
            _ => None,
        }
    }
}

/// Lower-cases a text without an allocation for the words that nearly all clients send.
fn lower_case(text: &str) -> Cow<'static, str> {
    let usual = ["*", "application", "json"]
        .into_iter()
        .find(|word| *word == text);
    usual.map_or_else(|| Cow::Owned(text.to_ascii_lowercase()), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use proptest::prelude::*;

    const KNOWN: [&str; 3] = ["application/json", "text/csv", "text/plain"];

    fn best(accept: &str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
        Accept::of(&headers)
            .best(KNOWN.into_iter().enumerate())
            .map(|position| KNOWN[position])
    }

    #[test]
    fn quality_then_specificity_then_order_decide() {
        assert_eq!(best("*/*"), Some("application/json"));
        assert_eq!(best("text/*"), Some("text/csv"));
        assert_eq!(best("text/plain, */*"), Some("text/plain"));
        assert_eq!(best("application/json;q=0.5, text/csv;q=0.9"), Some("text/csv"));
        assert_eq!(best("text/*;q=0.9, text/csv;q=0.1"), Some("text/plain"));
        assert_eq!(best("application/json;q=0"), None);
        assert_eq!(best("text/*;q=0.1, */*;q=0"), Some("text/csv"));
        assert_eq!(best("image/png"), None);
        assert_eq!(best("nonsense, ;;;, text/csv;q=2"), Some("application/json"));
    }

    #[test]
    fn without_a_header_anything_is_accepted() {
        assert_eq!(
            Accept::of(&HeaderMap::new()).best(KNOWN.into_iter().enumerate()),
            Some(0)
        );
    }

    proptest! {
        /// Compares with another implementation of RFC 9110, wherever the qualities differ.
        #[test]
        fn an_independent_implementation_agrees(
            ranges in Just(["application/json", "text/csv", "text/plain", "text/*", "application/*", "*/*"]).prop_shuffle(),
            count in 1usize..=6,
            qualities in Just([0u16, 1, 250, 500, 750, 1000]).prop_shuffle(),
        ) {
            let ranges = std::iter::zip(&ranges[..count], qualities);
            let parts: Vec<String> = ranges.map(|(range, q)| format!("{range};q={}.{:03}", q / 1000, q % 1000)).collect();
            let text = parts.join(", ");
            let known = KNOWN.map(|media_type| mediatype::MediaType::parse(media_type).unwrap());
            let oracle: headers_accept::Accept = text.parse().unwrap();
            let expected = oracle.negotiate(&known).map(ToString::to_string);
            prop_assert_eq!(best(&text).map(str::to_owned), expected, "{}", text);
        }
    }
}
