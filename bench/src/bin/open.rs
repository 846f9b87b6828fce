//! The articles of `backend` without accounts and policies, which the other servers do not have either.

use backend::models::{Article, Category};
use backend::serializers::{ArticleSerializer, CategorySerializer};
use clap::Parser;
use model_resource::{
    Api, CREATE, Columns, DELETE, ModelResource, Operations, PATCH, PUT, Pages, model_resource, serve,
};

#[model_resource(Category, "/categories", "/categories/<int:id>", serializer = CategorySerializer)]
struct CategoryResource;

/// Articles as `backend` serves them, without their policy.
struct ArticleResource;

#[model_resource(Article, "/articles", "/articles/<int:id>", serializer = ArticleSerializer)]
impl ModelResource for ArticleResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const SEARCH: Columns<Article> = Columns::of(Article::TITLE)
        .and(Article::SUMMARY)
        .and(Article::BODY);
}

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
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let _log = backend::command::start_log()?;
    let store = backend::app::open(&Cli::parse().database).await?;
    let api = Api::new("open")
        .prefix("/api/v1")
        .model_resource::<CategoryResource>()
        .model_resource::<ArticleResource>()
        .openapi()
        .pages(Pages::new())
        .store(store);
    serve("127.0.0.1:0", api.into_service()).await?;
    Ok(())
}
