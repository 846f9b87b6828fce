//! Articles with idiomatic axum and sqlx: typed structs, serde, sqlx's default pool.

mod handler_error;
mod postgres;
mod sqlite;
mod wire;

use axum::Router;

use crate::outcome::Failure;

pub(crate) async fn router(database: &str) -> Result<Router, Failure> {
    if database.starts_with("postgres") {
        postgres::router(database).await
    } else {
        sqlite::router(database).await
    }
}
