//! Requests that are answered with pages, and those that are not.

use axum::response::Html;
use http::{HeaderMap, StatusCode};
use model_resource::{Api, Model, ModelResource, Pages, Representations, Result, model_resource, route};
use serde_json::{Value, json};
use test_support::{Response, TestApp};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
struct LampResource;

/// Resource with HTML of its own.
struct OwnHtmlResource;

#[model_resource(Lamp, "/own", endpoint = "own")]
impl ModelResource for OwnHtmlResource {
    fn representations() -> Representations {
        let own = |data: Value, status: StatusCode, headers: HeaderMap| -> Result<axum::response::Response> {
            use axum::response::IntoResponse;
            Ok((status, headers, format!("own: {data}")).into_response())
        };
        Representations::none().with("text/html", own)
    }
}

#[route("/hello")]
async fn hello() -> Html<&'static str> {
    Html("<p>Hello!</p>")
}

fn api() -> Api {
    Api::new("lighting")
        .prefix("/api")
        .model_resource::<LampResource>()
        .model_resource::<OwnHtmlResource>()
        .route(hello)
        .openapi()
}

async fn app() -> TestApp {
    let app = TestApp::with_api(api().pages(Pages::new())).await;
    app.post("/api/lamps", json!({"name": "desk"})).await.expect(201);
    app
}

async fn get(app: &TestApp, accept: &str, path: &str) -> Response {
    app.with_header("accept", accept).get(path).await
}

/// PAGE-3
#[tokio::test]
async fn only_clients_that_prefer_html_get_pages() {
    let app = app().await;
    for accept in [
        "*/*",
        "application/json",
        "text/*",
        "application/json, text/html",
        "text/html;q=0.5, application/json",
        "text/html;q=0.5, text/csv",
        "text/html;q=0",
    ] {
        let answer = get(&app, accept, "/api/lamps/1").await.expect(200);
        assert_eq!(answer.header("content-type"), "application/json", "{accept}");
    }
    for accept in [BROWSER, "text/html", "text/html, application/json;q=0.9"] {
        for path in ["/api/lamps", "/api/lamps/1"] {
            let answer = get(&app, accept, path).await.expect(200);
            assert_eq!(
                answer.header("content-type"),
                "text/html; charset=utf-8",
                "{accept}"
            );
            assert!(answer.header("vary").contains("accept"), "{accept}");
            assert_ne!(answer.header("cache-control"), "", "{accept}");
        }
    }
}

/// PAGE-3: without `Api::pages` browsers get JSON.
#[tokio::test]
async fn an_api_without_pages_answers_browsers_with_json() {
    let app = TestApp::with_api(api()).await;
    let answer = get(&app, BROWSER, "/api/lamps").await.expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
}

/// PAGE-4
#[tokio::test]
async fn errors_are_pages_with_the_status_of_the_json() {
    let app = app().await;
    for (path, status) in [
        ("/api/lamps/9", 404),
        ("/api/nothing", 404),
        ("/api/lamps?colour=red", 400),
        ("/api/lamps?page=0", 400),
    ] {
        let answer = get(&app, BROWSER, path).await.expect(status);
        assert_eq!(
            answer.header("content-type"),
            "text/html; charset=utf-8",
            "{path}"
        );
        let head = app.with_header("accept", BROWSER).head(path).await.expect(status);
        assert_eq!(head.text(), "");
    }
}

/// PAGE-5
#[tokio::test]
async fn responses_that_are_not_json_are_sent_unchanged() {
    let app = app().await;
    assert_eq!(
        get(&app, BROWSER, "/api/hello").await.expect(200).text(),
        "<p>Hello!</p>"
    );
    let own = get(&app, BROWSER, "/api/own").await.expect(200);
    assert_eq!(own.text(), "own: [{\"id\":1,\"name\":\"desk\"}]");
    let csv = get(&app, BROWSER, "/api/lamps?format=csv").await.expect(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let document = get(&app, BROWSER, "/api/openapi.json").await.expect(200);
    assert_eq!(document.header("content-type"), "application/json");
}

/// PAGE-6
#[tokio::test]
async fn a_form_is_redirected_to_its_url_without_empty_inputs() {
    let app = app().await;
    let path = "/api/lamps?_form=1&q=&sort=-id&name[contains]=a%26b";
    let answer = get(&app, BROWSER, path).await.expect(303);
    assert_eq!(
        answer.header("location"),
        "/api/lamps?sort=-id&name[contains]=a%26b"
    );
}

/// PAGE-6: the parameters of pages are no parameters of the api.
#[tokio::test]
async fn parameters_of_pages_are_unknown_to_the_api() {
    let app = app().await;
    get(&app, BROWSER, "/api/lamps?_view=new").await.expect(200);
    get(&app, "application/json", "/api/lamps?_view=new")
        .await
        .expect(400);
}

/// PAGE-41: the api rejects what it would reject without the page.
#[tokio::test]
async fn a_page_has_the_status_of_the_json_for_every_query() {
    let app = app().await;
    let long = "!".repeat(25_000);
    for (query, status) in [
        ("name=%ff", 400),
        ("name=a+b&%5fview=json", 200),
        (&format!("name[ne]={}", &long[..7_000]), 200),
        (&format!("name[ne]={long}"), 414),
    ] {
        let page = get(&app, BROWSER, &format!("/api/lamps?{query}"))
            .await
            .expect(status);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        // Links to other pages of the list are on the page, and may be long.
        assert!(!page.header("link").contains("rel=\"first\""));
        assert!(
            status == 200 || page.text().len() < 10_000,
            "the page repeats the query"
        );
    }
}
