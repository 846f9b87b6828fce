//! Settings of a test's application.

use std::net::SocketAddr;

use model_resource::{Api, ManualClock, Server, Table};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::app::TestApp;
use crate::application::{ApiChange, TestApplication, TestService};
use crate::callers::{AnonymousUnlessTested, TestCallers};
use crate::client::TestClient;
use crate::database::TemporaryDatabase;
use crate::time_text::parse_time;
use crate::transport::Transport;

/// Settings of a [`TestApp`], made by [`TestApp::builder`].
#[must_use = "start the application: `.start().await`"]
pub struct TestAppBuilder {
    application: TestApplication,
    database: Option<TemporaryDatabase>,
    server: Option<Server>,
    clock: Option<ManualClock>,
    tables: Vec<&'static Table>,
    changes: Vec<ApiChange>,
    #[cfg(feature = "security")]
    keeps_password_cost: bool,
}

impl TestApp {
    /// Starts an application in this process, on the database of [`TemporaryDatabase::from_environment`].
    ///
    /// `application` is an `Api` with everything but a store, whose tables are created, or a `Manage` of
    /// model-resource-cli (feature `cli`), which also applies its migrations.
    pub async fn new(application: impl Into<TestApplication>) -> Self {
        Self::builder(application).start().await
    }

    /// Returns a builder, which sets another database, a socket or a frozen clock.
    pub fn builder(application: impl Into<TestApplication>) -> TestAppBuilder {
        TestAppBuilder::new(application.into())
    }
}

impl TestAppBuilder {
    fn new(application: TestApplication) -> Self {
        Self {
            application,
            database: None,
            server: None,
            clock: None,
            tables: Vec::new(),
            changes: Vec::new(),
            #[cfg(feature = "security")]
            keeps_password_cost: false,
        }
    }

    /// Sets the database. By default it is that of [`TemporaryDatabase::from_environment`].
    pub fn database(mut self, database: TemporaryDatabase) -> Self {
        self.database = Some(database);
        self
    }

    /// Serves the application on a free port, so that requests go over a socket and through the limits of the server.
    /// [`TestApp::address`] is its address.
    pub fn over_socket(self) -> Self {
        self.server(Server::default())
    }

    /// Serves the application like [`over_socket`](Self::over_socket), with the limits of this server.
    pub fn server(mut self, server: Server) -> Self {
        self.server = Some(server);
        self
    }

    /// Freezes the clock of the application at a time, such as `2026-03-01T12:00:00Z`. [`TestApp::advance`] and
    /// [`TestApp::set_time`] change it.
    ///
    /// # Panics
    /// If the text is not a timestamp.
    #[track_caller]
    pub fn time(mut self, time: &str) -> Self {
        self.clock = Some(ManualClock::at(parse_time(time)));
        self
    }

    /// Adds tables that neither a resource nor a migration of the application creates.
    pub fn tables(mut self, tables: &[&'static Table]) -> Self {
        self.tables.extend(tables);
        self
    }

    /// Changes the api for the test: `.api(|api| api.anonymous_write_rate(None))`.
    pub fn api(mut self, change: impl FnOnce(Api) -> Api + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Adds an authenticator to an api without one: a request has the caller of [`TestApp::as_caller`], or else an
    /// anonymous one. As with any authenticator, the api then denies writes that nothing allows.
    pub fn test_authenticator(self) -> Self {
        self.api(|api| api.authenticator(AnonymousUnlessTested))
    }

    /// Hashes passwords at the cost of production, for tests of their load. By default the first application of a process
    /// lowers the cost for all of them (feature `security`).
    #[cfg(feature = "security")]
    pub fn full_password_cost(mut self) -> Self {
        self.keeps_password_cost = true;
        self
    }

    /// Opens the database and starts the application.
    ///
    /// # Panics
    /// If the database cannot be opened, if the api has startup errors, or if a setting needs an api and the application
    /// has none that the kit can change.
    pub async fn start(self) -> TestApp {
        self.check();
        #[cfg(feature = "security")]
        if !self.keeps_password_cost {
            model_resource_security::hash_cheaply_in_this_process();
        }
        let database = self.database.unwrap_or_else(TemporaryDatabase::from_environment);
        let mut store = self.application.open(&database.url(), &self.tables).await;
        if let Some(clock) = &self.clock {
            store = store.with_clock(clock.clone());
        }
        let callers = self.application.has_api().then(TestCallers::default);
        let change = known_callers(callers.clone().unwrap_or_default(), self.changes);
        let service = self.application.service(store.clone(), change);
        let (transport, served) = match self.server {
            Some(server) => {
                let (address, stop) = serve(service, server).await;
                (Transport::socket(address), Some((address, stop)))
            }
            None => (Transport::in_process(service), None),
        };
        TestApp {
            client: TestClient::new(transport, Some(store.clone())),
            callers,
            clock: self.clock,
            served,
            store,
            database,
        }
    }

    /// Rejects settings that would have no effect.
    fn check(&self) {
        assert!(
            self.application.has_api() || self.changes.is_empty(),
            "the test kit cannot change an api inside a router: change it where the router is made"
        );
        assert!(
            !self.application.is_opened() || self.clock.is_none(),
            "the store is open already: give it its clock by `Store::with_clock`"
        );
    }
}

impl std::fmt::Debug for TestAppBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestAppBuilder")
            .field("application", &self.application)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// Applies the changes of the test, and then lets requests of its callers in.
fn known_callers(callers: TestCallers, changes: Vec<ApiChange>) -> ApiChange {
    Box::new(move |api| {
        let api = changes.into_iter().fold(api, |api, change| change(api));
        callers.set_authenticated(api.has_authenticator());
        api.known_callers(move |cx: &model_resource::Context| callers.of(cx))
    })
}

/// Serves an application until the sender is dropped.
async fn serve(service: TestService, server: Server) -> (SocketAddr, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a port of this machine is free");
    let address = listener.local_addr().expect("a bound listener has an address");
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(async move {
        let until = async move {
            let _ = stopped.await;
        };
        server.serve(listener, service, until).await;
    });
    (address, stop)
}
