//! Pages of responses that are large, and of queries that are long.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use model_resource::{
    Api, Context, Error, Json, LIST, MethodDecorators, Model, ModelResource, Next, Pages, Reply, Result,
    model_resource,
};
use serde_json::{Value, json};
use test_support::{Response, TestApp};

#[derive(Debug, Clone, Model)]
struct Crate {
    #[column(primary_key)]
    id: i64,
    name: String,
    content: Json,
}

#[model_resource(Crate, "/crates", "/crates/<int:id>")]
struct CrateResource;

#[derive(Debug, Clone, Model)]
struct Port {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// Takes longer than a page waits.
async fn slow(cx: Context, next: Next) -> Result<Reply> {
    tokio::time::sleep(Duration::from_secs(20)).await;
    next.run(cx).await
}

struct PortResource;

#[model_resource(Port, "/ports", "/ports/<int:id>")]
impl ModelResource for PortResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(LIST, slow)
    }
}

#[derive(Debug, Clone, Model)]
struct Ship {
    #[column(primary_key)]
    id: i64,
    #[column(references = Port)]
    port_id: i64,
    cargo: Json,
}

/// Rejects a request for a single row with all its fields.
async fn no_whole_row(cx: Context, next: Next) -> Result<Reply> {
    if cx.query("pageSize").as_deref() == Some("1") && cx.query("fields").is_none() {
        return Err(Error::not_found());
    }
    next.run(cx).await
}

struct ShipResource;

#[model_resource(Ship, "/ships", "/ships/<int:id>")]
impl ModelResource for ShipResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(LIST, no_whole_row)
    }
}

async fn app() -> TestApp {
    let api = Api::new("harbour")
        .prefix("/api")
        .model_resource::<CrateResource>()
        .model_resource::<PortResource>()
        .model_resource::<ShipResource>()
        .pages(Pages::new());
    TestApp::with_api(api).await
}

async fn add(app: &TestApp, count: usize, bytes: usize) {
    for number in 0..count {
        let content = Value::String("x".repeat(bytes));
        app.post(
            "/api/crates",
            json!({"name": format!("crate {number}"), "content": content}),
        )
        .await
        .expect(201);
    }
}

async fn page(app: &TestApp, path: &str) -> Response {
    app.with_header("accept", "text/html").get(path).await
}

/// PAGE-40
#[tokio::test]
async fn a_response_that_is_too_large_for_a_page_is_an_error_with_a_way_to_less() {
    let app = app().await;
    add(&app, 12, 500_000).await;
    for path in [
        "/api/crates",
        "/api/crates?_view=json",
        "/api/crates?count=none",
        "/api/crates?limit=12",
    ] {
        let page = page(&app, path).await.expect(406).text();
        assert!(
            page.contains("The response is larger than 4 MiB, the limit of a page."),
            "{path}"
        );
        assert!(page.contains("/api/crates?pageSize=10"), "{path}");
        assert!(page.len() < 20_000, "{path}: {}", page.len());
    }
    let one = page(&app, "/api/crates?pageSize=10").await.expect(406).text();
    assert!(one.contains("/api/crates?pageSize=1\""), "{one}");
    page(&app, "/api/crates?pageSize=1").await.expect(200);
    page(&app, "/api/crates/1").await.expect(200);
    // JSON has no such limit.
    app.get("/api/crates").await.expect(200);
}

/// PAGE-40: rows are counted without reading them.
#[tokio::test]
async fn the_overview_and_a_deletion_count_rows_without_their_fields() {
    let app = app().await;
    app.post("/api/ports", json!({"name": "Leith"})).await.expect(201);
    app.post("/api/ships", json!({"portId": 1, "cargo": "coal"}))
        .await
        .expect(201);
    let overview = page(&app, "/api").await.expect(200).text();
    assert!(overview.contains("data-label=\"Rows\">1</td>"), "{overview}");
    let deletion = page(&app, "/api/ports/1?_view=delete").await.expect(200).text();
    assert!(deletion.contains("1 row"), "{deletion}");
}

/// PAGE-40: large pages take turns, so that they leave processors and memory to other requests. Here some wait for the
/// names of their ports.
#[tokio::test]
async fn large_pages_take_turns_and_small_ones_do_not_wait() {
    let app = app().await;
    let content = Value::String("x".repeat(300_000));
    app.post("/api/ports", json!({"name": "Leith"})).await.expect(201);
    app.post("/api/ships", json!({"portId": 1, "cargo": content}))
        .await
        .expect(201);
    let turns = available_parallelism().unwrap().get().div_ceil(2);
    let waiting = join_all((0..turns).map(|_| page(&app, "/api/ships?fields=portId,cargo")));
    let others = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let begin = Instant::now();
        page(&app, "/api/crates").await.expect(200);
        let small = begin.elapsed();
        page(&app, "/api/ships?_view=json").await.expect(200);
        (small, begin.elapsed())
    };
    let (_, (small, large)) = tokio::join!(waiting, others);
    assert!(small * 2 < large, "{small:?}, {large:?}");
    assert!(large > Duration::from_secs(1), "{large:?}");
}
