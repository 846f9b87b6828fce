//! Metrics in the text format of Prometheus.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use http::header;
use metrics::{counter, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use model_resource_store::Store;

use crate::pipeline::cpu_pool_status;
use crate::prometheus::{process, store};
use crate::server_state::ServerState;

/// Upper bounds of the latency histogram in seconds.
const BUCKETS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];
/// Interval at which recorded latencies are added to the histograms, so that they use little memory if nobody scrapes.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(1);
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Recorder of the metrics of this process, and their exposition for Prometheus.
///
/// It holds what is counted by the crate `metrics`: the requests of an api with [`Api::metrics`](crate::Api::metrics),
/// and the application's own. Serve them on an address that only the monitoring can reach:
///
/// ```no_run
/// use model_resource::{Api, Metrics, Server, shutdown_signal};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let metrics = Metrics::install()?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9100").await?;
/// tokio::spawn(async { Server::default().serve(listener, metrics.router(), shutdown_signal()).await });
/// let api = Api::new("library").metrics();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    server: Option<ServerState>,
    store: Option<Store>,
}

/// Error of [`Metrics::install`]: the process has a recorder already, which stays in use.
#[derive(Debug)]
pub struct MetricsInstalled;

impl Metrics {
    /// Installs the recorder of this process, before the first request.
    ///
    /// # Errors
    /// If the process has a recorder already.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn install() -> Result<Self, MetricsInstalled> {
        let duration = Matcher::Suffix("_duration_seconds".to_owned());
        let handle = PrometheusBuilder::new()
            .set_buckets_for_metric(duration, &BUCKETS)
            .and_then(PrometheusBuilder::install_recorder)
            .map_err(|_| MetricsInstalled)?;
        process::set_start_time();
        let upkeep = handle.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                upkeep.run_upkeep();
            }
        });
        Ok(Self {
            handle,
            server: None,
            store: None,
        })
    }

    /// Adds the metric `build_info` with the version of the program and the commit that it was built from.
    pub fn build_info(self, version: &'static str, commit: &'static str) -> Self {
        gauge!("build_info", "version" => version, "commit" => commit).set(1.0);
        self
    }

    /// Adds the connections and the memory budget of a server, by [`Server::state`](crate::Server::state).
    pub fn server(mut self, state: ServerState) -> Self {
        self.server = Some(state);
        self
    }

    /// Adds the connections, queues and group commits of a store, and the searches that it refused or interrupted.
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Metrics in the text format.
    pub fn render(&self) -> String {
        process::update();
        let jobs = cpu_pool_status();
        gauge!("cpu_bound_jobs_waiting").set(jobs.waiting as f64);
        counter!("cpu_bound_jobs_refused_total").absolute(jobs.refused);
        if let Some(server) = &self.server {
            gauge!("server_connections").set(server.connections() as f64);
            gauge!("server_memory_in_use_bytes").set(server.memory_in_use() as f64);
            gauge!("server_memory_budget_bytes").set(server.memory_budget() as f64);
            gauge!("server_memory_waiting").set(server.memory_waiting() as f64);
            counter!("server_memory_refused_total").absolute(server.memory_refusals());
            counter!("server_connections_refused_total").absolute(server.refused_connections());
            counter!("server_heads_rejected_total").absolute(server.rejected_heads());
        }
        let Some(store) = &self.store else {
            return self.handle.render();
        };
        let status = store.status();
        store::update(store, &status);
        self.handle.render() + &store::group_commit_histogram(&status)
    }

    /// Route `/metrics`.
    pub fn router(self) -> Router {
        let render = move || {
            let text = self.render();
            async { ([(header::CONTENT_TYPE, TEXT_FORMAT)], text) }
        };
        Router::new().route("/metrics", get(render))
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl std::fmt::Display for MetricsInstalled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the process has a recorder of metrics already")
    }
}

impl std::error::Error for MetricsInstalled {}
