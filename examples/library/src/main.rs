//! Serves the library: `cargo run -p library -- ADDRESS DATABASE`.

use std::error::Error;

use library::{Cards, Messages, api};
use model_resource::{Store, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let desk_key = std::env::var("DESK_KEY").map_err(|_| "set DESK_KEY, which the desk sends as Desk-Key")?;
    let api = api(Cards::new(desk_key), Messages::to_log());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_service()).await?;
    Ok(())
}
