//! Collection URLs with bulk writes, and the items of a request.

use std::sync::Arc;

use http::Method;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::ObjectVersion;

use crate::bulk::options::BulkOptions;
use crate::pipeline::Result;
use crate::routing::{Operation, Rule, UrlBinding};

/// Bulk writes at a collection URL.
pub(crate) struct Bulk {
    pub(crate) options: Arc<BulkOptions>,
    /// URL of one object; without it only new objects are written.
    pub(crate) item: Option<BulkItemUrl>,
}

/// URL that each item is written at.
pub(crate) struct BulkItemUrl {
    pub(crate) rule: Rule,
    pub(crate) binding: Arc<UrlBinding>,
    /// Column that identifies an object in the URL, the body and the query.
    pub(crate) column: usize,
}

/// Item that is to be written.
#[derive(Clone)]
pub(super) struct BulkTarget {
    pub(super) position: usize,
    /// Request of the item, or its errors.
    pub(super) request: Result<ItemRequest, Errors>,
}

/// Request of one item.
#[derive(Clone, Default)]
pub(super) struct ItemRequest {
    /// Key, unless the object is new.
    pub(super) key: Option<String>,
    /// JSON object; empty for a deletion.
    pub(super) body: Arc<str>,
    /// Version that the request is about, if the object has one.
    pub(super) version: Option<ObjectVersion>,
}

impl Bulk {
    /// Bulk operation of a method, if it is allowed here.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        let operation = self.options.operation(method)?;
        (operation == Operation::Create || self.item.is_some()).then_some(operation)
    }

    /// Column that identifies an object.
    pub(crate) fn key_column(&self) -> usize {
        let item = self.item.as_ref();
        item.map_or(self.options.update.table().primary_key, |item| item.column)
    }
}
