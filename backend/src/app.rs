//! The application: the database and the api.

use std::net::SocketAddr;
use std::sync::LazyLock;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use model_resource::store::StoreResult;
use model_resource::{ApiService, Authenticate, Caller, OpenApiInfo, Pages, Store, Table, migrations};
pub use model_resource_cli::Settings;
use model_resource_cli::{Manage, manage};

use crate::api::Api;
use crate::security::UserSecurity;
use crate::{extensions, security, views};

/// The application for tests, tools and the audit, which open many databases.
static APPLICATION: LazyLock<Manage> = LazyLock::new(manage);

/// Factor between the budget of administrators and that of other callers.
const ADMIN_BUDGET_FACTOR: u64 = 10;

/// Returns the application as its command line manages it, without commands of its own.
pub fn manage() -> Manage {
    manage!(served_api)
        .commit(env!("BUILD_COMMIT"))
        .migrations(migrations!("migrations"))
        .accounts(UserSecurity::new)
        .setting_help(
            "query_budget",
            "Maximum price of a list query, ten times as much for administrators; 0 for any price",
        )
        .hints(hints)
}

/// Opens a database, runs its migrations and verifies its tables.
pub async fn open(database: &str) -> StoreResult<Store> {
    APPLICATION.open(database).await
}

/// Returns the tables of all resources, each after the tables it references.
pub fn tables() -> Vec<&'static Table> {
    APPLICATION.tables().to_vec()
}

/// Returns the application on a database.
pub fn app(store: Store, settings: Settings) -> ApiService {
    APPLICATION.service(store, &settings)
}

/// Returns the api with everything registered and this authenticator.
pub fn api(security: impl Authenticate) -> Api {
    registered_api().authenticator(security)
}

fn registered_api() -> Api {
    views::register(extensions::api::api())
        .openapi_info(info())
        .docs()
}

/// Returns the api as it is served, with its pages and the redirect of `/` to it.
fn served_api() -> Api {
    let router = Router::new().route("/", get(Redirect::temporary(extensions::api::PREFIX)));
    registered_api()
        .pages(pages())
        .query_budget_by(caller_budget)
        .app(router)
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

/// Returns requests to try at the address.
fn hints(address: SocketAddr) -> String {
    [
        "for the access policies of all routes see `backend audit` and docs/reference/access.md".to_owned(),
        format!("try:  curl http://{address}/api/v1/tags --json '{{\"tag\": {{\"name\": \"rust\"}}}}'"),
        format!("      curl http://{address}/api/v1/tags"),
        format!("      curl http://{address}/readyz"),
    ]
    .join("\n")
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
