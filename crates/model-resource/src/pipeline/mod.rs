//! Request pipeline: dispatch, decorators, and the state of one request.

mod api_handle;
mod api_state;
mod caching;
mod commit_queue;
mod context;
mod cpu_bound;
mod cpu_queue;
mod decorator;
mod dispatch;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod driver_errors;
mod error;
mod line_interval;
#[cfg(feature = "pages")]
mod recent;
mod respond;
mod retry;
mod unavailable_log;

pub use api_handle::ApiHandle;
pub use context::Context;
#[cfg(feature = "openapi")]
pub(crate) use cpu_bound::build_document;
#[cfg(feature = "prometheus")]
pub(crate) use cpu_bound::cpu_pool_status;
pub use cpu_bound::{run_cpu_bound, run_cpu_bound_at};
pub use decorator::{Decorator, Next, UrlParameter};
pub use error::{Error, ErrorKind, Result};

pub(crate) use api_handle::States;
pub(crate) use api_state::{ApiParts, ApiState, ModelSerializers, Serializers};
pub(crate) use caching::{Caching, may_contain_secret};
pub(crate) use commit_queue::{CommitQueue, CommitWork};
pub(crate) use context::{
    Arrival, CheckTime, CommitSink, ItemStart, LoadedObject, PatchedRow, PendingCheck, PendingInsert,
    RenderContext, SubRequest, Verdict, WriteStore, content_coding,
};
#[cfg(feature = "pages")]
pub(crate) use context::{external_path, outer_prefix};
pub(crate) use decorator::{Chain, Handler};
pub(crate) use dispatch::{Engine, Lookup};
pub(crate) use line_interval::log_cut_off;
#[cfg(feature = "pages")]
pub(crate) use recent::RecentRequests;
pub(crate) use respond::respond;
pub(crate) use retry::{MAX_ATTEMPTS, pause_before};
pub(crate) use unavailable_log::UnavailableLog;
