//! Many objects in one request: each goes the way of a request of its own, through the same decorators, serializers and
//! handlers, inside one transaction for all of them.

mod body;
mod options;
mod outcome;
mod run;
mod write;

pub(crate) use options::BulkOptions;
pub(crate) use write::{Bulk, BulkItemUrl};
