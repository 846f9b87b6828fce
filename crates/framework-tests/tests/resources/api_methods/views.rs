//! Views and their decorators.

use std::pin::Pin;

use http::HeaderValue;
use model_resource::{Api, Context, Decorator, Error, JsonBody, Next, Reply, Result, header, route};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

/// Adds a word to `Via` after the handler.
fn via(word: &'static str) -> impl Decorator {
    move |cx: Context, next: Next| async move {
        let mut reply = next.run(cx).await?;
        reply
            .headers_mut()
            .append(header::VIA, HeaderValue::from_static(word));
        Ok(reply)
    }
}

async fn closed(_: Context, _: Next) -> Result<Reply> {
    Err(Error::forbidden("It is closed."))
}

/// A decorator that needs a parameter of the URL.
struct ByName;

impl Decorator for ByName {
    fn call(&self, cx: Context, next: Next) -> Pin<Box<dyn Future<Output = Result<Reply>> + Send>> {
        next.run(cx)
    }

    fn parameters(&self) -> Vec<&'static str> {
        vec!["name"]
    }
}

#[route("/open", decorators = [via("outer"), via("inner")])]
async fn open() -> Value {
    json!("open")
}

#[route("/closed", methods = [GET, POST], decorators = [via("outer"), closed, via("inner")])]
async fn closed_view(JsonBody(body): JsonBody<Value>) -> Value {
    body
}

#[route("/nameless", decorators = [ByName])]
async fn nameless() -> Value {
    json!(null)
}

async fn outermost(_: Context, _: Next) -> Result<Reply> {
    Err(Error::conflict("Around every resource."))
}

/// REG-13: decorators surround a view, the first listed outermost. The api's own decorators do not apply.
#[tokio::test]
async fn a_views_decorators_surround_it_in_their_order() {
    let api = || Api::new("api").decorator(outermost).route(open);
    assert_eq!(api().compile().routes()[0].decorators.len(), 2);
    let app = TestApp::with_api(api()).await;
    let answer = app.get("/open").await.expect(200);
    let words: Vec<&HeaderValue> = answer.headers.get_all("via").iter().collect();
    assert_eq!(words, ["inner", "outer"]);
}

/// REG-13: a decorator can reject a request before the view's arguments are extracted.
#[tokio::test]
async fn a_views_decorator_rejects_before_the_body_is_read() {
    let app = TestApp::with_api(Api::new("api").route(closed_view)).await;
    for answer in [
        app.get("/closed").await,
        app.post("/closed", json!([])).await,
        app.post("/closed", json!({"a": 1})).await,
    ] {
        answer.expect_json(403, json!({"message": "It is closed."}));
    }
}

/// REG-13: a decorator that needs a parameter is rejected on a view whose URL lacks it.
#[tokio::test]
async fn a_views_decorator_that_lacks_its_parameter_is_rejected_at_startup() {
    let refused = startup_errors(Api::new("api").route(nameless)).await;
    assert_eq!(refused.len(), 1);
    assert!(refused[0].contains("has no parameter `name`"), "{refused:?}");
}
