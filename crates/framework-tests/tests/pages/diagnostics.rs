//! Failed requests on the overview, for operators.

use model_resource::{Api, Error, Pages, Result, route};
use test_support::{HeaderAuthenticator, TestApp};

/// Always fails.
#[route("/fail")]
async fn fail() -> Result<String> {
    Err(Error::internal("out of paper"))
}

/// PAGE-43
#[tokio::test]
async fn recent_requests_have_no_values_of_queries_and_are_shown_to_operators_only() {
    let api = Api::new("printing")
        .prefix("/api")
        .authenticator(HeaderAuthenticator)
        .route(fail)
        .pages(Pages::new().diagnostics_role("admin"));
    let app = TestApp::with_api(api).await;
    app.get("/api/fail?token=s3cret&sort=-id").await.expect(500);
    let browser = app.with_header("accept", "text/html");
    let overview = browser.as_caller("1 admin").get("/api").await.expect(200).text();
    assert!(overview.contains("out of paper"), "{overview}");
    assert!(
        overview.contains("token=\u{2026}&amp;sort=-id") && !overview.contains("s3cret"),
        "{overview}"
    );
    let overview = browser.as_caller("2").get("/api").await.expect(200).text();
    assert!(!overview.contains("out of paper"), "{overview}");
}
