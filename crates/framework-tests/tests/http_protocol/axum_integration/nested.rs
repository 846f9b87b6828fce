//! URLs below other routers, and behind proxies that strip a prefix.

use axum::Router;
use axum::routing::get;
use model_resource::Api;
use serde_json::json;
use test_support::{Response, TestApp, startup_errors};

use super::notes;

/// Serves an api inside the router that `around` builds from it.
async fn served(api: Api, around: impl FnOnce(Router) -> Router) -> TestApp {
    let tables = api.tables();
    TestApp::with_router(&tables, |store| around(api.store(store).into_router())).await
}

/// Returns the URLs in a `Link` header without their queries.
fn linked(response: &Response) -> Vec<String> {
    let links = response.header("link").split(", ");
    let path = |link: &str| link.trim_start_matches('<').split('?').next().unwrap().to_owned();
    let mut paths: Vec<String> = links.map(path).collect();
    paths.dedup();
    paths
}

/// Requests URLs below `at` and asserts that every URL in the responses begins with the prefix.
async fn expect_urls_below(app: &TestApp, at: &str, prefix: &str) {
    let created = app
        .post(&format!("{at}/notes"), json!({"text": "a"}))
        .await
        .expect(201);
    let id = created.json()["id"].clone();
    assert_eq!(created.header("location"), format!("{prefix}/notes/{id}"));
    let listed = app.get(&format!("{at}/notes?limit=1")).await.expect(200);
    assert_eq!(linked(&listed), [format!("{prefix}/notes")]);
    let url = app.get(&format!("{at}/url-of/7")).await.expect(200);
    assert_eq!(url.json(), json!(format!("{prefix}/notes/7")));
}

/// API-12: below `nest`, once or twice, URLs in responses have the full path.
#[tokio::test]
async fn urls_below_nest_have_the_whole_path() {
    let app = served(notes(Api::new("api").prefix("/api")), |api| {
        Router::new().nest("/x", api)
    })
    .await;
    expect_urls_below(&app, "/x/api", "/x/api").await;
    app.get("/api/notes").await.expect(404);

    let api = notes(Api::new("api"));
    let tables = api.tables();
    let twice = |store| {
        let inner = Router::new().nest_service("/x", api.store(store).into_service());
        Router::new().nest("/y", inner)
    };
    let app = TestApp::with_router(&tables, twice).await;
    expect_urls_below(&app, "/y/x", "/y/x").await;
}

/// API-12: links of a nested list can be followed, including cursors.
#[tokio::test]
async fn links_below_nest_can_be_followed() {
    let app = served(notes(Api::new("api")), |api| Router::new().nest("/x", api)).await;
    for text in ["a", "b"] {
        app.post("/x/notes", json!({"text": text})).await.expect(201);
    }
    let first = app.get("/x/notes?cursor=&limit=1").await.expect(200);
    let links = first.header("link").split(", ");
    let next = links.clone().find(|link| link.ends_with("rel=\"next\"")).unwrap();
    let next = next.trim_start_matches('<').split('>').next().unwrap();
    app.get(next)
        .await
        .expect_json(200, json!([{"id": 2, "text": "b"}]));
}

/// API-12: the same holds below `nest_service`, below a prefix with a parameter, and beside other routes.
#[tokio::test]
async fn urls_below_other_kinds_of_nesting_have_the_whole_path() {
    let page = || Router::new().route("/page", get(|| async { "page" }));
    let app = served(notes(Api::new("api")), |api| page().nest("/t/{tenant}", api)).await;
    expect_urls_below(&app, "/t/a%20b", "/t/a%20b").await;
    assert_eq!(app.get("/page").await.expect(200).text(), "page");

    let api = notes(Api::new("api"));
    let tables = api.tables();
    let nested = |store| Router::new().nest_service("/x", api.store(store).into_service());
    let app = TestApp::with_router(&tables, nested).await;
    expect_urls_below(&app, "/x", "/x").await;
}

/// API-12: an api that is merged into a router or in front of it is not nested.
#[tokio::test]
async fn urls_of_a_merged_api_are_its_own() {
    let page = || Router::new().route("/page", get(|| async { "page" }));
    let app = served(notes(Api::new("api")), |api| page().merge(api)).await;
    expect_urls_below(&app, "", "").await;
    let api = notes(Api::new("api").prefix("/api"));
    let tables = api.tables();
    let app = TestApp::with_router(&tables, |store| api.store(store).init_app(page())).await;
    expect_urls_below(&app, "/api", "/api").await;
}

/// API-12: bulk creation works below `nest` too.
#[tokio::test]
async fn many_objects_are_written_below_nest() {
    let app = served(notes(Api::new("api")), |api| Router::new().nest("/x", api)).await;
    app.post("/x/notes", json!([{"text": "a"}, {"text": "b"}]))
        .await
        .expect(201);
    let changed = json!([{"id": 1, "text": "c"}]);
    app.patch("/x/notes", changed.clone())
        .await
        .expect_json(200, changed);
}

/// API-13: behind a proxy that strips `mounted_at`, URLs in responses include it. A proxy that keeps it works too.
#[tokio::test]
async fn urls_behind_a_proxy_begin_with_the_stripped_prefix() {
    let app = TestApp::with_api(notes(Api::new("api").prefix("/api").mounted_at("/ext"))).await;
    expect_urls_below(&app, "/api", "/ext/api").await;
    expect_urls_below(&app, "/ext/api", "/ext/api").await;
    for path in ["/api/nowhere", "/ext/api/nowhere"] {
        app.get(path)
            .await
            .expect_json(404, json!({"message": "Not found."}));
    }
    app.get("/ext/ext/api/notes").await.expect(404);
}

/// API-13: the proxy's prefix comes before the routers' prefixes.
#[tokio::test]
async fn a_proxys_prefix_comes_before_those_of_routers() {
    let api = notes(Api::new("api").mounted_at("/ext"));
    let app = served(api, |api| Router::new().nest("/x", api)).await;
    expect_urls_below(&app, "/x", "/ext/x").await;
}

/// API-13, API-10: a prefix that is not first in a URL cannot be stripped, so requests need the full URL.
#[tokio::test]
async fn a_mount_prefix_that_is_not_first_is_needed_in_requests() {
    let api = Api::new("api")
        .prefix("/api")
        .mounted_at("/ext")
        .url_part_order("abe");
    let app = TestApp::with_api(notes(api)).await;
    expect_urls_below(&app, "/api/ext", "/api/ext").await;
    app.get("/api/notes").await.expect(404);
}

/// API-13: a parameter in `mounted_at`, and a URL that equals another one without it, are rejected at startup.
#[tokio::test]
async fn a_mount_prefix_that_cannot_be_stripped_is_rejected_at_startup() {
    let mistakes = startup_errors(notes(Api::new("api").mounted_at("/t/<tenant>"))).await;
    assert_eq!(
        mistakes,
        ["mounted_at `/t/<tenant>` is what a proxy strips and has no parameters: put them into the `prefix`"]
    );
}
