//! A blog: categories, series, tags, users, and articles that are found by their slug.
//!
//! No handler is written. The last parameter of a URL names the column that finds the row, the parameters before it scope
//! the rows, and the models say how values are normalised, checked and named. `transcript.md` shows it at work.

mod models;
mod resources;

use std::error::Error;

use model_resource::{Store, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let api = resources::api();
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_service()).await?;
    Ok(())
}
