//! Measurement of one request.

use std::sync::Arc;
use std::time::Instant;

use crate::observe::access_entry::{AccessEntry, CallerSlot};
use crate::observe::observed_route::ObservedRoute;

/// Status of a request whose client disconnects before the response, as proxies log it.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Measurement of one request, from its headers to the end of its response. If it is dropped before, the client has
/// disconnected.
pub(crate) struct Observation {
    start: Instant,
    route: Arc<ObservedRoute>,
    has_metrics: bool,
    access: Option<AccessEntry>,
    status: u16,
    bytes: u64,
}

impl Observation {
    pub(super) fn begin(
        start: Instant,
        route: Arc<ObservedRoute>,
        has_metrics: bool,
        access: Option<AccessEntry>,
    ) -> Self {
        if has_metrics {
            route.begin();
        }
        Self {
            start,
            route,
            has_metrics,
            access,
            status: CLIENT_CLOSED_REQUEST,
            bytes: 0,
        }
    }

    /// Slot for the key of the caller, if the access log needs it.
    pub(crate) fn caller_slot(&self) -> Option<CallerSlot> {
        self.access.as_ref().map(|access| Arc::clone(&access.user))
    }

    /// Sets the status of the response.
    pub(super) fn set_status(&mut self, status: u16) {
        self.status = status;
    }

    pub(super) fn add_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        let duration = self.start.elapsed();
        if self.has_metrics {
            self.route.end(self.status, duration);
        }
        if let Some(access) = &self.access {
            access.log(&self.route.template, self.status, duration, self.bytes);
        }
    }
}
