//! The application: the database, the api, and what is served beside it.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::StatusCode;
use model_resource::store::{Result, SqlDialect};
use model_resource::{
    ApiService, Authenticate, Cors, ForwardedHeader, IpNetwork, Origin, QuerySyntax, Store,
};
use serde_json::json;

use crate::api::Api;
use crate::security::Security;
use crate::{extensions, models, security, views};

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
        SqlDialect::Sqlite => sqlite::migrations::runner(),
        SqlDialect::Postgres => postgres::migrations::runner(),
    };
    store.migrate(migrations).await?;
    store.verify(&models::tables()).await?;
    Ok(store)
}

/// The api with everything registered, whose callers are known in this way.
pub fn api(security: impl Authenticate) -> Api {
    views::register(extensions::api::api()).authenticator(security)
}

/// How the application is served.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The words that clients may ask for lists in.
    pub dialect: QuerySyntax,
    /// Whether it is reached over TLS, so that cookies need not go over anything else.
    pub secure_cookies: bool,
    /// The origins besides its own whose pages may use it; those that are named may do so with a session. `*` lets any page
    /// read answers, and then none has a session.
    pub cors_origins: Vec<Origin>,
    /// The proxies whose word about a client's address is taken.
    pub trusted_proxies: Vec<IpNetwork>,
    /// The header that they write it in.
    pub forwarded_header: ForwardedHeader,
}

/// The application on a database.
pub fn app(store: Store, settings: Settings) -> ApiService {
    let beside = Router::new()
        .route("/healthz", get(healthz))
        .with_state(store.clone());
    let security = security::configured().secure_cookies(settings.secure_cookies);
    let api = match settings.cors_origins {
        none if none.is_empty() => api(security),
        any if any.iter().any(Origin::is_any) => api(security).cors(Cors::origins(any)),
        named => {
            let security = named.iter().cloned().fold(security, Security::allow_origin);
            api(security).cors(Cors::origins(named).with_credentials())
        }
    };
    api.trusted_proxies(settings.trusted_proxies)
        .forwarded_header(settings.forwarded_header)
        .query_syntax(settings.dialect)
        .store(store)
        .app(beside)
        .into_service()
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
