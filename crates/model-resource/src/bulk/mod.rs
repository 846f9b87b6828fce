//! Bulk operations: many objects in one request and one transaction. Each item passes through the same decorators,
//! serializers and handlers as a single request.

mod body;
mod options;
mod outcome;
mod run;
mod write;

pub(crate) use options::BulkOptions;
pub(crate) use write::{Bulk, BulkItemUrl};
