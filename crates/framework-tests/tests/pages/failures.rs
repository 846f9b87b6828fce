//! Pages of requests that fail before their caller is known.

use std::time::Duration;

use model_resource::{Api, Authenticate, Caller, Context, Error, Model, Pages, Result, model_resource};
use test_support::{Log, TestApp};

#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
}

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
struct LampResource;

/// Depends on a service that does not answer, or fails.
struct RemoteAuthenticator;

impl Authenticate for RemoteAuthenticator {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        if cx.headers().contains_key("x-fails") {
            return Err(Error::internal("no route to the accounts"));
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Caller::anonymous())
    }
}

/// PAGE-44
#[tokio::test]
async fn a_request_that_fails_before_its_caller_is_known_is_a_page_and_logged() {
    let log = Log::start();
    let api = Api::new("lighting")
        .prefix("/api")
        .authenticator(RemoteAuthenticator)
        .timeout(Duration::from_millis(500))
        .model_resource::<LampResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    let browser = app.with_header("accept", "text/html");
    for (client, status, expected) in [
        (browser.clone(), 408, "This took too long"),
        (browser.with_header("x-fails", "1"), 500, "Something went wrong"),
    ] {
        for path in ["/api", "/api/lamps", "/api/lamps/1"] {
            let page = client.get(path).await.expect(status);
            assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
            assert_ne!(page.header("content-security-policy"), "", "{path}");
            assert!(page.text().contains(expected), "{path}: {}", page.text());
        }
    }
    assert_eq!(log.lines_with("no route to the accounts").len(), 3);
}
