//! Small applications in one call.

use std::pin::pin;

use model_resource_store::{Store, StoreError};

use crate::api::builder::Api;
use crate::server::{serve_until, shutdown_signal};

/// Error of [`Api::run`].
#[derive(Debug)]
pub enum RunError {
    /// The database could not be opened, or its tables could not be created.
    Store(StoreError),
    /// The address could not be bound, or the server failed.
    Io(std::io::Error),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the database: {error}"),
            Self::Io(error) => write!(f, "the server: {error}"),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Io(error) => Some(error),
        }
    }
}

impl Api {
    /// Opens the database, creates the missing tables of the registered resources, and serves the api until SIGINT or
    /// SIGTERM. Then closes the database, which leaves a SQLite database in one file.
    ///
    /// This is for small applications and examples. An application with migrations opens its [`Store`] itself, calls
    /// [`serve`](crate::serve), and closes the store by [`Store::close`].
    ///
    /// ```no_run
    /// # use model_resource::{Api, Model, model_resource};
    /// # #[derive(Model)]
    /// # struct Book {
    /// #     #[column(primary_key)]
    /// #     id: i64,
    /// #     title: String,
    /// # }
    /// # #[model_resource(Book, "/books", "/books/<int:id>")]
    /// # struct BookResource;
    /// # async fn example() -> Result<(), model_resource::RunError> {
    /// let api = Api::new("library").model_resource::<BookResource>();
    /// api.run("127.0.0.1:8000", "sqlite:library.db").await
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the database cannot be opened or the address cannot be bound.
    ///
    /// # Panics
    /// If the api has startup errors; the message lists each of them with its remedy.
    pub async fn run(self, address: &str, database: &str) -> Result<(), RunError> {
        // Before the database is opened, so that no signal kills the process while it is open.
        let mut signal = pin!(shutdown_signal());
        let tables = self.tables();
        // Panics before there is a database to close.
        let api = self.compile();
        let store = tokio::select! {
            opened = Store::open(database) => opened.map_err(RunError::Store)?,
            _ = &mut signal => return Ok(()),
        };
        let created = tokio::select! {
            created = store.create_tables(&tables) => Some(created),
            _ = &mut signal => None,
        };
        let outcome = match created {
            None => Ok(()),
            Some(Err(error)) => Err(RunError::Store(error)),
            Some(Ok(())) => {
                let service = api.store(store.clone()).into_service();
                serve_until(signal, address, service).await.map_err(RunError::Io)
            }
        };
        store.close().await;
        outcome
    }
}
