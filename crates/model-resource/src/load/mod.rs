//! Loading decorators: resolve URLs and bodies to rows and drafts before the handler runs.

mod batch;
mod body;
mod body_text;
mod caller_check;
mod children;
mod links;
mod list;
mod object;
mod param;
mod patch;
mod read;
mod related_rows;

pub use batch::{Batch, BatchErrors, ValidateBatch};
pub use body::{patch_loader, post_loader, put_loader};
pub use caller_check::ValidateForCaller;
pub use list::list_loader;
pub use param::{ParamConverter, one_of, param_converter, parse};

pub(crate) use batch::{BatchScope, check_batch};
pub(crate) use body::{BodyBase, BodyLoader};
pub(crate) use body_text::{Media, is_merge_patch, json_text, text_in};
pub(crate) use caller_check::check_for_caller;
pub(crate) use children::read;
pub(crate) use list::ListLoader;
pub(crate) use object::ObjectLoader;
pub(crate) use patch::ACCEPT_PATCH;
pub(crate) use read::{convert, fixed_columns};
