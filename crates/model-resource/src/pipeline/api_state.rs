//! State shared by all requests of an api: the store, the serializers, the limits.

use std::any::{Any, TypeId};
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};
use model_resource_schema::model::Model;
use model_resource_schema::serializer::{CompiledSerializer, DefaultSerializer, RegisteredSerializer};
use model_resource_store::Store;

use crate::access::Policies;
use crate::conditional::{ListTagKey, RowTagKey};
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::description::ApiDescription;
use crate::events::Subscribers;
use crate::http::TrustedProxies;
use crate::idempotency::IdempotencyKeys;
use crate::list::{CursorKey, SearchLimiter};
#[cfg(feature = "openapi")]
use crate::openapi::OpenApiSettings;
use crate::pipeline::api_handle::ApiHandle;
use crate::pipeline::error::{Error, Result};
use crate::query::{QueryBudget, QuerySyntax};
use crate::routing::{ItemColumns, Urls};
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::{
    access::Caller,
    description::{Describer, DescriptionKey},
    routing::{BuiltInUrl, Rule},
};

/// State of an api for a request: its store, and the parts that all requests share.
pub(crate) struct ApiState {
    /// Store of the api, or that of the request's transaction.
    pub(crate) store: Option<Store>,
    pub(crate) parts: Arc<ApiParts>,
}

impl ApiState {
    pub(crate) fn new(store: Option<Store>, parts: ApiParts) -> Self {
        let parts = Arc::new(parts);
        Self { store, parts }
    }

    /// Returns the state with another store.
    pub(crate) fn with_store(&self, store: Store) -> Self {
        Self {
            store: Some(store),
            parts: Arc::clone(&self.parts),
        }
    }
}

impl Deref for ApiState {
    type Target = ApiParts;

    fn deref(&self) -> &ApiParts {
        &self.parts
    }
}

/// State shared by all requests of an api.
pub(crate) struct ApiParts {
    pub(crate) serializers: Serializers,
    /// Store and states of the application, for code outside of a request.
    pub(crate) handle: ApiHandle,
    /// Subscribers of writes.
    pub(crate) subscribers: Subscribers,
    pub(crate) urls: Urls,
    pub(crate) item_columns: ItemColumns,
    pub(crate) body_limit: usize,
    pub(crate) cursor_key: CursorKey,
    /// Key of the tags of row versions.
    pub(crate) row_tags: RowTagKey,
    pub(crate) list_tags: ListTagKey,
    pub(crate) idempotency: IdempotencyKeys,
    pub(crate) query_syntax: QuerySyntax,
    pub(crate) query_budget: QueryBudget,
    /// Limit of the searches that one caller runs at the same time.
    pub(crate) searches: Option<Arc<SearchLimiter>>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) proxies: TrustedProxies,
    /// Prefix that a proxy strips; empty if none does.
    pub(crate) mount: String,
    /// Authenticator, for handlers that use more of it than the caller.
    pub(crate) authenticator: Option<Arc<dyn Any + Send + Sync>>,
    /// Source of the api's descriptions.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    pub(crate) describer: Describer,
    /// URLs of the views of the framework itself.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    pub(crate) built_in: Vec<BuiltInUrl>,
    /// Settings of the OpenAPI document.
    #[cfg(feature = "openapi")]
    pub(crate) openapi: OpenApiSettings,
}

#[cfg(any(feature = "openapi", feature = "pages"))]
impl ApiParts {
    /// Key of a caller's description.
    pub(crate) fn description_key(&self, caller: &Caller) -> DescriptionKey {
        self.describer.key(&self.policies, caller)
    }

    /// Documents that describe the api, with their names and link relations.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'static str, &'static str, &Rule)> {
        let documents = self.built_in.iter();
        documents.filter_map(|url| url.document.map(|(name, relation)| (name, relation, &url.rule)))
    }

    /// Description of what a caller can use.
    pub(crate) fn description_for(&self, caller: &Caller) -> Arc<ApiDescription> {
        self.describer.cached(&self.description_key(caller))
    }
}

/// Serializers of an api.
#[derive(Default)]
pub(crate) struct Serializers {
    /// Registered serializers, by their model's table.
    by_table: HashMap<TableId, ModelSerializers>,
    /// Registered serializers and those that handlers use, by their type.
    by_type: RwLock<HashMap<TypeId, Arc<CompiledSerializer>>>,
    /// Serializers of models that have none of their own, by their table.
    defaults: HashMap<TableId, Result<Arc<CompiledSerializer>, String>>,
}

/// Serializers of one model.
#[derive(Default, Clone)]
pub(crate) struct ModelSerializers {
    pub(crate) single: Option<Arc<CompiledSerializer>>,
    pub(crate) many: Option<Arc<CompiledSerializer>>,
    pub(crate) create: Option<Arc<CompiledSerializer>>,
}

impl Serializers {
    pub(crate) fn of(&self, table: &'static Table) -> Option<&ModelSerializers> {
        self.by_table.get(&table.id())
    }

    /// Adds the default serializer of a model, which is used where no other is registered.
    pub(crate) fn add_default<M: Model>(&mut self) {
        let compile = || CompiledSerializer::new::<DefaultSerializer<M>>().map(Arc::new);
        self.defaults.entry(M::table().id()).or_insert_with(compile);
    }

    /// The serializers of a model, completed by the default one.
    pub(crate) fn completed(&self, table: &'static Table) -> Result<ModelSerializers, String> {
        let mut serializers = self.of(table).cloned().unwrap_or_default();
        if let (None, Some(default)) = (&serializers.single, self.defaults.get(&table.id())) {
            serializers.single = Some(default.clone()?);
        }
        Ok(serializers)
    }

    pub(crate) fn entry(&mut self, table: &'static Table) -> &mut ModelSerializers {
        self.by_table.entry(table.id()).or_default()
    }

    /// Registered serializers, in no order.
    pub(crate) fn registered(&self) -> impl Iterator<Item = &Arc<CompiledSerializer>> {
        let sets = self.by_table.values();
        sets.flat_map(|set| [&set.single, &set.many, &set.create].into_iter().flatten())
    }

    /// Serializer for single instances of a model.
    pub(crate) fn single(&self, table: &'static Table) -> Result<&Arc<CompiledSerializer>> {
        let single = self.of(table).and_then(|set| set.single.as_ref());
        let default = || self.defaults.get(&table.id())?.as_ref().ok();
        single.or_else(default).ok_or_else(|| {
            Error::internal(format!(
                "no serializer is registered for {}: add `.serializer::<..>()` to the api",
                table.model
            ))
        })
    }

    /// Serializer for lists of a model.
    pub(crate) fn many(&self, table: &'static Table) -> Result<&Arc<CompiledSerializer>> {
        let many = self.of(table).and_then(|set| set.many.as_ref());
        many.map_or_else(|| self.single(table), Ok)
    }

    /// Serializer for creating instances of a model.
    pub(crate) fn create(&self, table: &'static Table) -> Result<&Arc<CompiledSerializer>> {
        let create = self.of(table).and_then(|set| set.create.as_ref());
        create.map_or_else(|| self.single(table), Ok)
    }

    /// Serializer of a type, compiled at its first use.
    pub(crate) fn by_type<S: RegisteredSerializer>(&self) -> Result<Arc<CompiledSerializer>> {
        let known = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = known.get(&TypeId::of::<S>()) {
            return Ok(Arc::clone(plan));
        }
        drop(known);
        let plan = Arc::new(CompiledSerializer::new::<S>().map_err(Error::internal)?);
        self.insert(TypeId::of::<S>(), Arc::clone(&plan));
        Ok(plan)
    }

    /// Whether the serializer of this type is registered or was used.
    pub(crate) fn knows(&self, id: TypeId) -> bool {
        let known = self.by_type.read().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(&id)
    }

    /// Stores the serializer of a type.
    pub(crate) fn insert(&self, id: TypeId, plan: Arc<CompiledSerializer>) {
        let mut known = self.by_type.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(id, plan);
    }
}
