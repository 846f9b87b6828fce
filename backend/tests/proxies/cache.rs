//! A cache in front of the application.

use serde_json::json;
use test_support::{Client, Response, TestDatabase};

use crate::proxy::Proxy;
use crate::support::accounts::admin_token;
use crate::{free_ports, start, until_ready};
use model_resource::Store;

/// Titles of a list.
fn titles(response: &Response) -> Vec<String> {
    let articles = response.json();
    let articles = articles.as_array().unwrap().iter();
    articles
        .map(|article| article["title"].as_str().unwrap().to_owned())
        .collect()
}

/// CACHE-1: a cache that stores what it may never answers one caller with the response to another.
#[tokio::test(flavor = "multi_thread")]
async fn a_cache_never_serves_the_response_of_another_caller() {
    let database = TestDatabase::create();
    let [port, ..] = free_ports();
    let process = start(&database, port);
    until_ready(process.address).await;
    let store = Store::open(&database.url()).await.unwrap();
    let token = admin_token(&store).await;
    let direct = Client::new(process.address).with_token(&token);
    for (title, published) in [("Public", true), ("Draft", false)] {
        let article = json!({"title": title, "body": "A text.", "published": published});
        direct.post("/api/v1/articles", article).await.expect(201);
    }
    let proxy = Proxy::caching_nginx(port);
    until_ready(proxy.address).await;
    let anonymous = Client::new(proxy.address);
    let admin = anonymous.with_token(&token);
    let alias = anonymous.with_header("authentication-token", &token);
    let forged = anonymous.with_header("cookie", "session=none");
    let list = "/api/v1/articles";

    let first = anonymous.get(list).await.expect(200);
    assert_eq!(
        (titles(&first), first.header("x-cache")),
        (vec!["Public".to_owned()], "MISS")
    );
    let again = anonymous.get(list).await.expect(200);
    assert_eq!((titles(&again), again.header("x-cache")), (titles(&first), "HIT"));
    for client in [&admin, &alias, &admin] {
        let response = client.get(list).await.expect(200);
        assert_eq!(titles(&response).len(), 2);
        assert_ne!(response.header("x-cache"), "HIT");
        assert_eq!(response.header("cache-control"), "no-store");
    }
    assert_eq!(titles(&anonymous.get(list).await), titles(&first));
    assert_eq!(titles(&forged.get(list).await), titles(&first));
    // An object that the anonymous caller cannot see, after one who can.
    let draft = "/api/v1/articles/2";
    admin.get(draft).await.expect(200);
    anonymous.get(draft).await.expect(404);
    admin.get(draft).await.expect(200);
    // The page of a browser, after the JSON.
    let browser = anonymous.with_header("accept", "text/html");
    assert!(browser.get(list).await.expect(200).text().starts_with("<!"));
    assert_eq!(titles(&anonymous.get(list).await), titles(&first));
    // The coding that each client accepts.
    let article = json!({"title": "Long", "body": "word ".repeat(1000), "published": true});
    direct.post("/api/v1/articles", article).await.expect(201);
    let long = "/api/v1/articles/3";
    for codings in ["zstd", "", "gzip", "br", "gzip", "", "zstd"] {
        let client = anonymous.with_header("accept-encoding", codings);
        let response = client.get(long).await.expect(200);
        assert_eq!(response.header("content-encoding"), codings);
        assert_eq!(response.body.starts_with(b"{"), codings.is_empty());
    }
}
