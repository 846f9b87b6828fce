//! The header `Prefer` (RFC 7240).

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Header that reports the applied preference.
pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Preferred content of the response to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Return {
    /// No content.
    Minimal,
    /// The written object.
    Representation,
}

/// Preferred treatment of members of a body that cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handling {
    /// Each is an error.
    Strict,
    /// None has an effect.
    Lenient,
}

impl Handling {
    /// Reads the preference of a request.
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Self> {
        match preference(headers, "handling")? {
            "strict" => Some(Self::Strict),
            "lenient" => Some(Self::Lenient),
            _ => None,
        }
    }

    /// Value of the header that reports it.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Strict => "handling=strict",
            Self::Lenient => "handling=lenient",
        })
    }
}

/// Value of the header that reports a dry run.
pub(crate) const DRY_RUN: HeaderValue = HeaderValue::from_static("dry-run");

/// Whether a request prefers to be checked and not to write. A value of the preference does not matter.
pub(crate) fn prefers_dry_run(headers: &HeaderMap) -> bool {
    wishes(headers).any(|(name, _)| name.eq_ignore_ascii_case("dry-run"))
}

/// Value of the header that reports that an existing object was to be changed.
pub(crate) const MERGES_DUPLICATES: HeaderValue = HeaderValue::from_static("resolution=merge-duplicates");

/// Whether a request prefers to change the object that has the unique values of its new one.
pub(crate) fn merges_duplicates(headers: &HeaderMap) -> bool {
    preference(headers, "resolution") == Some("merge-duplicates")
}

/// Maximum objects that a request is to write, if it has such a preference.
pub(crate) fn max_affected(headers: &HeaderMap) -> Option<usize> {
    preference(headers, "max-affected")?.parse().ok()
}

/// Maximum time that a client waits for a response, if it has such a preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(u32);

impl Wait {
    /// Reads the preference of a request. A client that does not wait at all is not heeded.
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Self> {
        let seconds = preference(headers, "wait")?.parse().ok()?;
        (seconds > 0).then_some(Self(seconds))
    }

    pub(crate) fn limit(self) -> Duration {
        Duration::from_secs(self.0.into())
    }

    /// Value of the header that reports it.
    pub(crate) fn header(self) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("wait={}", self.0)).ok()
    }
}

/// Value of a preference. The first of contradicting ones counts.
fn preference<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = wishes(headers).filter_map(|(own, value)| {
        let is_it = own.eq_ignore_ascii_case(name);
        value.filter(|_| is_it)
    });
    values.next()
}

/// Preferences of a request, with their values.
fn wishes(headers: &HeaderMap) -> impl Iterator<Item = (&str, Option<&str>)> {
    let lines = headers.get_all(PREFER).iter().map(HeaderValue::as_bytes);
    let wishes = lines.flat_map(|line| line.split(|byte| *byte == b','));
    wishes.map(|wish| {
        // Parameters are ignored, and may have bytes of any encoding.
        let wish = wish.split(|byte| *byte == b';').next().unwrap_or_default();
        let wish = std::str::from_utf8(wish).unwrap_or_default();
        match wish.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().trim_matches('"'))),
            None => (wish.trim(), None),
        }
    })
}

impl Return {
    /// Reads the preference of a request.
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Self> {
        match preference(headers, "return")? {
            "minimal" => Some(Self::Minimal),
            "representation" => Some(Self::Representation),
            _ => None,
        }
    }

    /// Value of the header that reports it.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Minimal => "return=minimal",
            Self::Representation => "return=representation",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wish_for_a_return_counts_among_others() {
        let (minimal, representation) = (Some(Return::Minimal), Some(Return::Representation));
        for (lines, expected) in [
            (&["return=representation"][..], representation),
            (
                &["respond-async, Return = \"representation\"; why=not"],
                representation,
            ),
            (&["wait=10", "return=representation"], representation),
            (&["return=minimal", "return=representation"], minimal),
            (&["return=representation, return=minimal"], representation),
            (&["return=minimal"], minimal),
            (&["return=other, return=minimal"], None),
            (&["return"], None),
            (&["not-return=representation"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(PREFER, HeaderValue::from_static(line));
            }
            assert_eq!(Return::preferred(&headers), expected, "{lines:?}");
        }
    }
    #[test]
    fn a_dry_run_is_preferred_with_or_without_a_value() {
        for (line, expected) in [
            ("dry-run", true),
            ("return=minimal, Dry-Run ; why=not", true),
            ("dry-run=\"\"", true),
            ("dry-run=1", true),
            ("dry-runs", false),
            ("return=dry-run", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(PREFER, HeaderValue::from_static(line));
            assert_eq!(prefers_dry_run(&headers), expected, "{line}");
        }
        for line in [
            &b"dry-run; why=\"\xfc\""[..],
            b"\xfc, dry-run",
            "dry-run; why=ü".as_bytes(),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(PREFER, HeaderValue::from_bytes(line).expect("a value"));
            assert!(prefers_dry_run(&headers), "{line:?}");
        }
        assert!(!prefers_dry_run(&HeaderMap::new()));
    }
}
