//! Route and method of a request, with the handles of their metrics.

use std::time::Duration;

use metrics::{Gauge, Histogram, Label, gauge, histogram};

use crate::observe::status_counters::StatusCounters;

/// Route and method with the handles of their metrics. Created at the first request, so that a request looks up no
/// metric by its labels, and the recorder may be installed after the api is compiled.
pub(crate) struct ObservedRoute {
    /// URL of the route, such as `/articles/<int:id>`.
    pub(super) template: String,
    statuses: StatusCounters,
    duration: Histogram,
    in_flight: Gauge,
}

impl ObservedRoute {
    /// Creates the handles of a route. The names have few values: labels that clients choose would fill the memory.
    pub(crate) fn new(template: &str, method: &'static str, operation: &'static str) -> Self {
        let labels = vec![
            Label::new("route", template.to_owned()),
            Label::from_static_parts("method", method),
            Label::from_static_parts("operation", operation),
        ];
        Self {
            template: template.to_owned(),
            duration: histogram!("http_request_duration_seconds", labels.clone()),
            in_flight: gauge!("http_requests_in_flight", labels.clone()),
            statuses: StatusCounters::new(labels),
        }
    }

    pub(super) fn begin(&self) {
        self.in_flight.increment(1.0);
    }

    pub(super) fn end(&self, status: u16, duration: Duration) {
        self.in_flight.decrement(1.0);
        self.statuses.count(status);
        self.duration.record(duration);
    }
}
