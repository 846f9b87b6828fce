//! Log of requests that found the service unavailable: one line per interval, however many there are.

use std::time::Instant;

use http::Method;

use crate::pipeline::error::Error;
use crate::pipeline::line_interval::LineInterval;
use crate::routing::Route;

/// Log of requests that found the service unavailable.
#[derive(Default)]
pub(crate) struct UnavailableLog(LineInterval);

impl UnavailableLog {
    /// Logs the failure of a request, unless another was logged shortly before.
    pub(crate) fn log(&self, error: &Error, method: &Method, route: &Route) {
        let Some(others) = self.0.due(Instant::now()) else {
            return;
        };
        let url = route.rule.as_str();
        tracing::error!(%method, url, cause = %error, others, "the service is unavailable");
        // Without a subscriber the cause would be lost, and a first application rarely has one.
        if !tracing::dispatcher::has_been_set() {
            eprintln!("the service is unavailable: {method} {url}: {error}");
        }
    }
}
