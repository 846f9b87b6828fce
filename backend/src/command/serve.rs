//! `backend serve`: the api on a socket.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use model_resource::{QueryDialect, Server, shutdown_signal};
use tokio::net::TcpListener;

use crate::app;
use crate::command::database::Database;
use crate::command::failure::Failure;

/// Serves the api.
#[derive(Args)]
pub(super) struct Serve {
    /// The address to listen at
    #[arg(long, env = "BACKEND_LISTEN", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    #[command(flatten)]
    database: Database,
    /// The words that clients may ask for lists in
    #[arg(long, env = "BACKEND_DIALECT", value_enum, default_value_t = Words::Plain)]
    dialect: Words,
}

#[derive(Clone, Copy, ValueEnum)]
enum Words {
    /// Those of model-resource
    Plain,
    /// Those of react-admin's `ra-data-simple-rest` too
    SimpleRest,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = app::open(&self.database.database).await?;
        let listener = TcpListener::bind(self.listen).await.map_err(|error| {
            format!(
                "cannot listen at {}: {error}; choose another address with --listen",
                self.listen
            )
        })?;
        let address = listener.local_addr()?;
        println!(
            "backend listens at http://{address}, its records are in {}",
            self.database.shown()
        );
        println!("try:  curl http://{address}/api/v1/categories");
        println!("      curl http://{address}/api/v1/categories --json '{{\"name\": \"Rust\"}}'");
        println!("      curl http://{address}/healthz");
        let dialect = match self.dialect {
            Words::Plain => QueryDialect::Plain,
            Words::SimpleRest => QueryDialect::SimpleRest,
        };
        Server::default()
            .serve(listener, app::app(store, dialect), shutdown_signal())
            .await;
        println!("backend has stopped");
        Ok(())
    }
}
