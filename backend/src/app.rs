//! The application: the database and the api.

use std::time::Duration;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use model_resource::store::StoreResult;
use model_resource::{
    ApiService, Authenticate, Caller, Cors, ForwardedHeader, Health, IpNetwork, OpenApiInfo, Origin, Pages,
    QuerySyntax, Rate, ServerState, SqlDialect, Store, Table,
};
use refinery::Runner;

use crate::api::Api;
use crate::security::UserSecurity;
use crate::{extensions, security, views};

/// Factor between the budget of administrators and that of other callers.
const ADMIN_BUDGET_FACTOR: u64 = 10;

mod sqlite {
    refinery::embed_migrations!("migrations/sqlite");
}

mod postgres {
    refinery::embed_migrations!("migrations/postgres");
}

/// Opens a database, runs its migrations and verifies its tables.
pub async fn open(database: &str) -> StoreResult<Store> {
    let store = Store::open(database).await?;
    migrate(&store).await?;
    Ok(store)
}

/// Runs the migrations of a database and verifies its tables.
pub async fn migrate(store: &Store) -> StoreResult<()> {
    store.migrate(migrations(store.dialect())).await?;
    store.verify(&tables()).await
}

/// Returns the migrations for a kind of database.
pub fn migrations(dialect: SqlDialect) -> Runner {
    match dialect {
        SqlDialect::Sqlite => sqlite::migrations::runner(),
        SqlDialect::Postgres => postgres::migrations::runner(),
    }
}

/// Returns the tables of all resources, each after the tables it references.
pub fn tables() -> Vec<&'static Table> {
    views::register(extensions::api::api()).tables()
}

/// Returns the api with everything registered and this authenticator.
pub fn api(security: impl Authenticate) -> Api {
    views::register(extensions::api::api())
        .authenticator(security)
        .openapi_info(info())
        .docs()
}

/// Information in the OpenAPI document.
fn info() -> OpenApiInfo {
    OpenApiInfo::new()
        .title("Backend")
        .version(env!("CARGO_PKG_VERSION"))
        .description("Articles with categories, comments and tags, and the accounts of their authors.")
        .contact("The editors", "editors@example.com")
        .license("MIT OR Apache-2.0", "MIT OR Apache-2.0")
}

/// Settings of the server.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Query syntax that lists accept.
    pub query_syntax: QuerySyntax,
    /// Whether clients connect over TLS. If so, cookies are marked `Secure`.
    pub secure_cookies: bool,
    /// Other origins that may call the api. Named origins may do so with a session. `*` lets every page read responses,
    /// but without a session.
    pub cors_origins: Vec<Origin>,
    /// Proxies that are trusted to report the client's address.
    pub trusted_proxies: Vec<IpNetwork>,
    /// Header in which the trusted proxies report it.
    pub forwarded_header: ForwardedHeader,
    /// Anonymous writes that one client address may make per minute; 0 for any number.
    pub anonymous_writes_per_minute: u32,
    /// Maximum price of a list query, ten times as much for administrators; 0 for any price.
    pub query_budget: u64,
    /// Time for which the response of a request with an `Idempotency-Key` is stored; 24 hours by default.
    pub idempotency_key_lifetime: Option<Duration>,
    /// Whether responses are sent uncompressed even if the client accepts a coding.
    pub without_compression: bool,
    /// Secret that signs the cursors of lists; that of the database by default.
    pub cursor_secret: Option<String>,
    /// Time for which the account of a session or token is not read again.
    pub credential_cache: Duration,
    /// Whether metrics of requests are recorded.
    pub metrics: bool,
    /// Whether requests are logged.
    pub access_log: bool,
    /// State of the server, for the readiness check.
    pub server: ServerState,
}

/// Returns the application on a database.
pub fn app(store: Store, settings: Settings) -> ApiService {
    let router = Router::new().route("/", get(Redirect::temporary(extensions::api::PREFIX)));
    let security = security::authenticator()
        .secure_cookies(settings.secure_cookies)
        .credential_cache(settings.credential_cache);
    let api = match settings.cors_origins {
        origins if origins.is_empty() => api(security),
        origins if origins.iter().any(Origin::is_any) => api(security).cors(Cors::origins(origins)),
        origins => {
            let security = origins.iter().cloned().fold(security, UserSecurity::allow_origin);
            api(security).cors(Cors::origins(origins).with_credentials())
        }
    };
    let health = Health::new()
        .migrations(migrations(store.dialect()))
        .server(settings.server);
    let api = if settings.metrics { api.metrics() } else { api };
    let api = if settings.access_log {
        api.access_log()
    } else {
        api
    };
    let api = match settings.cursor_secret {
        Some(secret) => api.cursor_secret(secret),
        None => api,
    };
    let api = match settings.idempotency_key_lifetime {
        Some(lifetime) => api.idempotency_key_lifetime(lifetime),
        None => api,
    };
    let rate = settings.anonymous_writes_per_minute;
    let budget = settings.query_budget;
    api.pages(pages())
        .health(health)
        .anonymous_write_rate((rate > 0).then(|| Rate::per_minute(rate)))
        .query_budget((budget > 0).then_some(budget))
        .query_budget_by(caller_budget)
        .trusted_proxies(settings.trusted_proxies)
        .forwarded_header(settings.forwarded_header)
        .query_syntax(settings.query_syntax)
        .compression(!settings.without_compression)
        .store(store)
        .app(router)
        .into_service()
}

/// Returns the maximum price of a caller's query, from that of other callers.
fn caller_budget(caller: &Caller, budget: Option<u64>) -> Option<u64> {
    if caller.has_role(security::ADMIN) {
        budget.map(|budget| budget.saturating_mul(ADMIN_BUDGET_FACTOR))
    } else {
        budget
    }
}

/// Returns the settings of the pages for browsers.
fn pages() -> Pages {
    Pages::new()
        .login("/auth/login")
        .logout("/auth/logout")
        .account("/auth/users/<int:id>")
        .password("/auth/password")
        .diagnostics_role(security::ADMIN)
}
