//! The header `Last-Modified`.

use std::time::{Duration, SystemTime};

use http::HeaderValue;
use jiff::Timestamp;

/// Age from which on the second of a change identifies the version: there is no other change in that second any more.
const MIN_AGE: Duration = Duration::from_secs(2);

/// Value of the header for a row that was changed in this second. `None` if it may still be changed in that second.
pub(crate) fn last_modified(second: i64, now: Timestamp) -> Option<HeaderValue> {
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(second.try_into().ok()?);
    let age = SystemTime::from(now).duration_since(changed).ok()?;
    if age < MIN_AGE {
        return None;
    }
    HeaderValue::try_from(httpdate::fmt_http_date(changed)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_a_date_once_its_second_is_over() {
        let time = Timestamp::now();
        let now = time.as_second();
        for (second, expected) in [
            (0, true),
            (now - 10, true),
            (now, false),
            (now + 10, false),
            (-1, false),
        ] {
            assert_eq!(last_modified(second, time).is_some(), expected, "{second}");
        }
        let example = last_modified(784_111_777, time);
        assert_eq!(
            example,
            Some(HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"))
        );
    }
}
