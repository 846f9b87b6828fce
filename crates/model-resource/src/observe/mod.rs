//! Observation of requests: metrics, the access log and trace contexts.

mod access_entry;
#[cfg(feature = "log")]
mod background_writer;
#[cfg(feature = "log")]
mod log;
mod observation;
mod observed_body;
mod observed_route;
mod observer;
mod status_counters;
mod trace_context;

#[cfg(feature = "log")]
pub use log::{LogFormat, LogGuard, LogSettings};
pub use trace_context::TraceContext;

pub(crate) use access_entry::CallerSlot;
#[cfg(feature = "server")]
pub(crate) use access_entry::log_rejected_head;
pub(crate) use observed_route::ObservedRoute;
pub(crate) use observer::Observer;
pub(crate) use trace_context::TRACEPARENT;
