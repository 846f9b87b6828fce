//! Serves the library: `cargo run -p library -- ADDRESS DATABASE`.

use std::error::Error;
use std::sync::Arc;

use library::{Cards, Messages, api};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let desk_key = std::env::var("DESK_KEY").map_err(|_| "set DESK_KEY, which the desk sends as Desk-Key")?;
    let print = Messages(Arc::new(|member, text| println!("to member {member}: {text}")));
    let api = api(Cards { desk_key }, print);
    Ok(api.run(&address, &database).await?)
}
