//! The articles of `backend` without accounts and policies, which the other servers do not have either.

use backend::serializers::{ArticleSerializer, CategorySerializer};
use backend::views::{articles::ArticleResource, categories::CategoryResource};
use clap::Parser;
use model_resource::{Api, serve};

#[derive(Parser)]
#[command(about)]
struct Cli {
    /// `sqlite:FILE` or `postgres://..`
    #[arg(long)]
    database: String,
}

/// Allocator of `backend`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    backend::command::start_log()?;
    let store = backend::app::open(&Cli::parse().database).await?;
    let api = Api::new("open")
        .prefix("/api/v1")
        .serializer::<CategorySerializer>()
        .model_resource::<CategoryResource>()
        .serializer::<ArticleSerializer>()
        .model_resource::<ArticleResource>()
        .store(store);
    serve("127.0.0.1:0", api.into_service()).await?;
    Ok(())
}
