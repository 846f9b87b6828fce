//! The docs page and its files.

use std::io::Read;

use axum::Router;
use flate2::read::GzDecoder;
use model_resource::{Api, Authenticate, Caller, Context, Error, Result};
use test_support::{Client, Response, TestApp};

use crate::boats::boats;

/// URLs of the stylesheet and the scripts that a page loads.
fn loaded(page: &str) -> Vec<String> {
    let starts = ["<link rel=\"stylesheet\" href=\"", "<script src=\""];
    let url = |line: &str| {
        let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    page.lines().filter_map(url).collect()
}

async fn docs(client: &Client, path: &str) -> Response {
    let page = client.get(path).await.expect(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    page
}

/// OAS-32: the page loads two stylesheets and two scripts of the api, and its policy allows nothing else.
#[tokio::test]
async fn the_page_loads_files_of_the_api_alone() {
    let app = TestApp::with_api(boats().docs()).await;
    for path in ["/api/docs", "/api/docs/"] {
        let page = docs(&app, path).await;
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(page.header("cache-control"), "no-cache");
        let text = page.text();
        assert!(!text.contains("<style") && !text.contains("<script>") && !text.contains(" on"));
        assert!(text.contains("data-document=\"/api/openapi.json\"") && text.contains("data-index=\"/api\""));
        let files = loaded(&text);
        assert_eq!(files.len(), 4, "{files:?}");
        for file in files {
            assert!(file.starts_with("/api/docs/"));
            let file = app.get(&file).await.expect(200);
            assert_eq!(
                file.header("cache-control"),
                "public, max-age=31536000, immutable"
            );
            assert!(
                ["text/javascript", "text/css"]
                    .contains(&file.header("content-type").split(';').next().unwrap())
            );
        }
    }
    let index = app.get("/api").await.expect(200);
    assert_eq!(index.json()["links"]["docs"], "/api/docs");
    let links = "</api/openapi.json>; rel=\"service-desc\", </api/docs>; rel=\"service-doc\"";
    assert_eq!(index.header("link"), links);
}

/// OAS-33: files are sent compressed to clients that accept it, and inflated to others.
#[tokio::test]
async fn files_are_compressed_for_clients_that_accept_it() {
    let app = TestApp::with_api(boats().docs()).await;
    let page = docs(&app, "/api/docs").await.text();
    let bundle = loaded(&page)
        .into_iter()
        .find(|file| file.contains("bundle"))
        .unwrap();
    let plain = app.get(&bundle).await.expect(200);
    assert!(plain.headers.get("content-encoding").is_none());
    assert!(plain.text().contains("SwaggerUIBundle"));
    let compressed = app
        .with_header("accept-encoding", "br, gzip")
        .get(&bundle)
        .await
        .expect(200);
    assert_eq!(compressed.header("content-encoding"), "gzip");
    assert_eq!(compressed.header("vary"), "accept-encoding");
    assert!(compressed.body.len() * 3 < plain.body.len());
    let mut inflated = Vec::new();
    GzDecoder::new(&compressed.body[..])
        .read_to_end(&mut inflated)
        .unwrap();
    assert_eq!(inflated, plain.body);
    assert!(app.head(&bundle).await.expect(200).body.is_empty());
}

/// Authenticator that rejects everybody.
struct Nobody;

impl Authenticate for Nobody {
    async fn authenticate(&self, _: &mut Context) -> Result<Caller> {
        Err(Error::unauthorized())
    }
}

/// OAS-32: the page and its files are the same for everybody, so that nobody is authenticated for them.
#[tokio::test]
async fn nobody_is_authenticated_for_the_page() {
    let app = TestApp::with_api(boats().authenticator(Nobody).docs()).await;
    let page = docs(&app, "/api/docs").await.text();
    for file in loaded(&page) {
        app.get(&file).await.expect(200);
    }
    app.get("/api/openapi.json").await.expect(401);
    let without = TestApp::with_api(boats()).await;
    without.get("/api/docs").await.expect(404);
}

/// OAS-32: below an outer router, and with a parameter in the prefix, the page loads what its client can reach.
#[tokio::test]
async fn the_page_works_below_an_outer_router() {
    let api = || {
        Api::new("a \"<b>\"")
            .docs()
            .prefix("/t/<tenant>")
            .unscoped("tenant")
    };
    let app = TestApp::with_router(&[], |_| Router::new().nest_service("/x", api().into_service())).await;
    let page = docs(&app, "/x/t/acme%20co/docs").await.text();
    assert!(page.contains("<title>a &quot;&lt;b>&quot;: documentation</title>"));
    assert!(page.contains("data-document=\"/x/t/acme%20co/openapi.json\""));
    for file in loaded(&page) {
        assert!(file.starts_with("/x/t/acme%20co/docs/"));
        app.get(&file).await.expect(200);
    }
}
