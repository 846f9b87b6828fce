//! State of one request on its way through decorators, loaders and the handler.

use std::any::Any;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock};

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, Method, Uri};
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::{Model, Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::serializer::CompiledSerializer;
use model_resource_schema::value::Value;
use model_resource_store::{MapRow, RowKey};

use crate::access::{Caller, CallerPolicies};
use crate::http::peer;
use crate::list::{ListRequest, PageStats};
use crate::observe::CallerSlot;
use crate::pipeline::api_state::ApiState;
use crate::pipeline::commit_queue::CommitQueue;
use crate::pipeline::context::db::Db;
use crate::pipeline::context::request_body::RequestBody;
use crate::pipeline::error::{Error, Result};
use crate::query::QueryString;
use crate::routing::{Operation, Params, UrlBinding};

/// State of one request: its parts, the objects loaded for it, and the services of the api.
///
/// Decorators take it by value, and hand it to the next one.
pub struct Context(pub(super) Box<ContextInner>);

pub(super) struct ContextInner {
    pub(super) parts: Parts,
    /// The mutex only makes references to a context `Send`, because a body is not `Sync`.
    pub(super) body: Mutex<RequestBody>,
    /// Stored here, because the context may leave the connection's task.
    pub(super) peer: Option<IpAddr>,
    pub(super) query: OnceLock<QueryString>,
    pub(super) params: Params,
    pub(super) operation: Option<Operation>,
    pub(super) binding: Arc<UrlBinding>,
    pub(super) services: Arc<ApiState>,
    pub(super) caller: Caller,
    /// Whether the authenticator has determined the caller.
    pub(super) is_authenticated: bool,
    /// Slot for the key of the caller, if the request is logged.
    pub(super) caller_slot: Option<CallerSlot>,
    /// Policies as they apply to the caller; filled in when they are first needed.
    pub(super) policies: OnceLock<Option<Arc<CallerPolicies>>>,
    pub(super) restrictions: Vec<(&'static Table, AnyWhere)>,
    pub(super) loaded: Loaded,
    pub(super) instances: Vec<(&'static Table, Record)>,
    pub(super) db: Db,
    /// Work that runs when the request has succeeded, if its engine or the transaction around it runs any.
    pub(super) commit_queue: Option<Arc<CommitQueue>>,
    pub(super) converted: Vec<(&'static str, Box<dyn Any + Send + Sync>)>,
}

impl Context {
    pub(crate) fn new(
        request: http::Request<Body>,
        params: Params,
        operation: Option<Operation>,
        binding: Arc<UrlBinding>,
        services: Arc<ApiState>,
    ) -> Self {
        let (parts, body) = request.into_parts();
        Self(Box::new(ContextInner {
            parts,
            body: Mutex::new(RequestBody::Stream(body)),
            peer: peer(),
            operation,
            query: OnceLock::new(),
            caller: Caller::anonymous().at_url(&params, &binding.unscoped),
            is_authenticated: false,
            caller_slot: None,
            policies: OnceLock::new(),
            params,
            binding,
            services,
            restrictions: Vec::new(),
            loaded: Loaded::default(),
            instances: Vec::new(),
            db: Db::Store,
            commit_queue: None,
            converted: Vec::new(),
        }))
    }

    /// The HTTP method.
    pub fn method(&self) -> &Method {
        &self.0.parts.method
    }

    /// Requested URL.
    pub fn uri(&self) -> &Uri {
        &self.0.parts.uri
    }

    /// Request headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.parts.headers
    }

    /// Address of the client. `None` if the request came by no connection, as in a test.
    ///
    /// This is the peer of the connection, as [`Server`](crate::Server) or axum's `ConnectInfo` reports it. If the peer
    /// is one of the api's [`trusted_proxies`](crate::Api::trusted_proxies), the address comes from the header that
    /// they write. The header of any other client is ignored.
    pub fn client_address(&self) -> Option<IpAddr> {
        let connected = self.0.parts.extensions.get();
        let connected = connected.map(|ConnectInfo(peer): &ConnectInfo<SocketAddr>| peer.ip());
        let peer = connected.or(self.0.peer)?;
        Some(self.0.services.proxies.client(peer, self.headers()))
    }

    /// Operation of the request. `None` in a view that `route` registered.
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// Application state of type `S`. `None` unless [`Api::with_state`](crate::Api::with_state) set it.
    ///
    /// Operations and views take it by axum's `State<S>`; this method is for decorators and
    /// [`FromContext`](crate::FromContext).
    pub fn state<S: Any>(&self) -> Option<&S> {
        self.0.services.handle.state()
    }

    /// URL parameters, as text.
    pub fn params(&self) -> &Params {
        &self.0.params
    }

    /// Parses a URL parameter; fails with 404 if it is not a valid `T`.
    ///
    /// ```
    /// # use model_resource::{Context, Result};
    /// async fn track(cx: Context) -> Result<String> {
    ///     let number: u32 = cx.param("number")?;
    ///     Ok(format!("track {number}"))
    /// }
    /// ```
    ///
    /// # Errors
    /// An internal error if the URL has no parameter of this name, which is a mistake of the program.
    pub fn param<T: FromStr>(&self, name: &str) -> Result<T> {
        let value = self.params().get(name).ok_or_else(|| {
            Error::internal(format!(
                "the URL has no parameter `{name}`: name one that the route declares"
            ))
        })?;
        value.parse().map_err(|_| Error::not_found())
    }

    /// First query parameter of this name, decoded.
    pub fn query(&self, name: &str) -> Option<String> {
        self.query_string().values(name).next().map(str::to_owned)
    }

    /// Replaces the URL, whose path matches the same route.
    #[cfg(feature = "pages")]
    pub(crate) fn set_uri(&mut self, uri: Uri) {
        self.0.parts.uri = uri;
        self.0.query = OnceLock::new();
    }

    /// Query of the URL, decoded when it is first needed.
    pub(crate) fn query_string(&self) -> &QueryString {
        self.0.query.get_or_init(|| QueryString::of(self.uri()))
    }

    /// Stores a value for later decorators and handlers; one value per type.
    pub fn insert_extension<T: Clone + Send + Sync + 'static>(&mut self, value: T) {
        self.0.parts.extensions.insert(value);
    }

    /// Value of this type that an earlier decorator stored.
    pub fn extension<T: Clone + Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.parts.extensions.get()
    }

    /// Query parameter that `param_converter` has converted.
    pub fn converted<T: 'static>(&self, name: &str) -> Option<&T> {
        let (_, value) = self.0.converted.iter().find(|(known, _)| *known == name)?;
        value.downcast_ref()
    }

    /// Instance of `M` that `param_converter` has loaded.
    pub fn loaded<M: Model>(&self) -> Option<M> {
        let to_model = |record: &Record| M::from_row(record).ok();
        self.0
            .instances
            .iter()
            .find(|(table, _)| table.id() == M::table().id())
            .and_then(|(_, record)| to_model(record))
    }

    /// Request parts, for axum's extractors.
    pub(crate) fn parts_mut(&mut self) -> &mut Parts {
        &mut self.0.parts
    }

    pub(crate) fn services(&self) -> &Arc<ApiState> {
        &self.0.services
    }

    /// Serializer that loaded the body, or else the registered one.
    pub(crate) fn load_serializer(&self, table: &'static Table) -> Result<&Arc<CompiledSerializer>> {
        let loaded = &self.0.loaded;
        let mut loading = loaded.handler_plan.get().into_iter().chain(&loaded.serializer);
        match loading.find(|serializer| serializer.table().id() == table.id()) {
            Some(serializer) => Ok(serializer),
            None => self.0.services.serializers.single(table),
        }
    }

    /// Sets the serializer by which a handler loads a draft, so that an update is checked by it again. The first one
    /// counts.
    pub(crate) fn set_load_serializer(&self, serializer: &Arc<CompiledSerializer>) {
        let _ = self.0.loaded.handler_plan.set(Arc::clone(serializer));
    }

    /// Maps the object that the URL identifies. Ends the request if it does not exist.
    pub(crate) async fn take_object<T: Send + 'static>(
        &mut self,
        table: &'static Table,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        match self.loaded_mut().object.take() {
            Some(LoadedObject::Row(record)) => Ok(keep(&record)),
            Some(LoadedObject::Key(key)) => {
                let permitted = self.access(table).permitted()?;
                let column = key.unique_column();
                let keep = move |row: &dyn Row| {
                    let value = column.map(|column| row.value(column).to_value());
                    (keep(row), value)
                };
                match self
                    .store_unchecked()
                    .find_any_with(permitted, key.clone(), keep)
                    .await?
                {
                    Some((kept, value)) => {
                        self.loaded_mut().url_value = value;
                        Ok(kept)
                    }
                    None => {
                        let access = self.access(table);
                        Err(Box::pin(access.why_not_permitted(access.scoped()?, key)).await)
                    }
                }
            }
            None => Err(Error::internal(
                "an operation needs the object of its URL, and no param_converter has run",
            )),
        }
    }

    /// Results of the automatic loaders.
    pub(crate) fn loaded_mut(&mut self) -> &mut Loaded {
        &mut self.0.loaded
    }

    /// Whether a handler has taken the draft.
    pub(crate) fn draft_is_taken(&self) -> bool {
        self.0.loaded.draft.is_none()
    }

    /// Errors of the body, until a handler takes them.
    pub(crate) fn undecided_errors(&self) -> Option<&Errors> {
        self.0.loaded.errors.as_ref().filter(|errors| !errors.is_empty())
    }

    pub(crate) fn add_instance(&mut self, table: &'static Table, record: Record) {
        self.0.instances.push((table, record));
    }

    pub(crate) fn add_converted(&mut self, name: &'static str, value: Box<dyn Any + Send + Sync>) {
        self.0.converted.push((name, value));
    }
}

/// Results of the loaders, until a handler takes them.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) object: Option<LoadedObject>,
    /// Stored value of the unique column by which the URL identified a row; absent for the primary key.
    pub(crate) url_value: Option<Value>,
    pub(crate) rows: Option<Arc<ListRequest>>,
    /// Outcome of reading the page, if a handler has read it.
    pub(crate) page_stats: Arc<OnceLock<PageStats>>,
    pub(crate) draft: Option<AnyDraft>,
    pub(crate) errors: Option<Errors>,
    /// Serializer that loaded the draft.
    pub(crate) serializer: Option<Arc<CompiledSerializer>>,
    /// Serializer by which a handler has loaded a draft itself.
    pub(crate) handler_plan: OnceLock<Arc<CompiledSerializer>>,
    /// Serializers whose batch checks run again in the transaction of a write, in the order of loading.
    pub(crate) write_checks: Mutex<Vec<Arc<CompiledSerializer>>>,
}

/// Object that a URL identifies. It is read lazily, because most operations need no copy of it.
#[derive(Clone)]
pub(crate) enum LoadedObject {
    Key(RowKey),
    Row(Record),
}
