//! `backend serve`: the api on a socket.

use std::net::SocketAddr;

use clap::Args;
use model_resource::{Server, shutdown_signal};
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
        Server::default()
            .serve(listener, app::app(store), shutdown_signal())
            .await;
        println!("backend has stopped");
        Ok(())
    }
}
