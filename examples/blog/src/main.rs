//! Serves the blog: `cargo run -p blog -- ADDRESS DATABASE`.

use model_resource::RunError;

#[tokio::main]
async fn main() -> Result<(), RunError> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    blog::api().run(&address, &database).await
}
