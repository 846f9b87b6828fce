//! The header `Idempotency-Key`.

use http::{HeaderMap, HeaderName};
use uuid::Uuid;

use crate::pipeline::{Error, ErrorKind, Result};

/// Header with the key of a request.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Number of bytes of the time in a UUID of version 7.
pub(super) const TIME_LENGTH: usize = 6;
/// Maximum characters of a key.
const MAX_LENGTH: usize = 64;

/// Key by which the repetition of a request is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the key of a request, with or without quotes. `None` without the header.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>> {
        let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else {
            return Ok(None);
        };
        let text = value.to_str().ok().filter(|_| values.next().is_none());
        let key = text.map(unquoted);
        let is_valid = |key: &&str| {
            (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| matches!(byte, b'!'..=b'~'))
        };
        match key.filter(is_valid) {
            Some(key) => Ok(Some(Self(key.to_owned()))),
            None => Err(Error::new(ErrorKind::BadRequest(format!(
                "The header Idempotency-Key must be one key of 1 to {MAX_LENGTH} visible ASCII characters, such as a UUID."
            )))),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Time that a UUID of version 7 begins with.
    pub(super) fn time(&self) -> Option<[u8; TIME_LENGTH]> {
        let uuid = Uuid::try_parse(&self.0).ok()?;
        (uuid.get_version_num() == 7).then(|| *uuid.as_bytes().first_chunk().expect("a UUID has 16 bytes"))
    }
}

/// The text of a string of structured fields (RFC 9651), or the text itself.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains(['"', '\\'])).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn read(values: &[&str]) -> Result<Option<String>, String> {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::from_str(value).expect("tests send valid headers");
            headers.append(IDEMPOTENCY_KEY, value);
        }
        let key = IdempotencyKey::of(&headers);
        key.map(|key| key.map(|key| key.0))
            .map_err(|error| error.message())
    }

    #[test]
    fn a_key_is_read_with_and_without_quotes() {
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&["8e03978e-40d5"]), Ok(Some("8e03978e-40d5".to_owned())));
        assert_eq!(read(&["\"8e03978e-40d5\""]), Ok(Some("8e03978e-40d5".to_owned())));
        assert_eq!(read(&[&"k".repeat(64)]), Ok(Some("k".repeat(64))));
    }

    #[test]
    fn only_a_uuid_of_version_7_has_a_time() {
        let time = |key: &str| IdempotencyKey(key.to_owned()).time();
        let bytes = [0x01, 0x93, 0x4a, 0x5b, 0x6c, 0x7d];
        assert_eq!(time("01934a5b-6c7d-7e8f-9a0b-1c2d3e4f5061"), Some(bytes));
        assert_eq!(time("01934A5B6C7D7E8F9A0B1C2D3E4F5061"), Some(bytes));
        assert_eq!(time("01934a5b-6c7d-4e8f-9a0b-1c2d3e4f5061"), None);
        assert_eq!(time("order 17"), None);
    }

    #[test]
    fn other_values_are_rejected() {
        for values in [
            &[""] as &[&str],
            &["\"\""],
            &["two words"],
            &["one", "two"],
            &["one", "one"],
            &[&"k".repeat(65)],
        ] {
            assert!(read(values).is_err(), "{values:?}");
        }
    }
}
