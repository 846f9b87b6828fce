//! Time limit of searches, the option `search_timeout` of database URLs.

use std::time::Duration;

use crate::error::{Error, Result};

/// Default time limit.
pub(crate) const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time limit in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Parses the option: seconds, also with decimals.
pub(crate) fn parse_search_timeout(value: &str) -> Result<Duration> {
    let seconds = value
        .parse()
        .ok()
        .filter(|seconds| (0.001..=MAX_SECONDS).contains(seconds));
    let limit = seconds.map(Duration::from_secs_f64);
    limit.ok_or_else(|| {
        Error::Failed("`search_timeout` must be a number of seconds from 0.001 to 3600".to_owned())
    })
}
