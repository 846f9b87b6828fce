//! URLs of the api, and the order of their parts.

use axum::Router;
use axum::response::Html;
use model_resource::{Api, Blueprint, model_resource};
use serde_json::json;
use test_support::{TestApp, startup_errors};

use super::{Note, in_site, notes, site};

const DESK: Blueprint = Blueprint::new("desk", "/desk");

#[model_resource(DESK, Note, "/papers", "/papers/<int:id>")]
struct PaperResource;

#[model_resource(Note, "/", "/<int:id>")]
struct RootResource;

/// API-7: outside the prefix the surrounding app handles unknown URLs.
#[tokio::test]
async fn an_unknown_url_outside_the_prefix_is_left_to_the_app() {
    let app = in_site(notes(Api::new("api").prefix("/api")), site()).await;
    for path in ["/nowhere", "/", "/apis", "/notes"] {
        let unknown = app.get(path).await.expect(404);
        assert_eq!(unknown.text(), "lost", "{path}");
    }
}

/// API-7: with `catch_all_404s` an unknown URL is a 404 in JSON, while the app's own routes are still served.
#[tokio::test]
async fn catch_all_404s_answers_every_unknown_url_in_json() {
    let api = notes(Api::new("api").prefix("/api").catch_all_404s(true));
    let app = in_site(api, site()).await;
    for path in ["/nowhere", "/", "/apis", "/notes"] {
        let unknown = app.get(path).await;
        assert_eq!(unknown.header("content-type"), "application/json", "{path}");
        unknown.expect_json(404, json!({"message": "Not found."}));
    }
    assert_eq!(app.get("/page").await.expect(200).text(), "<p>page");
    assert_eq!(app.get("/gone").await.expect(404).text(), "sold");
    app.get("/api/notes").await.expect_json(200, json!([]));
}

/// API-7: an api that catches all 404s does not affect another api in the same app.
#[tokio::test]
async fn catch_all_404s_does_not_affect_another_api_in_the_same_app() {
    let inner = notes(Api::new("inner").prefix("/v1"));
    let tables = inner.tables();
    let app = TestApp::with_router(&tables, |store| {
        let inside = inner.store(store.clone()).init_app(site());
        let outer = notes(Api::new("outer").prefix("/v2").catch_all_404s(true));
        outer.store(store).init_app(inside)
    })
    .await;
    for path in ["/v1/hello", "/v2/hello"] {
        app.get(path).await.expect_json(200, json!("hello"));
    }
    app.post("/v1/notes", json!({"text": "a"})).await.expect(201);
    assert_eq!(app.get("/page").await.expect(200).text(), "<p>page");
    for path in ["/nowhere", "/v1/nowhere", "/v2/nowhere"] {
        app.get(path)
            .await
            .expect_json(404, json!({"message": "Not found."}));
    }
}

/// API-8: below the prefix an unknown URL is a 404 in JSON, regardless of the app's fallback.
#[tokio::test]
async fn an_unknown_url_below_the_prefix_is_a_404_in_json() {
    let single_page = || Router::new().fallback(|| async { Html("<p>start") });
    for catch in [false, true] {
        for surroundings in [Router::new(), site(), single_page()] {
            let api = notes(Api::new("api").prefix("/api").catch_all_404s(catch));
            let app = in_site(api, surroundings).await;
            for path in ["/api/nowhere", "/api", "/api/notes/1/more", "/api/notes/one"] {
                let unknown = app.get(path).await;
                assert_eq!(unknown.header("content-type"), "application/json", "{path}");
                unknown.expect_json(404, json!({"message": "Not found."}));
            }
        }
    }
}

/// API-10: every permutation of the three letters arranges the URL accordingly.
#[tokio::test]
async fn url_part_order_arranges_the_parts_of_a_url() {
    for (order, collection, item) in [
        ("bae", "/mount/api/desk/papers", "/mount/api/desk/papers/1"),
        ("bea", "/mount/desk/papers/api", "/mount/desk/papers/1/api"),
        ("abe", "/api/mount/desk/papers", "/api/mount/desk/papers/1"),
        ("aeb", "/api/desk/papers/mount", "/api/desk/papers/1/mount"),
        ("eab", "/desk/papers/api/mount", "/desk/papers/1/api/mount"),
        ("eba", "/desk/papers/mount/api", "/desk/papers/1/mount/api"),
    ] {
        let api = Api::new("api").prefix("/api").mounted_at("/mount");
        let api = api.model_resource::<PaperResource>();
        let app = TestApp::with_api(api.url_part_order(order)).await;
        let created = app.post(collection, json!({"text": "a"})).await.expect(201);
        assert_eq!(created.header("location"), item, "{order}");
        app.get(item)
            .await
            .expect_json(200, json!({"id": 1, "text": "a"}));
        app.get("/desk/papers").await.expect(404);
    }
}

/// API-10: a URL that is only a slash works in every position.
#[tokio::test]
async fn url_part_order_arranges_the_root_too() {
    for (order, collection, item) in [
        ("bae", "/mount/api", "/mount/api/1"),
        ("aeb", "/api/mount", "/api/1/mount"),
        ("eab", "/api/mount", "/1/api/mount"),
    ] {
        let api = Api::new("api").prefix("/api").mounted_at("/mount");
        let api = api.model_resource::<RootResource>();
        let app = TestApp::with_api(api.url_part_order(order)).await;
        let created = app.post(collection, json!({"text": "a"})).await.expect(201);
        assert_eq!(created.header("location"), item, "{order}");
        app.get(item).await.expect(200);
    }
    let api = Api::new("api");
    let app = TestApp::with_api(api.model_resource::<RootResource>()).await;
    app.get("/").await.expect_json(200, json!([]));
}

/// API-10: any other text is rejected at startup.
#[tokio::test]
async fn another_url_part_order_is_rejected_at_startup() {
    for order in ["", "ba", "baee", "bbb", "abc", "BAE", "b-a-e"] {
        let mistakes = startup_errors(notes(Api::new("api").url_part_order(order))).await;
        assert_eq!(
            mistakes,
            [format!(
                "url_part_order {order:?} must hold each of the letters b, a and e once, such as \"bae\""
            )]
        );
    }
    assert!(
        startup_errors(notes(Api::new("api").url_part_order("eab")))
            .await
            .is_empty()
    );
}
