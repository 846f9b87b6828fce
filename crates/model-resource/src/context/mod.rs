//! One request on its way through decorators, loaders and the handler.

mod access;
mod batch_check;
mod handover;
mod loaded;
mod part;
mod place;
mod render_context;
mod request;
mod session;
mod transaction;
mod url;

pub(crate) use handover::Arrival;
pub(crate) use loaded::Object;
pub(crate) use part::Part;
pub(crate) use place::Place;
pub(crate) use render_context::RenderContext;
pub use request::Context;
