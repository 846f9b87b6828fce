//! Upserts: writes that create an object or change the one that exists.
//!
//! Each is two operations of the resource, one after the other, with all of their decorators and policies.

mod merge_duplicates;
mod put_creates;

#[cfg(feature = "openapi")]
pub(crate) use merge_duplicates::MERGE_DUPLICATES;
pub(crate) use merge_duplicates::{FindDuplicate, MergeDuplicates};
#[cfg(feature = "openapi")]
pub(crate) use put_creates::PUT_CREATES;
pub(crate) use put_creates::PutCreates;

use crate::pipeline::Error;

/// Maximum attempts to write an object that concurrent requests keep creating and deleting.
const MAX_ATTEMPTS: usize = 3;

/// Whether an object was rejected because another one has its unique values.
fn is_duplicate(error: &Error) -> bool {
    let code = model_resource_schema::message::code::UNIQUE;
    error.errors().is_some_and(|errors| errors.has_code(code))
}
