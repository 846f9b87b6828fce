//! Registered resources and views.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::description::HandlerSchemas;
use crate::pipeline::Chain;
use crate::resource::{Registration, ResourceSpec};

/// Registered resource or view.
pub(super) struct Registered {
    pub(super) name: &'static str,
    pub(super) registration: Registration,
    pub(super) kind: RegisteredKind,
}

pub(super) enum RegisteredKind {
    Resource(Box<ResourceSpec>),
    View(Arc<Chain>, Option<Arc<HandlerSchemas>>),
}

impl Registered {
    /// Declarations of the resource; `None` for a view.
    pub(super) fn resource(&self) -> Option<&ResourceSpec> {
        match &self.kind {
            RegisteredKind::Resource(spec) => Some(spec),
            RegisteredKind::View(..) => None,
        }
    }

    /// Whether it is a resource of this model.
    pub(super) fn serves(&self, model: &'static Table) -> bool {
        self.resource().is_some_and(|spec| spec.table.id() == model.id())
    }
}
