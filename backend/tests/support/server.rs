//! A server in this process on a temporary database.

use std::net::SocketAddr;
use std::ops::Deref;

use axum::Router;
use backend::api::Api;
use backend::app::Settings;
use model_resource::schema::column::Table;
use model_resource::{HttpService, QuerySyntax, Server, Store};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::support::accounts::admin_token;
use crate::support::client::Client;
use crate::support::database::Database;

/// A running application. Dropping it stops the server and drops the database. It is also its own client: an admin of
/// the reference application, or without credentials for other applications.
pub struct TestApp {
    pub client: Client,
    /// A client without a credential.
    pub anonymous: Client,
    pub address: SocketAddr,
    pub store: Store,
    _stop: oneshot::Sender<()>,
    database: Database,
}

impl TestApp {
    /// Starts the reference application.
    pub async fn start() -> Self {
        Self::start_on(Server::default()).await
    }

    /// Starts the reference application with this query syntax.
    pub async fn start_speaking(dialect: QuerySyntax) -> Self {
        let settings = Settings {
            dialect,
            ..Settings::default()
        };
        Self::start_with(Server::default(), settings).await
    }

    /// Starts the reference application with custom server limits.
    pub async fn start_on(server: Server) -> Self {
        Self::start_with(server, Settings::default()).await
    }

    /// Starts the reference application with these settings.
    pub async fn start_with(server: Server, settings: Settings) -> Self {
        let database = Database::fresh();
        let store = backend::app::open(&database.url()).await.unwrap();
        let token = admin_token(&store).await;
        let app = backend::app::app(store.clone(), settings);
        let mut app = Self::serve(database, store, app, server).await;
        app.client = app.anonymous.with_token(&token);
        app
    }

    /// Starts a custom api over new tables of the models it serves.
    pub async fn with_api(api: Api) -> Self {
        let tables = api.tables();
        Self::with_router(&tables, |store| api.store(store).init_app(Router::new())).await
    }

    /// Starts any application over new tables.
    pub async fn with_router(tables: &[&'static Table], app: impl FnOnce(Store) -> Router) -> Self {
        let database = Database::fresh();
        let store = Store::open(&database.url()).await.unwrap();
        store.create_tables(tables).await.unwrap();
        let app = app(store.clone());
        Self::serve(database, store, app, Server::default()).await
    }

    async fn serve(database: Database, store: Store, app: impl HttpService, server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let until = async move {
                let _ = stopped.await;
            };
            server.serve(listener, app, until).await;
        });
        let anonymous = Client::new(address);
        Self {
            client: anonymous.clone(),
            anonymous,
            address,
            store,
            _stop: stop,
            database,
        }
    }

    /// Returns the database, for direct access.
    pub fn database(&self) -> Database {
        self.database.clone()
    }
}

impl Deref for TestApp {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
