//! The articles of `backend` without accounts and policies, which the other servers do not have either. Beside them are
//! articles with their tags, and invoices that are written with their lines.

use backend::models::{Article, Category, Tag};
use backend::serializers::{ArticleSerializer, CategorySerializer};
use clap::Parser;
use model_resource::{
    Api, CREATE, Columns, DELETE, DefaultSerializer, Model, ModelResource, ModelSerializer, Operations,
    PATCH, PUT, Pages, SerializerFields, model_resource, serializer, serve,
};

#[model_resource(Category, "/categories", "/categories/<int:id>", serializer = CategorySerializer)]
struct CategoryResource;

/// Articles as `backend` serves them, without their policy.
struct ArticleResource;

#[model_resource(Article, "/articles", "/articles/<int:id>", serializer = OpenArticleSerializer)]
impl ModelResource for ArticleResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const SEARCH: Columns<Article> = Columns::of(Article::TITLE)
        .and(Article::SUMMARY)
        .and(Article::BODY);
}

/// Relates an article to a tag.
#[derive(Model)]
#[model(unique(article_id, tag_id))]
struct ArticleTag {
    #[column(primary_key)]
    id: i64,
    #[column(references = Article, on_delete = cascade)]
    article_id: i64,
    #[column(references = Tag, on_delete = cascade)]
    tag_id: i64,
}

/// Articles of `backend`, with their tags if expanded.
struct OpenArticleSerializer;

#[serializer]
impl ModelSerializer for OpenArticleSerializer {
    type Model = Article;

    fn fields(fields: SerializerFields<Article>) -> SerializerFields<Article> {
        ArticleSerializer::fields(fields).many_to_many::<DefaultSerializer<Tag>>(
            "tags",
            ArticleTag::ARTICLE_ID,
            ArticleTag::TAG_ID,
        )
    }
}

#[derive(Model)]
struct Invoice {
    #[column(primary_key)]
    id: i64,
    number: String,
}

#[derive(Model)]
struct InvoiceLine {
    #[column(primary_key)]
    id: i64,
    #[column(references = Invoice, on_delete = cascade)]
    invoice_id: i64,
    #[column(min_length = 1)]
    text: String,
    #[column(min = 1)]
    cents: i64,
}

struct LineSerializer;

#[serializer]
impl ModelSerializer for LineSerializer {
    type Model = InvoiceLine;
}

struct InvoiceSerializer;

#[serializer]
impl ModelSerializer for InvoiceSerializer {
    type Model = Invoice;

    fn fields(fields: SerializerFields<Invoice>) -> SerializerFields<Invoice> {
        fields
            .has_many::<LineSerializer>("lines", InvoiceLine::INVOICE_ID)
            .always("lines")
            .writable("lines")
    }
}

#[model_resource(Invoice, "/invoices", "/invoices/<int:id>", serializer = InvoiceSerializer)]
struct InvoiceResource;

#[model_resource(InvoiceLine, "/lines", "/lines/<int:id>", serializer = LineSerializer)]
struct LineResource;

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
    let _log = model_resource_cli::start_log("BACKEND_LOG")?;
    let store = backend::app::APPLICATION.open(&Cli::parse().database).await?;
    let api = Api::new("open")
        .prefix("/api/v1")
        .model_resource::<CategoryResource>()
        .model_resource::<ArticleResource>()
        .model_resource::<InvoiceResource>()
        .model_resource::<LineResource>()
        .openapi()
        .pages(Pages::new());
    // Those that are not of `backend`.
    let tables = [ArticleTag::table(), Invoice::table(), InvoiceLine::table()];
    store.create_tables(&tables).await?;
    serve("127.0.0.1:0", api.store(store).into_service()).await?;
    Ok(())
}
