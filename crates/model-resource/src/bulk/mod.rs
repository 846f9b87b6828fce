//! Bulk operations: many objects in one request and one transaction, named by their keys or selected by filters. Each item passes through the same decorators,
//! serializers and handlers as a single request.

mod body;
mod bulk_url;
mod filter;
mod options;
mod outcome;
mod run;
mod transaction;
mod write;

pub(crate) use bulk_url::{Bulk, BulkItemUrl};
pub(crate) use filter::selection;
pub(crate) use options::BulkOptions;
