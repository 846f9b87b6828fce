//! Times as tests write them.

use model_resource::Timestamp;

/// Parses a time such as `2026-03-01T12:00:00Z`.
#[track_caller]
pub(crate) fn parse_time(time: &str) -> Timestamp {
    time.parse()
        .unwrap_or_else(|error| panic!("{time:?} is no time, such as 2026-03-01T12:00:00Z: {error}"))
}
