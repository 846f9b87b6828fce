//! An api with up to 500 models of 20 columns each, to measure the cost of many models at startup and per request.

use clap::Parser;
use model_resource::{Api, Blueprint, Model, ModelSerializer, Store, model_resource, serializer, serve};
use seq_macro::seq;

#[derive(Parser)]
#[command(about)]
struct Cli {
    /// The number of models to serve
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=500))]
    models: u32,
    /// `sqlite:FILE` or `postgres://..`
    #[arg(long)]
    database: String,
}

/// Allocator of `backend`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cli = Cli::parse();
    let api = api(cli.models);
    let store = Store::open(&cli.database).await?;
    let tables = api.tables();
    store.create_tables(&tables).await?;
    serve("127.0.0.1:0", api.store(store).into_router()).await?;
    Ok(())
}

seq!(N in 0..500 {
    #[derive(Model)]
    struct Thing~N {
        #[column(primary_key)]
        id: i64,
        #[column(min_length = 1, max_length = 80)]
        name: String,
        title: String,
        city: String,
        street: String,
        phone: String,
        note: Option<String>,
        remark: Option<String>,
        comment: Option<String>,
        #[column(min = 0)]
        width: i64,
        height: i64,
        depth: i64,
        weight: i64,
        amount: i64,
        level: i32,
        ratio: f64,
        share: Option<f64>,
        is_new: bool,
        is_open: bool,
        is_done: bool,
    }

    struct ThingSerializer~N;

    #[serializer]
    impl ModelSerializer for ThingSerializer~N {
        type Model = Thing~N;
    }

    const GROUP~N: Blueprint = Blueprint::new(concat!("group", N), concat!("/group", N));

    #[model_resource(GROUP~N, Thing~N, "/things", "/things/<int:id>")]
    struct ThingResource~N;
});

/// Returns the api with the first `models` models.
fn api(models: u32) -> Api {
    let mut api = Api::new("things").prefix("/api/v1").openapi();
    seq!(N in 0..500 {
        if N < models {
            api = api.serializer::<ThingSerializer~N>().model_resource::<ThingResource~N>();
        }
    });
    api
}
