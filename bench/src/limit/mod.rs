//! Articles with axum and a native driver, every byte written by hand: what can be had at the most.

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
