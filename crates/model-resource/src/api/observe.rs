//! Metrics and the access log of an api.

use crate::api::builder::Api;

impl Api {
    /// Counts and measures every request by the crate `metrics`: `http_requests_total` by status,
    /// `http_request_duration_seconds` and `http_requests_in_flight`, each by route, method and operation.
    ///
    /// The recorder of the process, such as [`Metrics`](crate::Metrics), must be installed before the first request.
    pub fn metrics(mut self) -> Self {
        self.observer.has_metrics = true;
        self
    }

    /// Logs a line at level `info` with the target `access` for every request: its method, path, route, status,
    /// duration in milliseconds, bytes, user and client address. The span of the line has the request's id. Query
    /// strings are not logged, because their values may be secret.
    ///
    /// A filter of the log can disable the lines, such as `info,access=off`.
    pub fn access_log(mut self) -> Self {
        self.observer.has_access_log = true;
        self
    }
}
