//! A cache in front of the application.

use serde_json::json;
use test_support::{Client, Process, Response, TestDatabase};

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

/// Adds a published article and a draft by the admin. Returns the admin, and their token.
async fn admin_with_articles(database: &TestDatabase, process: &Process) -> (Client, String) {
    let store = Store::open(&database.url()).await.unwrap();
    let token = admin_token(&store).await;
    let direct = Client::new(process.address).with_token(&token);
    for (title, published) in [("Public", true), ("Draft", false)] {
        let article = json!({"title": title, "body": "A text.", "published": published});
        direct.post("/api/v1/articles", article).await.expect(201);
    }
    (direct, token)
}

/// Logs a new user with an own draft in, and returns the cookie of the session.
async fn session_with_draft(process: &Process) -> String {
    let anyone = Client::new(process.address);
    let user = json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"});
    anyone.post("/api/v1/auth/users", user).await.expect(201);
    let login = json!({"email": "ann", "password": "correct horse", "credential": "session"});
    let login = anyone.post("/api/v1/auth/login", login).await.expect(200);
    let cookie = login.header("set-cookie").split(';').next().unwrap().to_owned();
    let csrf_token = login.json()["csrfToken"].as_str().unwrap().to_owned();
    let ann = anyone
        .with_header("cookie", &cookie)
        .with_header("x-csrftoken", &csrf_token);
    let draft = json!({"title": "Ann's draft", "body": "A text.", "published": false});
    ann.post("/api/v1/articles", draft).await.expect(201);
    cookie
}

/// CACHE-1: a cache that stores what it may never answers one caller with the response to another.
#[tokio::test(flavor = "multi_thread")]
async fn a_cache_never_serves_the_response_of_another_caller() {
    let database = TestDatabase::create();
    let [port, ..] = free_ports();
    let process = start(&database, port);
    until_ready(process.address).await;
    let (direct, token) = admin_with_articles(&database, &process).await;
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

/// CACHE-1: neither the cookie of a session nor the tags that a client knows bring it the response to another caller.
#[tokio::test(flavor = "multi_thread")]
async fn a_cache_never_serves_a_session_or_a_known_tag_the_response_of_another_caller() {
    let database = TestDatabase::create();
    let [port, ..] = free_ports();
    let process = start(&database, port);
    until_ready(process.address).await;
    let (_, token) = admin_with_articles(&database, &process).await;
    let cookie = session_with_draft(&process).await;
    let proxy = Proxy::caching_nginx(port);
    until_ready(proxy.address).await;
    let anonymous = Client::new(proxy.address);
    let session = anonymous.with_header("cookie", &cookie);
    let admin = anonymous.with_token(&token);
    let callers = [
        (&anonymous, vec!["Public"]),
        (&session, vec!["Public", "Ann's draft"]),
        (&admin, vec!["Public", "Draft", "Ann's draft"]),
    ];
    // Before anything is stored, and in both orders after that.
    let list = "/api/v1/articles";
    let mut tags = Vec::new();
    for (client, visible) in callers.iter().chain(callers.iter().rev()) {
        let response = client.get(list).await.expect(200);
        assert_eq!(titles(&response), *visible);
        assert_eq!(response.header("set-cookie"), "");
        if visible.len() > 1 {
            assert_ne!(response.header("x-cache"), "HIT");
            assert_eq!(response.header("cache-control"), "no-store");
        }
        tags.push(response.header("etag").to_owned());
    }
    assert_eq!(anonymous.get(list).await.header("x-cache"), "HIT");
    tags.truncate(callers.len());
    // Each caller with the tag of each in all orders. nginx answers itself whether what it has stored is known,
    // and asks without the tag for what it may not store.
    for _ in 0..2 {
        for (own, (client, visible)) in callers.iter().enumerate() {
            for (number, tag) in tags.iter().enumerate() {
                let response = client.with_header("if-none-match", tag).get(list).await;
                if response.status == 304 {
                    assert_eq!((number, response.header("etag")), (own, tag.as_str()));
                    assert!(response.body.is_empty());
                } else {
                    assert_eq!(titles(&response.expect(200)), *visible);
                }
            }
        }
    }
    anonymous
        .with_header("if-none-match", &tags[0])
        .get(list)
        .await
        .expect(304);
    check_known_objects(&anonymous, &session, &admin).await;
}

/// Asks for Ann's draft and the public article with their tags, as everybody.
async fn check_known_objects(anonymous: &Client, session: &Client, admin: &Client) {
    let (public, draft) = ("/api/v1/articles/1", "/api/v1/articles/3");
    let [public_tag, draft_tag] = [session.get(public).await, session.get(draft).await]
        .map(|response| response.expect(200).header("etag").to_owned());
    for _ in 0..2 {
        for (client, url, tag, title) in [
            (session, draft, &draft_tag, "Ann's draft"),
            (anonymous, public, &public_tag, "Public"),
            (admin, draft, &draft_tag, "Ann's draft"),
            (session, public, &public_tag, "Public"),
            (admin, public, &public_tag, "Public"),
        ] {
            let known = client.with_header("if-none-match", tag).get(url).await;
            assert!(known.status == 304 || known.json()["title"] == title);
            assert_eq!(client.get(url).await.expect(200).json()["title"], title);
        }
        for tag in [draft_tag.as_str(), "*"] {
            let knowing = anonymous.with_header("if-none-match", tag);
            knowing.get(draft).await.expect(404);
        }
        anonymous.get(draft).await.expect(404);
    }
}
