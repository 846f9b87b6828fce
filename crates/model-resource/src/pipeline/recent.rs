//! Recent requests that failed or took long, for the operators of an application.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{Method, Uri};
use model_resource_schema::calendar::now;
use serde::Serialize;

use crate::pipeline::context::Context;
use crate::pipeline::error::Error;

/// Requests that are kept of each kind; older ones are dropped.
const KEPT: usize = 20;
/// Maximum characters of a kept text, which a client may have chosen.
const MAX_TEXT: usize = 500;

/// Recent requests that failed with a server error, and those that took long.
#[derive(Default)]
pub(crate) struct RecentRequests {
    failed: Mutex<VecDeque<FailedRequest>>,
    slow: Mutex<VecDeque<SlowRequest>>,
}

/// Request that was answered with a server error.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailedRequest {
    pub(crate) time: String,
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) request_id: String,
    pub(crate) message: String,
}

/// Request that took longer than [`RecentRequests::SLOW`].
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SlowRequest {
    pub(crate) time: String,
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) milliseconds: u128,
}

impl RecentRequests {
    /// Duration from which on a request is slow.
    pub(crate) const SLOW: Duration = Duration::from_millis(500);

    /// Begins to measure a request.
    pub(crate) fn watch(&self, cx: &Context) -> RequestWatch<'_> {
        RequestWatch {
            recent: self,
            method: cx.method().clone(),
            uri: cx.uri().clone(),
            start: Instant::now(),
        }
    }

    /// Failed requests, the latest first.
    pub(crate) fn failed(&self) -> Vec<FailedRequest> {
        latest(&self.failed)
    }

    /// Slow requests, the latest first.
    pub(crate) fn slow(&self) -> Vec<SlowRequest> {
        latest(&self.slow)
    }
}

/// Measurement of one request.
pub(crate) struct RequestWatch<'a> {
    recent: &'a RecentRequests,
    method: Method,
    uri: Uri,
    start: Instant,
}

impl RequestWatch<'_> {
    /// Keeps the request if it took long or ended with a server error.
    pub(crate) fn finish(self, error: Option<&Error>, id: &str) {
        let duration = self.start.elapsed();
        if duration >= RecentRequests::SLOW {
            let slow = SlowRequest {
                time: now().to_string(),
                method: self.method.to_string(),
                url: shortened(described(&self.uri)),
                milliseconds: duration.as_millis(),
            };
            keep(&self.recent.slow, slow);
        }
        if let Some(error) = error
            && error.status().is_server_error()
        {
            let failed = FailedRequest {
                time: now().to_string(),
                method: self.method.to_string(),
                url: shortened(described(&self.uri)),
                status: error.status().as_u16(),
                request_id: id.to_owned(),
                message: shortened(error.to_string()),
            };
            keep(&self.recent.failed, failed);
        }
    }
}

/// Parameters whose values are names and numbers.
const SHOWN_VALUES: [&str; 9] = [
    "sort", "fields", "expand", "page", "pageSize", "limit", "offset", "count", "format",
];

/// URL without the values that somebody may have entered, which may be secret or personal.
fn described(uri: &Uri) -> String {
    let Some(query) = uri.query() else {
        return uri.path().to_owned();
    };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && !SHOWN_VALUES.contains(&name) => {
            format!("{name}=\u{2026}")
        }
        _ => pair.to_owned(),
    });
    format!("{}?{}", uri.path(), pairs.collect::<Vec<_>>().join("&"))
}

fn keep<T>(requests: &Mutex<VecDeque<T>>, request: T) {
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    requests.truncate(KEPT - 1);
    requests.push_front(request);
}

fn latest<T: Clone>(requests: &Mutex<VecDeque<T>>) -> Vec<T> {
    let requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    requests.iter().cloned().collect()
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch<'r>(recent: &'r RecentRequests, url: &str, start: Instant) -> RequestWatch<'r> {
        RequestWatch {
            recent,
            method: Method::GET,
            uri: url.parse().unwrap(),
            start,
        }
    }

    #[test]
    fn the_latest_failures_are_kept_and_long_texts_are_shortened() {
        let recent = RecentRequests::default();
        let error = Error::internal("x".repeat(2 * MAX_TEXT));
        for number in 0..KEPT + 5 {
            watch(&recent, &format!("/{number}"), Instant::now()).finish(Some(&error), "id");
        }
        let failed = recent.failed();
        assert_eq!(failed.len(), KEPT);
        assert_eq!(failed[0].url, format!("/{}", KEPT + 4));
        assert!(failed[0].message.chars().count() <= MAX_TEXT + 1);
    }

    /// PAGE-43
    #[test]
    fn values_that_somebody_has_entered_are_not_kept() {
        let recent = RecentRequests::default();
        let url = "http://h/users?email=a@b.example&token=secret&q=&sort=-id&rating[gte]=4&page=2";
        watch(&recent, url, Instant::now()).finish(Some(&Error::internal("")), "id");
        assert_eq!(
            recent.failed()[0].url,
            "/users?email=\u{2026}&token=\u{2026}&q=&sort=-id&rating[gte]=\u{2026}&page=2"
        );
    }

    #[test]
    fn only_slow_requests_and_server_errors_are_kept() {
        let recent = RecentRequests::default();
        watch(&recent, "/fast", Instant::now()).finish(Some(&Error::not_found()), "id");
        assert!(recent.slow().is_empty() && recent.failed().is_empty());
        if let Some(start) = Instant::now().checked_sub(2 * RecentRequests::SLOW) {
            watch(&recent, "/slow", start).finish(None, "id");
            assert_eq!(recent.slow()[0].url, "/slow");
        }
    }
}
