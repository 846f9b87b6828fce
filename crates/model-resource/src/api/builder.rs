//! `Api`: the constructor's parameters and the registrations.

use std::any::TypeId;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use model_resource_schema::column::Table;
use model_resource_store::Store;
use serde_json::{Map, Value};

use crate::access::{AnyAuthenticate, KnownCallers, Policies};
use crate::api::registered::Registered;
use crate::events::Subscribers;
use crate::health::Health;
use crate::http::{ResponseSettings, TrustedProxies};
use crate::list::CursorKey;
use crate::observe::Observer;
#[cfg(feature = "openapi")]
use crate::openapi::OpenApiSettings;
#[cfg(feature = "pages")]
use crate::pages::{CompiledPages, Pages, asset_view};
use crate::pipeline::{Decorator, Serializers, States};
use crate::query::{QueryBudget, QuerySyntax};
use crate::render::{ErrorMap, JsonRepresentation, Representation, Representations};
use crate::resource::BuiltInView;
use crate::throttle::{AnonymousThrottle, Rate, default_anonymous_rate};

/// Builder of an api: its resources, views, policies and settings, under one URL prefix.
///
/// Everything but the name is optional. Mistakes are collected, and reported all at once when the api is compiled
/// ([`Api::try_compile`]) or served ([`Api::run`], [`Api::into_service`], [`Api::init_app`]).
pub struct Api {
    pub(super) name: String,
    pub(super) app: Router,
    pub(super) prefix: String,
    pub(super) mounted_at: String,
    pub(super) unscoped: Vec<String>,
    pub(super) url_part_order: String,
    pub(super) default_mediatype: Option<String>,
    pub(super) decorators: Vec<Arc<dyn Decorator>>,
    pub(super) catch_all_404s: bool,
    pub(super) serve_challenge_on_401: bool,
    pub(super) errors: ErrorMap,
    pub(super) representations: Representations,
    pub(super) store: Option<Store>,
    pub(super) body_limit: usize,
    /// Key that signs cursors, if it is not that of the database.
    pub(super) cursor_key: Option<CursorKey>,
    /// Time for which the responses of requests with an `Idempotency-Key` are stored.
    pub(super) idempotency_key_lifetime: Duration,
    pub(super) query_syntax: QuerySyntax,
    pub(super) query_budget: QueryBudget,
    pub(super) searches_per_caller: Option<usize>,
    pub(super) timeout: Duration,
    pub(super) authenticator: Option<Arc<dyn AnyAuthenticate>>,
    /// Callers that are known before the authenticator is asked.
    pub(super) known_callers: Option<Arc<dyn KnownCallers>>,
    /// Types of the authenticators that parts need, with the remedies.
    pub(super) needed_authenticators: Vec<(TypeId, String)>,
    /// Models whose rows anonymous callers have to be able to create, with the remedies.
    pub(super) needed_creates: Vec<(&'static Table, String)>,
    pub(super) policies: Policies,
    pub(super) proxies: TrustedProxies,
    pub(super) anonymous_rate: Option<Rate>,
    /// Counters of anonymous writes, which all resources share.
    pub(super) anonymous_throttle: OnceLock<AnonymousThrottle>,
    pub(super) responses: ResponseSettings,
    pub(super) health: Option<Health>,
    pub(super) observer: Observer,
    pub(super) serializers: Serializers,
    pub(super) states: States,
    pub(super) subscribers: Subscribers,
    pub(super) registered: Vec<Registered>,
    /// Models without a resource of their own.
    pub(super) models: Vec<&'static Table>,
    /// Views of the framework itself.
    pub(super) built_in: Vec<BuiltInView>,
    /// Settings of the OpenAPI document, if it is served.
    #[cfg(feature = "openapi")]
    pub(super) openapi: Option<OpenApiSettings>,
    /// Version of the application.
    #[cfg(feature = "openapi")]
    pub(super) version: Option<String>,
    pub(super) mistakes: Vec<String>,
    #[cfg(feature = "pages")]
    pub(super) pages: Option<CompiledPages>,
    /// Views of accounts that parts of the api have.
    #[cfg(feature = "pages")]
    pub(super) account_views: Pages,
    /// Models whose serializers are among the mistakes.
    pub(super) broken: Vec<&'static Table>,
}

impl Api {
    /// Creates an api of this name, which authentication challenges send as their realm.
    pub fn new(name: impl Into<String>) -> Self {
        let json = "application/json";
        Self {
            name: name.into(),
            app: Router::new(),
            prefix: String::new(),
            mounted_at: String::new(),
            unscoped: Vec::new(),
            url_part_order: "bae".to_owned(),
            default_mediatype: Some(json.to_owned()),
            decorators: Vec::new(),
            catch_all_404s: false,
            serve_challenge_on_401: false,
            errors: ErrorMap::new(),
            representations: Representations::none().with_render(json, JsonRepresentation),
            store: None,
            body_limit: 2 * 1024 * 1024,
            cursor_key: None,
            idempotency_key_lifetime: Duration::from_secs(24 * 60 * 60),
            query_syntax: QuerySyntax::default(),
            query_budget: QueryBudget::default(),
            searches_per_caller: Some(4),
            timeout: Duration::from_secs(30),
            authenticator: None,
            known_callers: None,
            needed_authenticators: Vec::new(),
            needed_creates: Vec::new(),
            policies: Policies::default(),
            proxies: TrustedProxies::default(),
            anonymous_rate: Some(default_anonymous_rate()),
            anonymous_throttle: OnceLock::new(),
            responses: ResponseSettings::new(),
            health: None,
            observer: Observer::default(),
            serializers: Serializers::default(),
            states: States::default(),
            subscribers: Subscribers::default(),
            registered: Vec::new(),
            models: Vec::new(),
            built_in: Vec::new(),
            #[cfg(feature = "openapi")]
            openapi: None,
            #[cfg(feature = "openapi")]
            version: None,
            mistakes: Vec::new(),
            #[cfg(feature = "pages")]
            pages: None,
            #[cfg(feature = "pages")]
            account_views: Pages::new(),
            broken: Vec::new(),
        }
    }

    /// Sets the application, which answers every URL that is not the api's; see [`Api::into_router`].
    pub fn app(mut self, app: Router) -> Self {
        self.app = app;
        self
    }

    /// Puts a prefix before every URL, such as `/api/v1`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Declares a parameter of the prefix that limits no rows of the models below it, such as the name of a tenant.
    /// Handlers and decorators read it with [`Context::params`](crate::Context::params), and policies with
    /// [`Caller::url_param`](crate::Caller::url_param).
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").prefix("/t/<tenant>").unscoped("tenant");
    /// ```
    pub fn unscoped(mut self, parameter: impl Into<String>) -> Self {
        self.unscoped.push(parameter.into());
        self
    }

    /// Sets the prefix that a reverse proxy strips before it forwards a request: the `b` of `url_part_order`.
    ///
    /// It is part of every URL that the api writes: in `Location`, in `Link` and by
    /// [`Context::url_for`](crate::Context::url_for). If it comes first, as in `bae`, requests match with it and
    /// without it, so that it makes no difference whether the proxy strips it. Elsewhere in a URL no proxy can strip
    /// it, and requests need it. Below [`Router::nest`] it is not needed, because the api learns from each request what
    /// the router has stripped.
    pub fn mounted_at(mut self, prefix: impl Into<String>) -> Self {
        self.mounted_at = prefix.into();
        self
    }

    /// Sets the order of a URL's parts: `b` is [`Api::mounted_at`], `a` the prefix, `e` the registered URL with the prefix
    /// of its blueprint.
    pub fn url_part_order(mut self, order: impl Into<String>) -> Self {
        self.url_part_order = order.into();
        self
    }

    /// Sets the media type for clients that send no `Accept`, or one that matches nothing; without a default the latter are
    /// answered with 406. It must be registered by [`Api::representation`], unless it is `application/json`.
    ///
    /// A resource with representations uses the first of them as its default instead.
    pub fn default_mediatype<'a>(mut self, media_type: impl Into<Option<&'a str>>) -> Self {
        let without_parameters = |text: &'a str| text.split(';').next().unwrap_or(text).trim();
        let media_type = media_type.into().map(without_parameters);
        self.default_mediatype = media_type.map(str::to_ascii_lowercase);
        self
    }

    /// Wraps every operation of every resource, outside its own decorators; the first one is the outermost. Views
    /// are not wrapped; each has its own. A plain function does not authorize callers; add one that does as
    /// [`guard(..)`](crate::guard).
    pub fn decorator(mut self, decorator: impl Decorator) -> Self {
        self.decorators.push(Arc::new(decorator));
        self
    }

    /// Answers every unknown URL of the application with a JSON 404, not only those below the prefix. An api without a
    /// prefix always answers those for which the application has neither a route nor a fallback.
    pub fn catch_all_404s(mut self, catch: bool) -> Self {
        self.catch_all_404s = catch;
        self
    }

    /// Answers 401 with a `Basic` challenge instead of a `Bearer` one, so that browsers ask for a user name and a password.
    pub fn serve_challenge_on_401(mut self, serve: bool) -> Self {
        self.serve_challenge_on_401 = serve;
        self
    }

    /// Replaces members of the response body for errors of this name ([`Error::name`](crate::Error::name)), such as its
    /// `message`, and adds others. The status is that of the body, or 500 without one.
    ///
    /// ```
    /// let api = model_resource::Api::new("shop")
    ///     .error("SoldOut", serde_json::json!({"message": "Come back tomorrow.", "status": 409}));
    /// ```
    pub fn error(mut self, name: impl Into<String>, body: Value) -> Self {
        let name = name.into();
        let status = body
            .get("status")
            .map(|status| status.as_u64().and_then(|status| u16::try_from(status).ok()));
        let is_status = status.is_none_or(|status| status.is_some_and(|status| (400..600).contains(&status)));
        match body {
            Value::Object(body) if is_status => {
                self.errors.insert(name, body);
            }
            _ => self.mistakes.push(format!(
                "the error `{name}` must be mapped to a JSON object whose status, if it has one, is from 400 to 599"
            )),
        }
        self
    }

    /// Replaces members of several errors, by their names; see [`Api::error`].
    pub fn errors(self, errors: Map<String, Value>) -> Self {
        errors
            .into_iter()
            .fold(self, |api, (name, body)| api.error(name, body))
    }

    /// Adds a representation for all resources and views, or replaces that of its media type. JSON stays the default.
    pub fn representation(mut self, media_type: &str, representation: impl Representation) -> Self {
        self.representations = self.representations.with(media_type, representation);
        self
    }

    /// Sets the store that the api serves.
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Adds an application state, which operations and views take by axum's `State`.
    ///
    /// An api has one state of each type. A part of a state, by `FromRef`, needs `state = ..` in the attribute, as do
    /// extractors that need such a part. If an argument needs a state that the api does not have, the api is rejected
    /// at startup.
    ///
    /// ```
    /// use axum::extract::{FromRef, State};
    /// use model_resource::{Api, route};
    ///
    /// #[derive(Clone)]
    /// struct Greeting(&'static str);
    ///
    /// #[derive(Clone)]
    /// struct AppState {
    ///     greeting: Greeting,
    /// }
    ///
    /// impl FromRef<AppState> for Greeting {
    ///     fn from_ref(state: &AppState) -> Self {
    ///         state.greeting.clone()
    ///     }
    /// }
    ///
    /// #[route("/whole")]
    /// async fn whole(State(state): State<AppState>) -> &'static str {
    ///     state.greeting.0
    /// }
    ///
    /// #[route("/part", state = AppState)]
    /// async fn part(State(greeting): State<Greeting>) -> &'static str {
    ///     greeting.0
    /// }
    ///
    /// let state = AppState { greeting: Greeting("Hello!") };
    /// let api = Api::new("api").with_state(state).route(whole).route(part);
    /// let router = api.into_router();
    /// ```
    pub fn with_state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        if !self.states.insert(state) {
            self.mistakes.push(format!(
                "the api has two states of the type `{}`: keep one `.with_state(..)`",
                std::any::type_name::<S>()
            ));
        }
        self
    }

    /// Sets the maximum request body in bytes; 2 MiB by default.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the secret that signs the cursors of lists. By default it is in the database
    /// ([`Store::cursor_secret`](model_resource_store::Store::cursor_secret)), so that cursors are valid in all processes
    /// and after a restart.
    pub fn cursor_secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.cursor_key = Some(CursorKey::new(secret.as_ref()));
        self
    }

    /// Sets the time for which the response of a request with an `Idempotency-Key` is stored, and so how long a client can
    /// repeat it without writing twice; 24 hours by default.
    pub fn idempotency_key_lifetime(mut self, lifetime: Duration) -> Self {
        self.idempotency_key_lifetime = lifetime;
        self
    }

    /// Lets clients also use the query syntax of another framework; see [`QuerySyntax`].
    ///
    /// ```
    /// use model_resource::{Api, QuerySyntax};
    ///
    /// let api = Api::new("admin").query_syntax(QuerySyntax::SimpleRest);
    /// ```
    pub fn query_syntax(mut self, syntax: QuerySyntax) -> Self {
        self.query_syntax = syntax;
        self
    }

    /// Sets the timeout of a request, including its body; 30 seconds by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Answers browsers with HTML pages at the same URLs: clients that prefer `text/html`, as browsers do, get the list
    /// or object of a URL as a page, with forms for the operations that the caller may use. All other clients get the
    /// same responses as before.
    ///
    /// ```
    /// use model_resource::{Api, Pages};
    ///
    /// let api = Api::new("library").pages(Pages::new().title("Public library"));
    /// ```
    #[cfg(feature = "pages")]
    pub fn pages(mut self, pages: Pages) -> Self {
        match CompiledPages::compile(pages, &self.name) {
            Ok(pages) => {
                self.built_in.extend(pages.assets.iter().map(asset_view));
                self.pages = Some(pages);
            }
            Err(mistakes) => self.mistakes.extend(mistakes),
        }
        self
    }

    /// Names the views of accounts that a part of the api registers, by [`Pages::login`], [`Pages::logout`],
    /// [`Pages::password`] and [`Pages::account`]. The pages use those that the application does not name itself.
    #[cfg(feature = "pages")]
    pub fn account_views(mut self, views: Pages) -> Self {
        self.account_views = views;
        self
    }

    /// Takes the pages, with the options of the registered resources.
    #[cfg(feature = "pages")]
    pub(super) fn take_pages(mut self) -> (Self, Option<CompiledPages>) {
        let resources = self.registered.iter();
        let options = resources.filter_map(|registered| {
            let page = registered.resource()?.page.clone();
            Some((registered.registration.endpoint, page))
        });
        let options = options.collect();
        let pages = self.pages.take();
        let views = std::mem::take(&mut self.account_views);
        let pages = pages.map(|pages| pages.with_resources(options).with_account_views(views));
        (self, pages)
    }
}
