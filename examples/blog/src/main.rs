//! A blog: categories, series, tags, users, and articles that are identified by their slug.
//!
//! It has no handlers. The last parameter of a URL names the column that identifies the row, the parameters before it
//! limit the rows, and the models declare how values are normalized, validated and named. `transcript.md` shows the
//! requests.

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
