//! State of one request on its way through decorators, loaders and the handler.

mod batch_check;
mod body;
mod caller;
mod checked_write;
mod content_coding;
mod db;
mod event;
mod extracted_body;
mod handover;
mod patched_row;
mod render_context;
mod request;
mod request_body;
mod sub_request;
mod transaction;
mod url;

pub use request::Context;

pub(crate) use batch_check::CheckTime;
pub(crate) use checked_write::WriteStore;
pub(crate) use content_coding::content_coding;
pub(crate) use event::CommitSink;
pub(crate) use handover::{Arrival, ItemStart, PendingCheck, PendingInsert, Verdict};
pub(crate) use patched_row::PatchedRow;
pub(crate) use render_context::RenderContext;
pub(crate) use request::LoadedObject;
pub(crate) use sub_request::SubRequest;
#[cfg(feature = "pages")]
pub(crate) use url::{external_path, outer_prefix};
