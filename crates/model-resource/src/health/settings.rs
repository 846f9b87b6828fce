//! Settings of the health checks, and their routes.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::{StatusCode, header};
use model_resource_store::{Migrations, Store};
use serde_json::json;

use crate::health::readiness::Readiness;
use crate::server_state::ServerState;

/// Health checks of a process; see [`Api::health`](crate::Api::health).
#[derive(Default)]
pub struct Health {
    migrations: Option<Migrations>,
    server: Option<ServerState>,
}

impl Health {
    /// Creates the checks: the process answers, and its database reads and writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also checks that these migrations are applied.
    pub fn migrations(mut self, migrations: Migrations) -> Self {
        self.migrations = Some(migrations);
        self
    }

    /// Also checks that this server is not stopping, by [`Server::state`](crate::Server::state).
    pub fn server(mut self, state: ServerState) -> Self {
        self.server = Some(state);
        self
    }

    /// Routes `/healthz` and `/readyz` of a process that serves this store.
    pub(crate) fn router(self, store: Option<Store>) -> Router {
        let readiness = Arc::new(Readiness::new(store, self.migrations, self.server));
        let ready = move || {
            let readiness = Arc::clone(&readiness);
            async move { ready(&readiness).await }
        };
        let alive = async || Json(json!({ "status": "ok" }));
        Router::new()
            .route("/healthz", get(alive))
            .route("/readyz", get(ready))
    }
}

async fn ready(readiness: &Arc<Readiness>) -> Response {
    let checks = readiness.check().await;
    let body = Json(checks.json());
    if checks.is_ready() {
        return body.into_response();
    }
    let retry = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, retry, body).into_response()
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Health").finish_non_exhaustive()
    }
}
