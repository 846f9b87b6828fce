//! Routes that the registrations of an api are compiled to.

use std::sync::Arc;

use crate::routing::{ItemColumns, Operation, Route, UrlTree, Urls};

/// Routes of an api.
pub(super) struct CompiledRoutes {
    /// Routes in the order of registration.
    pub(super) routes: Vec<Arc<Route>>,
    pub(super) tree: UrlTree<Arc<Route>>,
    pub(super) urls: Urls,
    /// Resources with automatic operations that are not served, because their loading decorators are disabled.
    pub(super) unloaded: Vec<(&'static str, Vec<Operation>)>,
}

/// Routes of one registration.
pub(super) struct RegisteredRoutes {
    pub(super) routes: Vec<Route>,
    /// Automatic operations that are not served, because their loading decorators are disabled.
    pub(super) unloaded: Vec<Operation>,
}

impl CompiledRoutes {
    /// Logs the operations that clients get a 405 for, although the resource does not exclude them.
    pub(super) fn log_unloaded_operations(&self) {
        for (resource, operations) in &self.unloaded {
            let operations: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
            let operations = operations.join(", ");
            let message = "automatic operations are not served, because their loading decorators are disabled: define them in \
                           the resource, or list them in EXCLUDE_METHODS";
            tracing::warn!(resource, operations, message);
            // Without a subscriber the warning would be lost.
            if !tracing::dispatcher::has_been_set() {
                eprintln!("{resource} ({operations}): {message}");
            }
        }
    }

    /// Columns by which the item URLs of each model identify rows.
    pub(super) fn item_columns(&self) -> ItemColumns {
        let mut columns = ItemColumns::default();
        for route in &self.routes {
            let (binding, pattern) = (&route.binding, route.rule.key_pattern());
            if let (Some(table), Some(key), Some(pattern)) = (binding.table, binding.key, pattern) {
                columns.insert(table, key.column, pattern);
            }
        }
        columns
    }
}
