//! Pages of an api below other routers and behind proxies that strip a prefix.

use axum::Router;
use model_resource::{Api, Model, Pages, model_resource};
use serde_json::json;
use test_support::{RawConnection, TestApp};

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
struct LampResource;

fn api() -> Api {
    Api::new("lighting")
        .model_resource::<LampResource>()
        .docs()
        .pages(Pages::new())
}

/// URLs that a page links to or loads.
fn links(page: &str) -> Vec<&str> {
    let attributes = [
        " href=\"",
        " src=\"",
        " action=\"",
        " data-list=\"",
        " data-item=\"",
        " data-next=\"",
    ];
    let found = attributes
        .iter()
        .flat_map(|attribute| page.split(attribute).skip(1));
    let urls = found.map(|rest| rest.split('"').next().unwrap_or_default());
    urls.filter(|url| !url.is_empty() && !url.starts_with('#') && *url != "data:,")
        .collect()
}

const PATHS: [&str; 7] = [
    "",
    "/lamps",
    "/lamps?sort=-id",
    "/lamps?_view=new",
    "/lamps/1",
    "/lamps/9",
    "/nothing",
];

/// PAGE-45
#[tokio::test]
async fn links_have_the_prefix_that_a_proxy_has_stripped() {
    let app = TestApp::with_api(api().prefix("/api").mounted_at("/shop")).await;
    app.post("/api/lamps", json!({"name": "desk"})).await.expect(201);
    let browser = app.with_header("accept", "text/html");
    for path in PATHS {
        let page = browser.get(&format!("/api{path}")).await.text();
        for link in links(&page) {
            assert!(link.starts_with("/shop/api"), "{path}: {link}");
        }
        let all = browser.get(&format!("/shop/api{path}")).await.text();
        assert_eq!(links(&all), links(&page), "{path}");
    }
    let overview = browser.get("/api").await.expect(200).text();
    assert!(overview.contains("data-label=\"Rows\">1</td>"), "{overview}");
}

/// PAGE-45
#[tokio::test]
async fn links_have_the_prefix_of_outer_routers() {
    let tables = api().tables();
    let app = TestApp::with_router(&tables, |store| {
        Router::new().nest_service("/x", api().prefix("/api").store(store).into_service())
    })
    .await;
    app.post("/x/api/lamps", json!({"name": "desk"}))
        .await
        .expect(201);
    let browser = app.with_header("accept", "text/html");
    for path in PATHS {
        let page = browser.get(&format!("/x/api{path}")).await.text();
        assert!(!links(&page).is_empty(), "{path}: {page}");
        for link in links(&page) {
            assert!(link.starts_with("/x/api"), "{path}: {link}");
        }
    }
}

/// PAGE-45: a browser takes `//` for the beginning of another host.
#[tokio::test]
async fn links_of_an_unknown_url_lead_to_no_other_host() {
    let app = TestApp::with_api(api()).await;
    for path in ["//evil.example/a", "/\\evil.example/a", "///evil.example"] {
        let mut connection = RawConnection::connect(app.address).await;
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: h\r\naccept: text/html\r\nconnection: close\r\n\r\n");
        connection.send(request).await.unwrap();
        let page = connection.read_to_end().await;
        assert!(page.contains("text/html"), "{page}");
        for link in links(&page) {
            let is_own = link.starts_with('/') && !link.starts_with("//") && !link.starts_with("/\\");
            assert!(is_own, "{path}: {link}");
        }
    }
}

/// PAGE-60
#[tokio::test]
async fn pages_link_to_the_documents_of_the_api() {
    let app = TestApp::with_api(api().prefix("/api")).await;
    let browser = app.with_header("accept", "text/html");
    for path in PATHS {
        let page = browser.get(&format!("/api{path}")).await.text();
        for link in [
            "<a href=\"/api/docs\">API documentation</a>",
            "<a href=\"/api/openapi.json\">OpenAPI document</a>",
        ] {
            assert!(page.contains(link), "{path} {link}: {page}");
        }
    }
    let overview = browser.get("/api").await.text();
    assert!(
        overview.contains("<a class=\"button\" href=\"/api/docs\">"),
        "{overview}"
    );
}
