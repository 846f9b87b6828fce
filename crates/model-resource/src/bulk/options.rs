//! Bulk options of a resource.

use std::sync::Arc;

use http::Method;
use model_resource_schema::serializer::CompiledSerializer;

use crate::pipeline::Chain;
use crate::routing::{CREATE, DELETE, Operation, Operations, PATCH, PUT};

/// Bulk options of a resource.
pub(crate) struct BulkOptions {
    /// Operations that may be applied to many objects.
    pub(crate) operations: Operations,
    /// Operations that may be applied to the objects that filters select.
    pub(crate) filtered: Operations,
    /// Chain that selects these objects, as the list does.
    pub(crate) selection: Option<Arc<Chain>>,
    /// Maximum objects per request.
    pub(crate) max_items: usize,
    /// Serializer of new objects.
    pub(crate) create: Arc<CompiledSerializer>,
    /// Serializer of updates.
    pub(crate) update: Arc<CompiledSerializer>,
}

impl BulkOptions {
    /// Rejects options that do not fit the operations the resource supports.
    pub(crate) fn check(&self, is_supported: impl Fn(Operation) -> bool) -> Result<(), String> {
        let is_included = |operation: &Operation| self.operations.contains(*operation);
        if let Some(read) = [Operation::Get, Operation::List]
            .iter()
            .find(|read| is_included(read))
        {
            return Err(format!(
                "BULK_METHODS names `{read}`, which writes nothing: it takes CREATE, PUT, PATCH and DELETE"
            ));
        }
        let mut written = [CREATE, PUT, PATCH, DELETE].into_iter().filter(is_included);
        if let Some(operation) = written.find(|operation| !is_supported(*operation)) {
            return Err(format!(
                "BULK_METHODS names `{operation}`, which the resource does not support"
            ));
        }
        self.check_filtered(is_supported)?;
        match self.max_items {
            0 => Err("MAX_BULK must be at least 1".to_owned()),
            _ => Ok(()),
        }
    }

    fn check_filtered(&self, is_supported: impl Fn(Operation) -> bool) -> Result<(), String> {
        let mut named = [Operation::Get, Operation::List, CREATE, PUT]
            .into_iter()
            .filter(|operation| self.filtered.contains(*operation));
        if let Some(operation) = named.next() {
            return Err(format!(
                "FILTER_METHODS names `{operation}`: it takes PATCH and DELETE"
            ));
        }
        let mut named = [PATCH, DELETE]
            .into_iter()
            .filter(|operation| self.filtered.contains(*operation));
        if let Some(operation) = named.find(|operation| !is_supported(*operation)) {
            return Err(format!(
                "FILTER_METHODS names `{operation}`, which the resource does not support"
            ));
        }
        if self.filtered != Operations::NONE && self.selection.is_none() {
            return Err(
                "FILTER_METHODS selects objects as the automatic list does, and the resource has none: \
                        support LIST, without a custom `list` and with its loader"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Whether the items of a body can be identified by this column, if an operation needs that.
    pub(crate) fn identifies_by(&self, column: usize) -> bool {
        let updates = [PUT, PATCH]
            .iter()
            .any(|operation| self.operations.contains(*operation));
        !updates
            || self
                .update
                .takes(&self.update.table().columns[column].wire_name())
    }

    /// Whether one of the operations needs an item URL.
    pub(crate) fn needs_item(&self) -> bool {
        [PUT, PATCH, DELETE]
            .iter()
            .any(|operation| self.operations.contains(*operation) || self.filtered.contains(*operation))
    }

    /// Bulk operation of a method at a collection URL, if it is allowed.
    pub(super) fn operation(&self, method: &Method) -> Option<Operation> {
        let operation = match *method {
            Method::POST => CREATE,
            Method::PUT => PUT,
            Method::PATCH => PATCH,
            Method::DELETE => DELETE,
            _ => return None,
        };
        (self.operations.contains(operation) || self.filtered.contains(operation)).then_some(operation)
    }

    /// Serializer of an operation's items.
    pub(crate) fn plan(&self, operation: Operation) -> &CompiledSerializer {
        match operation {
            Operation::Create => &self.create,
            _ => &self.update,
        }
    }
}
