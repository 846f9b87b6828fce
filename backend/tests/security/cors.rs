//! CORS of the program.

use test_support::{Client, Process, Response, TestDatabase};

use crate::serve;

const APP: &str = "https://app.example";

const OTHER: &str = "https://app.example.evil.example";

fn from(client: &Client, origin: &str) -> Client {
    client.with_header("origin", origin)
}

async fn preflight(client: &Client, origin: &str, method: &str, path: &str) -> Response {
    let client = from(client, origin).with_header("access-control-request-method", method);
    client
        .with_header("access-control-request-headers", "authorization,content-type")
        .options(path)
        .await
}

fn cors_headers(response: &Response) -> Vec<String> {
    let names = response.headers.keys().map(|name| name.as_str().to_owned());
    names.filter(|name| name.starts_with("access-control-")).collect()
}

/// COR-6: `--cors-origin` sets the allowed origins; other URLs of the program are unaffected.
#[tokio::test]
async fn the_program_accepts_origins() {
    let database = TestDatabase::create();
    let arguments = ["--cors-origin", APP, "--cors-origin", "http://localhost:5173"];
    let process = Process::start(serve::command(&database.url()).args(arguments));
    for origin in [APP, "http://localhost:5173"] {
        let answer = from(&process.client, origin)
            .get("/api/v1/tags")
            .await
            .expect(200);
        assert_eq!(answer.header("access-control-allow-origin"), origin);
        assert_eq!(answer.header("access-control-allow-credentials"), "true");
        let answer = preflight(&process.client, origin, "POST", "/api/v1/tags")
            .await
            .expect(204);
        assert_eq!(
            answer.header("access-control-allow-methods"),
            answer.header("allow")
        );
    }
    let answer = from(&process.client, OTHER).get("/api/v1/tags").await.expect(200);
    assert_eq!(cors_headers(&answer), Vec::<String>::new());
    let beside = from(&process.client, APP).get("/healthz").await.expect(200);
    assert_eq!(cors_headers(&beside), Vec::<String>::new());
    let any = Process::start(serve::command(&database.url()).args(["--cors-origin", "*"]));
    let answer = from(&any.client, OTHER).get("/api/v1/tags").await.expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
}
