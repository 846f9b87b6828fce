//! Directives of `Cache-Control`.

use http::HeaderValue;

/// Whether a header contains a directive, in any case.
pub(crate) fn has_directive(value: &HeaderValue, directive: &[u8]) -> bool {
    let mut words = value.as_bytes().windows(directive.len());
    words.any(|word| word.eq_ignore_ascii_case(directive))
}
