//! A server in this process on a temporary database.

use std::net::SocketAddr;
use std::ops::Deref;

use axum::Router;
use model_resource::{Api, HttpService, Server, Store, Table};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::Client;
use crate::database::TestDatabase;

/// A running application, and a client of it. Dropping it stops the server and drops the database.
pub struct TestApp {
    /// The client that this value dereferences to.
    pub client: Client,
    /// A client without a credential.
    pub anonymous: Client,
    /// The address of the server.
    pub address: SocketAddr,
    /// The store of the application.
    pub store: Store,
    _stop: oneshot::Sender<()>,
    database: TestDatabase,
}

impl TestApp {
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

    /// Starts an application on a database that is ready for it.
    pub async fn serve(database: TestDatabase, store: Store, app: impl HttpService, server: Server) -> Self {
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
    pub fn database(&self) -> TestDatabase {
        self.database.clone()
    }
}

impl Deref for TestApp {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
