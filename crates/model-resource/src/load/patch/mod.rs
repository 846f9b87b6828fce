//! Formats of patches other than an object with the new values.

mod apply;
mod increment;
mod json_patch;
mod json_pointer;
mod merge_patch;

pub(crate) use apply::ACCEPT_PATCH;
pub(super) use apply::RowPatch;
