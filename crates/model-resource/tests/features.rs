//! One application with any choice of features: it behaves the same, and refuses only what a disabled feature would add.
//!
//! `cargo xtask test` compiles and runs this with each database alone, and on SQLite with each optional feature alone.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use axum::body::{Body, to_bytes};
use http::{Method, Request, StatusCode, header};
use model_resource::{Api, ApiService, Model, ModelResource, Operations, Sql, Store, model_resource};
use tower::ServiceExt as _;

#[derive(Debug, Clone, Model)]
#[model(table = "feature_books")]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 1)]
    title: String,
}

struct BookResource;

#[model_resource(Book, "/books", "/books/<int:id>")]
impl ModelResource for BookResource {
    const BULK_METHODS: Operations = Operations::of([model_resource::CREATE]);
}

/// URL of a database that is compiled in. Without SQLite it is that of the PostgreSQL server for tests, if one is given.
fn database_url() -> Option<String> {
    if cfg!(feature = "sqlite") {
        return Some("sqlite::memory:".to_owned());
    }
    let url = std::env::var("TEST_POSTGRES_URL").ok();
    if url.is_none() {
        eprintln!("NOT TESTED: TEST_POSTGRES_URL names no server; run this by `cargo xtask postgres`");
    }
    url
}

async fn service() -> Option<ApiService> {
    let url = database_url()?;
    let api = Api::new("library").model_resource::<BookResource>();
    let store = Store::open(&url).await.unwrap();
    store.create_tables(&api.tables()).await.unwrap();
    let delete = Sql::new("DELETE FROM feature_books");
    store.execute(delete).await.unwrap();
    Some(api.store(store).into_service())
}

struct Sent<'r> {
    method: Method,
    url: &'r str,
    header: (header::HeaderName, &'r str),
    body: &'r str,
}

async fn send(service: &ApiService, sent: Sent<'_>) -> (StatusCode, String) {
    let request = Request::builder()
        .method(sent.method)
        .uri(sent.url)
        .header(header::HOST, "localhost")
        .header(sent.header.0, sent.header.1)
        .body(Body::from(sent.body.to_owned()))
        .unwrap();
    let response = service.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), 100_000).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn get(service: &ApiService, url: &str, accept: &str) -> (StatusCode, String) {
    let header = (header::ACCEPT, accept);
    let (method, body) = (Method::GET, "");
    send(
        service,
        Sent {
            method,
            url,
            header,
            body,
        },
    )
    .await
}

async fn post(service: &ApiService, media_type: &str, body: &str) -> (StatusCode, String) {
    let header = (header::CONTENT_TYPE, media_type);
    let (method, url) = (Method::POST, "/books");
    send(
        service,
        Sent {
            method,
            url,
            header,
            body,
        },
    )
    .await
}

/// IMP-3: CSV needs the feature `csv`, and everything else works without it. One test, since tests on PostgreSQL share the
/// table.
#[tokio::test]
async fn an_application_works_with_any_choice_of_features() {
    let Some(service) = service().await else {
        return;
    };
    let (status, body) = post(&service, "application/json", r#"{"title": "Emma"}"#).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let (status, body) = post(&service, "application/x-ndjson", "{\"title\": \"Dune\"}\n").await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let (status, body) = post(&service, "application/json", r#"{"title": "Emma"}"#).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    let (status, body) = get(&service, "/books?sort=title&fields=title", "application/json").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body, r#"[{"title":"Dune"},{"title":"Emma"}]"#);
    if cfg!(feature = "csv") {
        csv_is_read_and_written(&service).await;
    } else {
        csv_is_refused(&service).await;
    }
}

async fn csv_is_read_and_written(service: &ApiService) {
    let (status, body) = post(service, "text/csv", "title\nUlysses\n").await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let (status, by_accept) = get(service, "/books?sort=title&fields=title", "text/csv").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(by_accept, "title\r\nDune\r\nEmma\r\nUlysses\r\n");
    let (_, by_name) = get(service, "/books?sort=title&fields=title&format=csv", "*/*").await;
    assert_eq!(by_name, by_accept);
}

async fn csv_is_refused(service: &ApiService) {
    let (status, body) = post(service, "text/csv", "title\nUlysses\n").await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(body.contains("or as NDJSON") && !body.contains("CSV"), "{body}");
    let (status, body) = get(service, "/books", "text/csv, application/json;q=0").await;
    assert_eq!(status, StatusCode::NOT_ACCEPTABLE);
    assert!(!body.contains("text/csv"), "{body}");
    let (status, body) = get(service, "/books?format=csv", "*/*").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(body.contains(r#"write \"json\" or \"ndjson\"."#), "{body}");
    let (_, body) = get(service, "/books?fields=title", "application/json").await;
    assert!(!body.contains("Ulysses"), "{body}");
}

#[cfg(not(feature = "postgres"))]
#[tokio::test]
async fn the_url_of_a_database_that_is_not_compiled_in_is_refused_with_the_feature() {
    let refused = Store::open("postgres://nobody@localhost/library").await;
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("features `sqlite` and `postgres`"), "{message}");
}

#[cfg(not(feature = "sqlite"))]
#[tokio::test]
async fn the_url_of_a_database_that_is_not_compiled_in_is_refused_with_the_feature() {
    let refused = Store::open("sqlite::memory:").await;
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("features `sqlite` and `postgres`"), "{message}");
}

/// A port on which nothing listens: with the feature the attempt is made, without it the URL is refused.
#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_url_that_requires_tls_needs_the_feature() {
    let refused = Store::open("postgres://nobody@127.0.0.1:1/library?sslmode=require").await;
    let message = refused.err().unwrap().to_string();
    assert_eq!(
        message.contains("enable the feature `tls`"),
        !cfg!(feature = "tls"),
        "{message}"
    );
}

#[cfg(feature = "server")]
#[tokio::test]
async fn the_server_serves_an_application_over_a_socket() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = axum::Router::new().route("/", axum::routing::get(|| async { "Hello!" }));
    let server = model_resource::Server::default();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopped = async {
        let _ = stopped.await;
        model_resource::Shutdown::Now
    };
    let serving = tokio::spawn(async move { server.serve(listener, app, stopped).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(
        response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\nHello!"),
        "{response}"
    );
    stop.send(()).unwrap();
    serving.await.unwrap();
}
