//! `backend serve`: the api on a socket.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use model_resource::{Cors, ForwardedHeader, Network, Origin, QueryDialect, Server, shutdown_signal};
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
    /// An origin whose pages may use the api, such as https://app.example; `*` for all, but without cookies
    #[arg(
        long,
        env = "BACKEND_CORS_ORIGIN",
        value_delimiter = ',',
        value_name = "ORIGIN"
    )]
    cors_origin: Vec<Origin>,
    /// The proxies whose word about a client's address is taken: addresses and networks, such as 10.0.0.0/8
    #[arg(
        long,
        env = "BACKEND_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORKS"
    )]
    trusted_proxies: Vec<Network>,
    /// The header that these proxies write it in
    #[arg(long, env = "BACKEND_FORWARDED_HEADER", value_enum, default_value_t = Forwarding::XForwardedFor)]
    forwarded_header: Forwarding,
}

#[derive(Clone, Copy, ValueEnum)]
enum Words {
    /// Those of model-resource
    Plain,
    /// Those of react-admin's `ra-data-simple-rest` too
    SimpleRest,
}

#[derive(Clone, Copy, ValueEnum)]
enum Forwarding {
    /// What nearly all proxies write
    XForwardedFor,
    /// That of RFC 7239
    Forwarded,
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
        let forwarded_header = match self.forwarded_header {
            Forwarding::XForwardedFor => ForwardedHeader::XForwardedFor,
            Forwarding::Forwarded => ForwardedHeader::Forwarded,
        };
        let mut api = app::api()
            .dialect(dialect)
            .trusted_proxies(self.trusted_proxies)
            .forwarded_header(forwarded_header);
        if !self.cors_origin.is_empty() {
            let is_for_any = self.cors_origin.iter().any(Origin::is_any);
            let cors = Cors::origins(self.cors_origin);
            api = api.cors(if is_for_any { cors } else { cors.with_credentials() });
        }
        Server::default()
            .serve(listener, app::with_api(api, store), shutdown_signal())
            .await;
        println!("backend has stopped");
        Ok(())
    }
}
