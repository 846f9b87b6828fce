//! Startup errors of an api.

use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::Router;
use model_resource::{Api, Store};

use crate::database::TestDatabase;

/// Returns the mistakes for which the api is rejected at startup; empty if it can be served.
pub async fn startup_errors(api: Api) -> Vec<String> {
    let database = TestDatabase::create();
    let api = api.store(Store::open(&database.url()).await.unwrap());
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| api.init_app(Router::new()))) else {
        return Vec::new();
    };
    let message = panic.downcast::<String>().unwrap();
    let mistakes = message.strip_prefix("the api cannot be served:\n- ").unwrap();
    mistakes.split("\n- ").map(str::to_owned).collect()
}
