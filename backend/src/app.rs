//! The application: its api, and its command line.

use std::net::SocketAddr;
use std::sync::LazyLock;

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use model_resource::{OpenApiInfo, Pages, migrations};
pub use model_resource_cli::Settings;
use model_resource_cli::{Manage, manage};

use crate::api::Api;
use crate::audit::audit;
use crate::extensions::api::PREFIX;
use crate::security::{ADMIN, UserSecurity};
use crate::{extensions, seed, views};

/// The application for programs and tests that open many databases.
pub static APPLICATION: LazyLock<Manage> = LazyLock::new(manage);

/// Returns the application with its command line.
pub fn manage() -> Manage {
    manage!(api)
        .commit(env!("BUILD_COMMIT"))
        .migrations(migrations!("migrations"))
        .accounts(UserSecurity::new)
        .audit(audit())
        .seed(seed::seed)
        .setting_help(
            "query_budget",
            "Maximum price of a list query, ten times as much for administrators; 0 for any price; 20,000,000 by default",
        )
        .hints(hints)
}

/// Returns the api with everything registered, without its authenticator. `/` redirects to it.
pub fn api() -> Api {
    let info = OpenApiInfo::new()
        .title("Backend")
        .version(env!("CARGO_PKG_VERSION"))
        .description("Articles with categories, comments and tags, and the accounts of their authors.")
        .contact("The editors", "editors@example.com")
        .license("MIT OR Apache-2.0", "MIT OR Apache-2.0");
    views::register(extensions::api::api())
        .openapi_info(info)
        .docs()
        .pages(
            Pages::new()
                .account("/auth/users/<int:id>")
                .diagnostics_role(ADMIN),
        )
        .query_budget_by(|caller, budget| {
            let factor = if caller.has_role(ADMIN) { 10 } else { 1 };
            budget.saturating_mul(factor)
        })
        .app(Router::new().route("/", get(Redirect::temporary(PREFIX))))
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
