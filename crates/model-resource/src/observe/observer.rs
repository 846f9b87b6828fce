//! Observation of an api's requests.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::body::Body;
use http::Request;

use crate::observe::access_entry::AccessEntry;
use crate::observe::observation::Observation;
use crate::observe::observed_route::ObservedRoute;

/// Route of URLs that are not the api's.
const OTHER: &str = "other";

/// Observer of the requests of an api.
#[derive(Default)]
pub(crate) struct Observer {
    pub(crate) has_metrics: bool,
    pub(crate) has_access_log: bool,
    other: OnceLock<Arc<ObservedRoute>>,
}

/// Request whose observation has begun, before its route is known.
pub(crate) struct PendingObservation<'o> {
    observer: &'o Observer,
    start: Instant,
    access: Option<AccessEntry>,
}

impl Observer {
    /// Begins to observe a request, unless nothing is recorded.
    pub(crate) fn begin(
        &self,
        request: &Request<Body>,
        span: &tracing::Span,
        client: impl FnOnce(&Request<Body>) -> Option<IpAddr>,
    ) -> Option<PendingObservation<'_>> {
        let is_logged = self.has_access_log && AccessEntry::is_enabled();
        if !is_logged && !self.has_metrics {
            return None;
        }
        let access = is_logged.then(|| AccessEntry {
            method: request.method().clone(),
            uri: request.uri().clone(),
            client: client(request),
            user: Arc::default(),
            span: span.clone(),
        });
        Some(PendingObservation {
            observer: self,
            start: Instant::now(),
            access,
        })
    }
}

impl PendingObservation<'_> {
    /// Observes the request at a route of the api, or at another URL.
    pub(crate) fn at(self, route: Option<&Arc<ObservedRoute>>) -> Observation {
        let other = || {
            let create = || Arc::new(ObservedRoute::new(OTHER, OTHER, OTHER));
            self.observer.other.get_or_init(create)
        };
        let route = Arc::clone(route.unwrap_or_else(other));
        Observation::begin(self.start, route, self.observer.has_metrics, self.access)
    }
}
