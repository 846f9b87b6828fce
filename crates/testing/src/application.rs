//! The application of a test.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::Request;
use model_resource::{Api, HttpService, Store, Table};
#[cfg(feature = "cli")]
use model_resource_cli::{Manage, Settings};
use tower::util::BoxCloneSyncService;

/// Application of a test: an `Api`, a `Manage` of model-resource-cli (feature `cli`), or one of the functions below.
pub struct TestApplication(Kind);

enum Kind {
    Api(Box<Api>),
    #[cfg(feature = "cli")]
    Manage(Box<Manage>),
    Router(Vec<&'static Table>, MakeRouter),
    Opened(Box<Store>, TestService),
}

type MakeRouter = Box<dyn FnOnce(Store) -> Router + Send>;
/// Change of an api.
pub(crate) type ApiChange = Box<dyn FnOnce(Api) -> Api + Send>;
/// Service of an application.
pub(crate) type TestService = BoxCloneSyncService<Request<Body>, Response, Infallible>;

impl TestApplication {
    /// Returns the application of a router, for an api that is mounted into it. `tables` are created first.
    pub fn router(tables: &[&'static Table], router: impl FnOnce(Store) -> Router + Send + 'static) -> Self {
        Self(Kind::Router(tables.to_vec(), Box::new(router)))
    }

    /// Returns the application of a service whose store the test has opened. Pass its database to the builder, which drops
    /// it with the application.
    pub fn opened(store: Store, service: impl HttpService + Sync) -> Self {
        Self(Kind::Opened(Box::new(store), BoxCloneSyncService::new(service)))
    }

    /// Opens a database, with the tables or the migrations of the application.
    pub(crate) async fn open(&self, url: &str, other_tables: &[&'static Table]) -> Store {
        let (opened, mut tables) = match &self.0 {
            Kind::Api(api) => (Store::open(url).await, api.tables()),
            #[cfg(feature = "cli")]
            Kind::Manage(manage) => (manage.open(url).await, Vec::new()),
            Kind::Router(tables, _) => (Store::open(url).await, tables.clone()),
            Kind::Opened(store, _) => (Ok(store.as_ref().clone()), Vec::new()),
        };
        let store = opened.unwrap_or_else(|error| panic!("cannot open the database of the test: {error}"));
        for other in other_tables {
            if !tables.iter().any(|table| table.id() == other.id()) {
                tables.push(other);
            }
        }
        if !tables.is_empty() {
            let created = store.create_tables(&tables).await;
            created.unwrap_or_else(|error| panic!("cannot create the tables of the test: {error}"));
        }
        store
    }

    /// Whether the kit makes the service from an api, which it can change.
    pub(crate) fn has_api(&self) -> bool {
        !matches!(self.0, Kind::Router(..) | Kind::Opened(..))
    }

    /// Whether the service has its store already.
    pub(crate) fn is_opened(&self) -> bool {
        matches!(self.0, Kind::Opened(..))
    }

    /// Returns the service on a store, after a change of the api, if there is one to change.
    ///
    /// # Panics
    /// If the api has startup errors.
    pub(crate) fn service(self, store: Store, change: ApiChange) -> TestService {
        match self.0 {
            Kind::Api(api) => TestService::new(change(*api).store(store).into_service()),
            #[cfg(feature = "cli")]
            Kind::Manage(manage) => {
                TestService::new(manage.service_with(store, &Settings::unlimited(), change))
            }
            Kind::Router(_, router) => TestService::new(router(store)),
            Kind::Opened(_, service) => service,
        }
    }
}

impl From<Api> for TestApplication {
    fn from(api: Api) -> Self {
        Self(Kind::Api(Box::new(api)))
    }
}

#[cfg(feature = "cli")]
impl From<Manage> for TestApplication {
    fn from(manage: Manage) -> Self {
        Self(Kind::Manage(Box::new(manage)))
    }
}

impl std::fmt::Debug for TestApplication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match &self.0 {
            Kind::Api(_) => "Api",
            #[cfg(feature = "cli")]
            Kind::Manage(_) => "Manage",
            Kind::Router(..) => "Router",
            Kind::Opened(..) => "Opened",
        };
        f.debug_tuple("TestApplication").field(&kind).finish()
    }
}
