//! Loading decorators: resolve URLs and bodies to rows and drafts before the handler runs.

mod body;
mod list;
mod object;
mod param;

pub use body::{patch_loader, post_loader, put_loader};
pub use list::list_loader;
pub use param::{ParamConverter, one_of, param_converter, parse};

pub(crate) use body::{BodyBase, BodyLoader};
pub(crate) use list::ListLoader;
pub(crate) use object::ObjectLoader;
