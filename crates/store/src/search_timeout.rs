//! Time limit of searches, an option of the URLs of both databases.

use std::time::Duration;

/// Time limit of a search without the option.
pub(crate) const DEFAULT_SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

/// Values that the option takes, for messages.
pub(crate) const SEARCH_TIMEOUT_VALUES: &str = "search_timeout=SECONDS (1 to 3600)";

/// Parses the value of `search_timeout`: whole seconds, at most an hour.
pub(crate) fn parse_search_timeout(seconds: &str) -> Option<Duration> {
    let seconds = seconds
        .parse()
        .ok()
        .filter(|seconds| (1..=3600).contains(seconds));
    seconds.map(Duration::from_secs)
}
