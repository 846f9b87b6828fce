//! A decorator is a function around an operation: it may reject the request, pass it on, and change the reply. A
//! decorator with arguments is a function that returns a closure. A decorator that authorizes callers is added as a
//! guard.
//!
//! ```text
//! cargo run -p model-resource --example custom_decorator
//!
//! curl localhost:8000/readings --json '{"celsius": 21.5}'
//! # 401 {"message":"Authentication is required."}
//! curl localhost:8000/readings --json '{"celsius": 21.5}' -H 'X-Station-Key: sesame'
//! # 201 {"id":1,"celsius":21.5}
//! curl localhost:8000/readings --json '{"celsius": 22.0}' -H 'X-Station-Key: sesame'
//! # 201 {"id":2,"celsius":22.0}
//! curl localhost:8000/readings --json '{"celsius": 22.5}' -H 'X-Station-Key: sesame'
//! # 429 {"message":"At most 2 readings, please."}
//! curl localhost:8000/readings -i
//! # 200 [{"id":1,"celsius":21.5},{"id":2,"celsius":22.0}]
//! # cache-control: max-age=60
//! ```

use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::{HeaderValue, StatusCode, header};
use model_resource::{
    Api, CREATE, Context, Decorator, Error, GET, LIST, MethodDecorators, Model, ModelResource,
    ModelSerializer, Next, Operations, Reply, Result, Store, model_resource, serializer, serve,
};

/// Rejects requests without the station key.
async fn station_key_required(cx: Context, next: Next) -> Result<Reply> {
    match cx.headers().get("x-station-key") {
        Some(key) if key == "sesame" => next.run(cx).await,
        _ => Err(Error::unauthorized()),
    }
}

/// Lets `limit` requests through until the application restarts.
fn at_most(limit: u32) -> impl Decorator {
    let count = AtomicU32::new(0);
    move |cx: Context, next: Next| {
        let is_over = count.fetch_add(1, Ordering::Relaxed) >= limit;
        async move {
            if is_over {
                let message = format!("At most {limit} readings, please.");
                return Err(Error::named("TooMany", StatusCode::TOO_MANY_REQUESTS, message));
            }
            next.run(cx).await
        }
    }
}

/// Lets clients cache the response for a minute.
async fn cached(cx: Context, next: Next) -> Result<Reply> {
    let reply = next.run(cx).await?;
    Ok(reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("max-age=60")))
}

/// Temperature reading.
#[derive(Model)]
struct Reading {
    #[column(primary_key)]
    id: i64,
    celsius: f64,
}

struct ReadingSerializer;

#[serializer]
impl ModelSerializer for ReadingSerializer {
    type Model = Reading;
}

struct ReadingResource;

#[model_resource(Reading, "/readings", "/readings/<int:id>")]
impl ModelResource for ReadingResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, LIST]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .guard(CREATE, station_key_required)
            .on(CREATE, at_most(2))
            .on([GET, LIST], cached)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api = Api::new("weather")
        .serializer::<ReadingSerializer>()
        .model_resource::<ReadingResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
