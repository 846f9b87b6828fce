//! Action with everything that its descriptions are made from.

use std::sync::Arc;

use model_resource_schema::serializer::CompiledSerializer;

use crate::description::action::ActionDescription;
use crate::query::ListOptions;
use crate::routing::{ActionDocs, Operation, UrlBinding};

/// Action with everything that its descriptions are made from.
pub(crate) struct DescribedAction {
    /// Description without texts, and without rows, objects and lists, which depend on the caller.
    pub(crate) base: ActionDescription,
    pub(crate) docs: ActionDocs,
    /// Position of the action's chain.
    pub(crate) chain: usize,
    pub(crate) binding: Arc<UrlBinding>,
    /// Whether a loader applies the policy of the model.
    pub(crate) is_loaded: bool,
    pub(crate) has_policy: bool,
    /// Column that identifies the objects of a request about many.
    pub(crate) bulk_column: Option<usize>,
    pub(crate) request: Option<Arc<CompiledSerializer>>,
    pub(crate) response: Option<Arc<CompiledSerializer>>,
    pub(crate) list: Option<Arc<ListOptions>>,
}

impl DescribedAction {
    pub(super) fn operation(&self) -> Option<Operation> {
        self.base.route.operation
    }
}
