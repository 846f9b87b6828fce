//! Articles with axum and a native driver, with all JSON written by hand: the upper limit of performance.

mod answer;
mod numeric;
mod postgres;
mod sqlite;
mod write;

use axum::Router;

use crate::outcome::Failure;

pub(crate) async fn router(database: &str) -> Result<Router, Failure> {
    if database.starts_with("postgres") {
        postgres::router(database).await
    } else {
        sqlite::router(database).await
    }
}
