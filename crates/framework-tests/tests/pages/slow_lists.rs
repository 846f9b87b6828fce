//! Pages of an api whose database is slow.

use std::time::{Duration, Instant};

use model_resource::{
    Api, Context, LIST, MethodDecorators, Model, ModelResource, Next, Pages, Reply, Result, model_resource,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
struct Street {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Street, "/streets", "/streets/<int:id>")]
struct StreetResource;

#[derive(Debug, Clone, Model)]
struct House {
    #[column(primary_key)]
    id: i64,
    #[column(references = Street)]
    street_id: i64,
}

/// Takes longer than a page waits.
async fn slow(cx: Context, next: Next) -> Result<Reply> {
    tokio::time::sleep(Duration::from_secs(20)).await;
    next.run(cx).await
}

struct HouseResource;

#[model_resource(House, "/houses", "/houses/<int:id>")]
impl ModelResource for HouseResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(LIST, slow)
    }
}

async fn app() -> TestApp {
    let api = Api::new("town")
        .prefix("/api")
        .model_resource::<StreetResource>()
        .model_resource::<HouseResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.post("/api/streets", json!({"name": "Elm Street"}))
        .await
        .expect(201);
    app
}

/// PAGE-29
#[tokio::test]
async fn a_page_does_not_wait_for_slow_lists_besides_its_own() {
    let app = app().await;
    let begin = Instant::now();
    for (path, expected) in [
        ("/api", "Streets"),
        ("/api/streets/1", "Elm Street"),
        (
            "/api/streets/1?_view=delete",
            "rows that could not be counted in time",
        ),
    ] {
        let page = app.with_header("accept", "text/html").get(path).await.expect(200);
        assert!(page.text().contains(expected), "{path}: {}", page.text());
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "a page waited");
}
