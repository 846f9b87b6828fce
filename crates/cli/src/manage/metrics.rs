//! The address of `/metrics`.

use std::net::SocketAddr;

use model_resource::{Metrics, Server, ServerState, Store, shutdown_signal};
use tokio::net::TcpListener;

use crate::failure::Failure;
use crate::manage::program::ProgramNames;

/// Installs the recorder, and serves the metrics at an address until the process stops.
pub(crate) async fn serve(
    names: &ProgramNames,
    address: SocketAddr,
    server: ServerState,
    store: Store,
) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        format!("cannot listen at {address}: {error}; choose another address with --metrics-listen")
    })?;
    tracing::info!(address = %listener.local_addr()?, "metrics are served at /metrics");
    let metrics = Metrics::install()?.server(server).store(store);
    let metrics = match names.version {
        Some(version) => metrics.build_info(version, names.commit.unwrap_or("unknown")),
        None => metrics,
    };
    tokio::spawn(async move {
        Server::default()
            .serve(listener, metrics.router(), shutdown_signal())
            .await;
    });
    Ok(())
}
