//! Custom decorators together with the automatic ones, and operations without the automatic ones.

use std::sync::Mutex;

use http::Method;
use model_resource::{
    ALL_METHODS, Context, Decorator, Error, GET, LIST, MethodDecorators, ModelResource, Next, Operations,
    PATCH, Params, Reply, Result, model_resource,
};
use serde_json::{Value, json};

use super::{Note, api, decorators, startup_errors, with_note};

/// Events of the one test that traces them.
static TRACE: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn record(event: &str) {
    TRACE.lock().unwrap().push(event.to_owned());
}

fn recorded() -> Vec<String> {
    std::mem::take(&mut *TRACE.lock().unwrap())
}

/// Traces when it is entered and left.
fn traced(name: &'static str) -> impl Decorator {
    move |cx: Context, next: Next| async move {
        record(&format!("{name} in"));
        let reply = next.run(cx).await;
        let status = reply
            .as_ref()
            .map_or_else(|error| error.status(), |reply| reply.status());
        record(&format!("{name} out {}", status.as_u16()));
        reply
    }
}

struct TracedResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for TracedResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .every(traced("first"))
            .on([GET, PATCH], traced("second"))
            .every(traced("third"))
    }

    async fn get(note: Note) -> Note {
        record("handler");
        note
    }
}

/// DEC-5: custom decorators surround the loaders; the first listed is entered first and left last.
#[tokio::test]
async fn the_users_decorators_surround_the_loaders_the_first_one_outermost() {
    let app = with_note(api().model_resource::<TracedResource>()).await;
    app.get("/notes/1").await.expect(200);
    let whole = [
        "first in",
        "second in",
        "third in",
        "handler",
        "third out 200",
        "second out 200",
        "first out 200",
    ];
    assert_eq!(recorded(), whole);
    // The loader ends the request inside the custom decorators and before the handler.
    app.get("/notes/2").await.expect(404);
    let missing = [
        "first in",
        "second in",
        "third in",
        "third out 404",
        "second out 404",
        "first out 404",
    ];
    assert_eq!(recorded(), missing);
    app.patch("/notes/1", json!({"title": ""})).await.expect(400);
    let refused = [
        "first in",
        "second in",
        "third in",
        "third out 400",
        "second out 400",
        "first out 400",
    ];
    assert_eq!(recorded(), refused);
    app.get("/notes").await.expect(200);
    assert_eq!(
        recorded(),
        ["first in", "third in", "third out 200", "first out 200"]
    );
}

/// Marks the reply with a header.
async fn marked(cx: Context, next: Next) -> Result<Reply> {
    let mut reply = next.run(cx).await?;
    reply
        .headers_mut()
        .insert("x-marked", http::HeaderValue::from_static("yes"));
    Ok(reply)
}

struct PlainGetResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for PlainGetResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([GET]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(marked)
    }

    async fn get(params: Params) -> Value {
        json!({"asked for": params.get("id")})
    }
}

/// DEC-6: an operation without automatic decorators still runs all custom decorators.
#[tokio::test]
async fn an_operation_without_loaders_still_runs_the_users_decorators() {
    let api = || api().model_resource::<PlainGetResource>();
    assert_eq!(decorators(api(), "GET", "/notes/<int:id>"), ["marked"]);
    let app = with_note(api()).await;
    let got = app.get("/notes/99").await.expect(200);
    assert_eq!(got.header("x-marked"), "yes");
    assert_eq!(got.json(), json!({"asked for": "99"}));
    let list = app.get("/notes").await.expect(200);
    assert_eq!(list.header("x-marked"), "yes");
    app.delete("/notes/99").await.expect(404);
}

/// Declares a resource whose handlers get the plain URL arguments, with automatic loading disabled in one way.
macro_rules! plain_resource {
    ($name:ident, $constant:ident = $value:expr) => {
        struct $name;

        #[model_resource(Note, "/notes", "/notes/<int:id>")]
        impl ModelResource for $name {
            const $constant: Operations = $value;

            async fn list(params: Params) -> Value {
                plain("list", &params)
            }

            async fn create(params: Params) -> Value {
                plain("create", &params)
            }

            async fn get(params: Params) -> Value {
                plain("get", &params)
            }

            async fn put(params: Params) -> Value {
                plain("put", &params)
            }

            async fn patch(params: Params) -> Value {
                plain("patch", &params)
            }

            async fn delete(params: Params) -> Value {
                plain("delete", &params)
            }
        }
    };
}

plain_resource!(
    ExcludingResource,
    EXCLUDE_DECORATORS = Operations::of(ALL_METHODS)
);

plain_resource!(NotIncludingResource, INCLUDE_DECORATORS = Operations::NONE);

fn plain(operation: &str, params: &Params) -> Value {
    json!({"operation": operation, "params": params.iter().collect::<Vec<_>>()})
}

/// DEC-7: with all operations excluded, or none included, every handler gets the plain URL arguments.
#[tokio::test]
async fn without_automatic_loading_handlers_get_the_plain_url_arguments() {
    let excluding = || api().model_resource::<ExcludingResource>();
    let not_including = || api().model_resource::<NotIncludingResource>();
    let apis: [&dyn Fn() -> model_resource::Api; 2] = [&excluding, &not_including];
    for api in apis {
        let routes = api().compile().routes();
        assert!(routes.iter().all(|line| line.decorators.is_empty()));
        let app = with_note(api()).await;
        for (method, path, operation, params) in [
            (Method::GET, "/notes", "list", json!([])),
            (Method::POST, "/notes", "create", json!([])),
            (Method::GET, "/notes/99", "get", json!([["id", "99"]])),
            (Method::PUT, "/notes/99", "put", json!([["id", "99"]])),
            (Method::PATCH, "/notes/99", "patch", json!([["id", "99"]])),
            (Method::DELETE, "/notes/99", "delete", json!([["id", "99"]])),
        ] {
            // Neither the row nor the body is read.
            let body = Some(("application/json", "{not JSON".into()));
            app.send(method, path, body)
                .await
                .expect_json(200, json!({"operation": operation, "params": params}));
        }
    }
}

struct AskingResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for AskingResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([LIST]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(marked)
    }

    async fn list(notes: Vec<Note>) -> Vec<Note> {
        notes
    }
}

/// DEC-8: a handler that takes a loaded object without a loader is rejected at startup, with the remedy.
#[tokio::test]
async fn a_loaded_argument_without_a_loader_is_rejected() {
    let message = startup_errors(api().model_resource::<AskingResource>()).await;
    for part in ["AskingResource", "`list`", "`Params`"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// Requires the word "please".
async fn politely(cx: Context, next: Next) -> Result<Reply> {
    match cx.headers().get("x-please").map(|value| value.as_bytes()) {
        None => Err(Error::unauthorized()),
        Some(b"no") => Err(Error::forbidden("Say please.")),
        Some(_) => next.run(cx).await,
    }
}

struct PoliteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for PoliteResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on([GET, PATCH], politely)
    }
}

/// DEC-9: a 401 or 403 of a custom decorator takes precedence over a 404, and a 404 over errors of the body.
#[tokio::test]
async fn decorators_come_before_the_row_and_the_row_before_the_body() {
    let app = with_note(api().model_resource::<PoliteResource>()).await;
    let (denied, allowed) = (
        app.client.with_header("x-please", "no"),
        app.client.with_header("x-please", "yes"),
    );
    for path in ["/notes/1", "/notes/99"] {
        app.get(path).await.expect(401);
        denied.get(path).await.expect(403);
        app.patch(path, json!({"title": ""})).await.expect(401);
        denied.patch(path, json!({"title": ""})).await.expect(403);
    }
    let send = |path, kind, text: &'static str| allowed.send(Method::PATCH, path, Some((kind, text.into())));
    for (kind, text, status) in [
        ("application/json", "{\"title\": \"\"}", 400),
        ("application/json", "{not JSON", 400),
        ("text/plain", "title", 415),
    ] {
        send("/notes/99", kind, text).await.expect(404);
        send("/notes/1", kind, text).await.expect(status);
    }
    app.get("/notes")
        .await
        .expect_json(200, json!([{"id": 1, "title": "one", "text": "t"}]));
}
