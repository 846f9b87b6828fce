//! Codings by name, and the one that a client prefers.

use http::{HeaderMap, header};

use crate::http::quality::parse_quality;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

/// Quality of a coding, in thousandths.
type Quality = u16;

/// Codings that a client accepts.
#[derive(Default)]
struct Accepted {
    named: [Option<Quality>; Coding::ALL.len()],
    identity: Option<Quality>,
    /// Quality of all codings without their own.
    others: Quality,
}

impl Coding {
    /// All codings, in the order in which they are preferred.
    pub(crate) const ALL: [Self; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Coding::Zstd => "zstd",
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
        }
    }

    /// Returns the coding of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = match name.trim() {
            name if name.eq_ignore_ascii_case("x-gzip") => "gzip",
            name => name,
        };
        let mut all = Self::ALL.into_iter();
        all.find(|coding| coding.name().eq_ignore_ascii_case(name))
    }

    /// Returns the coding that a client prefers to an uncompressed response.
    #[cfg(feature = "compression")]
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Self> {
        if !headers.contains_key(header::ACCEPT_ENCODING) {
            return None;
        }
        let accepted = Accepted::of(headers);
        let uncompressed = accepted.identity.unwrap_or(1);
        let worthwhile = Self::ALL
            .into_iter()
            .filter(|coding| accepted.quality(*coding) >= uncompressed.max(1));
        // Of equal ones, `max_by_key` returns the last.
        worthwhile.rev().max_by_key(|coding| accepted.quality(*coding))
    }

    /// Whether a client accepts the coding.
    #[cfg(feature = "docs")]
    pub(crate) fn is_accepted(self, headers: &HeaderMap) -> bool {
        Accepted::of(headers).quality(self) > 0
    }
}

impl Accepted {
    /// Reads `Accept-Encoding`. An invalid quality counts as zero.
    fn of(headers: &HeaderMap) -> Self {
        let mut accepted = Self::default();
        let values = headers.get_all(header::ACCEPT_ENCODING).iter();
        let items = values.filter_map(|value| value.to_str().ok());
        for item in items.flat_map(|value| value.split(',')) {
            let (name, parameter) = item.split_once(';').unwrap_or((item, "q=1"));
            let quality = quality(parameter).unwrap_or(0);
            match (name.trim(), Coding::of(name)) {
                (_, Some(coding)) => accepted.named[coding as usize] = Some(quality),
                ("*", None) => accepted.others = quality,
                (name, None) if name.eq_ignore_ascii_case("identity") => accepted.identity = Some(quality),
                _ => {}
            }
        }
        accepted
    }

    fn quality(&self, coding: Coding) -> Quality {
        self.named[coding as usize].unwrap_or(self.others)
    }
}

/// Reads `q=0.5` as 500.
fn quality(parameter: &str) -> Option<Quality> {
    let (name, value) = parameter.split_once('=')?;
    let is_quality = name.trim().eq_ignore_ascii_case("q");
    parse_quality(value.trim()).filter(|_| is_quality)
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn preferred(value: &'static str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        Coding::preferred(&headers).map(Coding::name)
    }

    #[test]
    fn the_best_accepted_coding_is_preferred() {
        assert_eq!(Coding::preferred(&HeaderMap::new()), None);
        for (value, expected) in [
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("gzip, deflate, br", Some("br")),
            ("GZIP", Some("gzip")),
            ("x-gzip", Some("gzip")),
            ("gzip;q=1.0, br;q=0.5", Some("gzip")),
            ("gzip; q=0.001", Some("gzip")),
            ("br;q=0, *", Some("zstd")),
            ("zstd;q=0, br;q=0, *;q=0.1", Some("gzip")),
            ("*", Some("zstd")),
            ("", None),
            ("identity", None),
            ("deflate", None),
            ("gzip;q=0", None),
            ("*;q=0", None),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip;q=0.5", Some("gzip")),
            ("identity;q=0", None),
            ("gzip;q=high", None),
            ("gzip;q=-1", None),
            ("gzip;q=NaN", None),
            ("gzip;quality=1", None),
        ] {
            assert_eq!(preferred(value), expected, "{value}");
        }
    }
}
