//! State of one request on its way through decorators, loaders and the handler.

mod access;
mod batch_check;
mod checked_write;
mod db;
mod handover;
mod loaded;
mod render_context;
mod request;
mod scope;
mod sub_request;
mod transaction;
mod url;
mod url_binding;

pub(crate) use batch_check::CheckTime;
pub(crate) use checked_write::WriteStore;
pub(crate) use handover::Arrival;
pub(crate) use loaded::LoadedObject;
pub(crate) use render_context::RenderContext;
pub use request::Context;
pub(crate) use sub_request::SubRequest;
pub(crate) use url_binding::{ItemUrl, KeyParameter, Parent, UrlBinding};
