//! A server in this process on a temporary database.

use std::net::SocketAddr;
use std::ops::Deref;

use axum::Router;
use model_resource::{Api, HttpService, Server, Store, Table};
use model_resource_testing::{TestApp, TestApplication};

use crate::client::Client;
use crate::database::TestDatabase;

/// A running application over a socket, and a client of it. Dropping it stops the server and drops the database.
pub struct ServedApp {
    /// The client that this value dereferences to.
    pub client: Client,
    /// A client without a credential.
    pub anonymous: Client,
    /// The address of the server.
    pub address: SocketAddr,
    /// The store of the application.
    pub store: Store,
    database: TestDatabase,
    _served: TestApp,
}

impl ServedApp {
    /// Starts an api over new tables of the models it serves.
    pub async fn with_api(api: Api) -> Self {
        let tables = api.tables();
        Self::with_router(&tables, |store| api.store(store).init_app(Router::new())).await
    }

    /// Starts any application over new tables.
    pub async fn with_router(tables: &[&'static Table], app: impl FnOnce(Store) -> Router) -> Self {
        let database = TestDatabase::create();
        let store = Store::open(&database.url()).await.unwrap();
        store.create_tables(tables).await.unwrap();
        let app = app(store.clone());
        Self::serve(database, store, app, Server::default()).await
    }

    /// Starts an application on a database that is ready for it. Passwords are hashed at their full cost, since some of
    /// these tests measure it.
    pub async fn serve(
        database: TestDatabase,
        store: Store,
        app: impl HttpService + Sync,
        server: Server,
    ) -> Self {
        let application = TestApplication::opened(store.clone(), app);
        let builder = TestApp::builder(application).full_password_cost();
        let served = builder
            .database(database.temporary())
            .server(server)
            .start()
            .await;
        let anonymous = Client::new(served.address());
        Self {
            client: anonymous.clone(),
            anonymous,
            address: served.address(),
            store,
            database,
            _served: served,
        }
    }

    /// Returns the database, for direct access.
    pub fn database(&self) -> TestDatabase {
        self.database.clone()
    }
}

impl Deref for ServedApp {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
