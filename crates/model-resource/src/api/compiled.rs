//! Compiled api: its routes and URLs, and the service.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::{HeaderValue, Method};
use model_resource_store::Store;

use crate::access::{ActionAccess, AnyAuthenticate, CallersFirst, KnownCallers};
use crate::api::builder::Api;
use crate::api::compiled_routes::CompiledRoutes;
use crate::api::startup_errors::StartupErrors;
use crate::conditional::{ListTagKey, RowTagKey};
use crate::description::RouteInfo;
use crate::http::{ApiService, Timeout, UnknownUrls};
use crate::idempotency::IdempotencyKeys;
use crate::list::CursorKey;
#[cfg(feature = "pages")]
use crate::pipeline::RecentRequests;
use crate::pipeline::{ApiHandle, ApiParts, ApiState, Caching, Engine, UnavailableLog};
use crate::routing::{Action, ActionSource, Route};

/// Api whose registrations are compiled and checked; see [`Api::compile`].
///
/// It can be inspected without a store, and served with one.
pub struct CompiledApi {
    pub(super) api: Api,
    pub(super) compiled: CompiledRoutes,
}

impl CompiledApi {
    /// Every URL and method that the api answers, in the order of registration.
    pub fn routes(&self) -> Vec<RouteInfo> {
        self.answered()
            .map(|(route, method, action)| RouteInfo::of(&route.rule, method, action))
            .collect()
    }

    /// Methods that the application answers by an action, in the order of registration. OPTIONS is answered at every
    /// URL.
    pub(super) fn answered(&self) -> impl Iterator<Item = (&Route, &Method, &Action)> {
        let routes = self.compiled.routes.iter();
        let actions = routes.flat_map(|route| {
            let actions = route.actions();
            actions.map(move |(method, action)| (&**route, method, &**action))
        });
        let is_own = |action: &Action| action.source == ActionSource::Application;
        actions.filter(move |(_, method, action)| **method != Method::OPTIONS && is_own(action))
    }

    /// Lists the writes that are open to anyone, for an application with an authenticator to report at startup: those
    /// of resources with `PUBLIC`, creates that a policy allows to anyone, and views without a guard. A guard that lets
    /// anonymous callers pass, for example to sign up, is not listed.
    pub fn public_writes(&self) -> Vec<RouteInfo> {
        let routes = self.routes().into_iter();
        routes
            .filter(|route| route.access == ActionAccess::PublicWrite)
            .collect()
    }

    /// Builds the URL of an endpoint: `api.url_for("user_resource", [("id", 1)])`.
    ///
    /// # Errors
    /// If there is no endpoint of this name with these parameters.
    pub fn url_for<V: std::fmt::Display>(
        &self,
        endpoint: &str,
        params: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Result<String, String> {
        self.compiled.urls.url_for(endpoint, params)
    }

    /// Sets the store that the api serves, like [`Api::store`].
    #[must_use]
    pub fn store(self, store: Store) -> Self {
        Self {
            api: self.api.store(store),
            ..self
        }
    }

    /// Converts the api to a service, like [`Api::into_service`].
    ///
    /// # Panics
    /// If the api has resources but no store.
    #[track_caller]
    pub fn into_service(self) -> ApiService {
        if let Some(mistake) = self.api.missing_store() {
            panic!("{}", StartupErrors::new(vec![mistake]));
        }
        self.service()
    }

    fn service(self) -> ApiService {
        #[cfg(any(feature = "openapi", feature = "pages"))]
        let describer = self.describer();
        #[cfg(feature = "openapi")]
        let openapi = self.openapi_settings();
        #[cfg(feature = "pages")]
        let (mut api, pages) = self.api.take_pages();
        #[cfg(not(feature = "pages"))]
        let mut api = self.api;
        let compiled = self.compiled;
        #[cfg(any(feature = "openapi", feature = "pages"))]
        let built_in = api.built_in_urls();
        compiled.log_unloaded_operations();
        let below = api.prefixes();
        let unknown = unknown_urls(&api);
        let challenge = api.challenge().unwrap_or(HeaderValue::from_static("Bearer"));
        let cursor_key = cursor_key(api.cursor_key.take(), api.store.as_ref());
        let app = with_health(&mut api);
        let parts = ApiParts {
            mount: api.stripped_prefix().to_owned(),
            item_columns: compiled.item_columns(),
            searches: api.search_limiter(),
            idempotency: idempotency_keys(&cursor_key, api.store.as_ref(), api.idempotency_key_lifetime),
            serializers: api.serializers,
            handle: ApiHandle::new(api.store.clone(), api.states),
            subscribers: api.subscribers,
            urls: compiled.urls,
            body_limit: api.body_limit,
            row_tags: RowTagKey::new(&cursor_key.derive("row tags")),
            list_tags: ListTagKey::new(cursor_key.derive("list tags")),
            cursor_key,
            query_syntax: api.query_syntax,
            query_budget: api.query_budget,
            policies: Arc::new(api.policies),
            proxies: api.proxies,
            authenticator: api.authenticator.clone().map(|authenticator| authenticator as _),
            #[cfg(any(feature = "openapi", feature = "pages"))]
            describer,
            #[cfg(any(feature = "openapi", feature = "pages"))]
            built_in,
            #[cfg(feature = "openapi")]
            openapi,
        };
        let engine = Engine {
            routes: compiled.tree,
            services: Arc::new(ApiState::new(api.store, parts)),
            errors: api.errors,
            challenge,
            caching: caching(api.authenticator.as_deref()),
            timeout: Timeout::new(api.timeout),
            authenticator: with_known_callers(api.authenticator, api.known_callers),
            unavailable: UnavailableLog::default(),
            #[cfg(feature = "pages")]
            recent: pages.is_some().then(RecentRequests::default),
        };
        let service = ApiService::new(engine, below, unknown, app, api.responses, api.observer);
        #[cfg(feature = "pages")]
        let service = service.with_pages(pages);
        service
    }
}

/// Authenticator of requests, after the callers that are known before.
fn with_known_callers(
    authenticator: Option<Arc<dyn AnyAuthenticate>>,
    known: Option<Arc<dyn KnownCallers>>,
) -> Option<Arc<dyn AnyAuthenticate>> {
    let authenticator = authenticator?;
    Some(match known {
        Some(known) => Arc::new(CallersFirst { known, authenticator }),
        None => authenticator,
    })
}

/// Part of the unknown URLs that the api answers.
fn unknown_urls(api: &Api) -> UnknownUrls {
    match (api.catch_all_404s, api.join_url("").is_empty()) {
        (true, _) => UnknownUrls::Own,
        (false, true) => UnknownUrls::IfUnanswered,
        (false, false) => UnknownUrls::OfApplication,
    }
}

/// Treatment of responses by caches.
fn caching(authenticator: Option<&dyn AnyAuthenticate>) -> Caching {
    Caching::of(authenticator.map(AnyAuthenticate::credential_headers_any))
}

/// Returns the key that signs cursors: that of the api, or of the database, or a random one.
fn cursor_key(own: Option<CursorKey>, store: Option<&Store>) -> CursorKey {
    let shared = || store.and_then(Store::cursor_secret).map(CursorKey::new);
    own.or_else(shared).unwrap_or_else(|| {
        if store.is_some() {
            tracing::warn!(
                "cursors of lists are valid in this process only, because the database has no secret for them: \
                 apply the migrations (`Store::migrate`), or set `Api::cursor_secret`"
            );
        }
        CursorKey::random()
    })
}

/// Returns the keyed requests of an api, whose secret is that of the database if it has one: keys outlive processes.
fn idempotency_keys(own: &CursorKey, store: Option<&Store>, lifetime: Duration) -> IdempotencyKeys {
    let shared = store.and_then(Store::cursor_secret).map(CursorKey::new);
    let secret = shared.as_ref().unwrap_or(own).derive("idempotency keys");
    IdempotencyKeys::new(&secret, lifetime)
}

/// Takes the application of an api, with the routes of the health checks.
fn with_health(api: &mut Api) -> Router {
    let app = std::mem::take(&mut api.app);
    match api.health.take() {
        Some(health) => app.merge(health.router(api.store.clone())),
        None => app,
    }
}

impl std::fmt::Debug for CompiledApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledApi")
            .field("name", &self.api.name)
            .finish_non_exhaustive()
    }
}

impl Api {
    /// Mounts the api into an application, which answers every URL that is not the api's.
    ///
    /// # Panics
    /// If something is registered wrongly; the message lists every mistake with its remedy.
    #[track_caller]
    pub fn init_app(self, app: Router) -> Router {
        self.app(app).into_router()
    }

    /// Converts the api, in front of the application that [`Api::app`] has set, to a router that can be extended.
    ///
    /// The api is the router's fallback. A router that nests it can be served or merged; to be nested again it has to take the
    /// api by [`Router::nest_service`] and [`Api::into_service`], because axum drops the fallbacks of nested routers that have
    /// none of their own.
    ///
    /// # Panics
    /// If something is registered wrongly; the message lists every mistake with its remedy.
    #[track_caller]
    pub fn into_router(self) -> Router {
        Router::new().fallback_service(self.into_service())
    }

    /// Converts the api to a service. A request goes straight to the api, without a router before it.
    ///
    /// # Panics
    /// If something is registered wrongly; the message lists every mistake with its remedy.
    #[track_caller]
    pub fn into_service(self) -> ApiService {
        match self.try_into_service() {
            Ok(service) => service,
            Err(errors) => panic!("{errors}"),
        }
    }

    /// Converts the api to a service, like [`Api::into_service`].
    ///
    /// # Errors
    /// If something is registered wrongly, or if the api has resources but no store; the error lists every mistake with
    /// its remedy.
    pub fn try_into_service(self) -> Result<ApiService, StartupErrors> {
        let missing_store = self.missing_store();
        match (self.try_compile(), missing_store) {
            (Ok(compiled), None) => Ok(compiled.service()),
            (Ok(_), Some(mistake)) => Err(StartupErrors::new(vec![mistake])),
            (Err(errors), missing) => {
                let mistakes = errors.mistakes().iter().cloned().chain(missing);
                Err(StartupErrors::new(mistakes.collect()))
            }
        }
    }

    /// The mistake of resources without a store.
    fn missing_store(&self) -> Option<String> {
        let has_resources = self
            .registered
            .iter()
            .any(|registered| registered.resource().is_some());
        (has_resources && self.store.is_none())
            .then(|| "the api has resources but no store: add `.store(Store::open(..).await?)`".to_owned())
    }

    /// The mistake of a name that cannot be a realm.
    pub(super) fn invalid_realm(&self) -> Option<String> {
        let is_valid = self.challenge().is_some();
        (!is_valid).then(|| format!("the api's name {:?} cannot be part of a header", self.name))
    }

    /// Challenge of 401 responses; `None` if the api's name cannot be in a header.
    fn challenge(&self) -> Option<HeaderValue> {
        let scheme = if self.serve_challenge_on_401 {
            "Basic"
        } else {
            "Bearer"
        };
        let realm = self.name.replace(['"', '\\'], "'");
        HeaderValue::from_str(&format!("{scheme} realm=\"{realm}\"")).ok()
    }
}
