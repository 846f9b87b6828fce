//! The application: the database, the api, and what is served beside it.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::StatusCode;
use model_resource::store::{Dialect, Result};
use model_resource::{ApiService, QueryDialect, Store};
use serde_json::json;

use crate::api::Api;
use crate::{extensions, models, views};

mod sqlite {
    refinery::embed_migrations!("migrations/sqlite");
}

mod postgres {
    refinery::embed_migrations!("migrations/postgres");
}

/// Opens a database and brings its tables up to date.
pub async fn open(database: &str) -> Result<Store> {
    let store = Store::open(database).await?;
    let migrations = match store.dialect() {
        Dialect::Sqlite => sqlite::migrations::runner(),
        Dialect::Postgres => postgres::migrations::runner(),
    };
    store.migrate(migrations).await?;
    store.verify(&models::tables()).await?;
    Ok(store)
}

/// The api with everything registered.
pub fn api() -> Api {
    views::register(extensions::api::api())
}

/// The application on a database, for clients that ask for lists in these words.
pub fn app(store: Store, dialect: QueryDialect) -> ApiService {
    with_api(api().dialect(dialect), store)
}

/// The application on a database, with an api that was set up further.
pub fn with_api(api: Api, store: Store) -> ApiService {
    let beside = Router::new()
        .route("/healthz", get(healthz))
        .with_state(store.clone());
    api.store(store).app(beside).into_service()
}

/// Whether the application can do its work.
async fn healthz(State(store): State<Store>) -> Response {
    match store.ping().await {
        Ok(()) => Json(json!({ "status": "ok" })).into_response(),
        Err(error) => {
            tracing::error!(%error, "the database does not answer");
            let retry = [(http::header::RETRY_AFTER, "1")];
            (
                StatusCode::SERVICE_UNAVAILABLE,
                retry,
                Json(json!({ "status": "unavailable" })),
            )
                .into_response()
        }
    }
}
