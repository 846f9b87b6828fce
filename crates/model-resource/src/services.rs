//! What all requests of an api share: the records, the serializers, the limits.

use std::any::Any;
use std::sync::Arc;

use foldhash::HashMap;
use model_resource_schema::column::Table;
use model_resource_schema::serializer::Plan;
use model_resource_store::Store;

use crate::address::Proxies;
use crate::error::{Error, Result};
use crate::policy::Policies;
use crate::query::{CursorKey, QueryDialect};
use crate::url::Urls;

/// What every request of an api shares.
pub(crate) struct Services {
    pub(crate) store: Option<Store>,
    pub(crate) serializers: Serializers,
    pub(crate) urls: Urls,
    pub(crate) body_limit: usize,
    pub(crate) cursor_key: CursorKey,
    pub(crate) dialect: QueryDialect,
    pub(crate) policies: Arc<Policies>,
    pub(crate) proxies: Proxies,
    /// The prefix that a proxy strips; empty if none does.
    pub(crate) mount: String,
    /// What tells who asks, for handlers that use it besides.
    pub(crate) security: Option<Arc<dyn Any + Send + Sync>>,
}

/// The registered serializers, by their model's table.
#[derive(Default)]
pub(crate) struct Serializers(HashMap<usize, SerializerSet>);

/// The serializers of one model.
#[derive(Default, Clone)]
pub(crate) struct SerializerSet {
    pub(crate) single: Option<Arc<Plan>>,
    pub(crate) many: Option<Arc<Plan>>,
    pub(crate) create: Option<Arc<Plan>>,
}

impl Serializers {
    pub(crate) fn of(&self, table: &'static Table) -> Option<&SerializerSet> {
        self.0.get(&std::ptr::from_ref(table).addr())
    }

    pub(crate) fn entry(&mut self, table: &'static Table) -> &mut SerializerSet {
        self.0.entry(std::ptr::from_ref(table).addr()).or_default()
    }

    /// The serializer for single instances of a model.
    pub(crate) fn single(&self, table: &'static Table) -> Result<&Arc<Plan>> {
        let plan = self.of(table).and_then(|set| set.single.as_ref());
        plan.ok_or_else(|| Error::internal(format!("no serializer is registered for {}", table.model)))
    }

    /// The serializer for lists of a model.
    pub(crate) fn many(&self, table: &'static Table) -> Result<&Arc<Plan>> {
        let many = self.of(table).and_then(|set| set.many.as_ref());
        many.map_or_else(|| self.single(table), Ok)
    }
}
