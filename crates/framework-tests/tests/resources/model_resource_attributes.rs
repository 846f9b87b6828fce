//! ModelResource attributes.

use http::{HeaderValue, Method};
use model_resource::{
    ALL_METHODS, Api, CREATE, Context, DELETE, GET, LIST, MethodDecorators, ModelResource, Next, Operation,
    Operations, PATCH, PUT, Params, Reply, Result, model_resource,
};
use serde_json::{Value, json};
use test_support::{Response, TestApp};

use crate::note::Note;

#[model_resource(Note, "/plain", "/plain/<int:id>")]
struct PlainResource;

struct CollectionResource;

#[model_resource(Note, "/collection", "/collection/<int:id>")]
impl ModelResource for CollectionResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);
}

struct ItemResource;

#[model_resource(Note, "/item", "/item/<int:id>")]
impl ModelResource for ItemResource {
    const INCLUDE_METHODS: Operations = Operations::of([GET, PATCH, PUT]);
}

struct KeptResource;

#[model_resource(Note, "/kept", "/kept/<int:id>")]
impl ModelResource for KeptResource {
    const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);
}

struct NarrowResource;

#[model_resource(Note, "/narrow", "/narrow/<int:id>")]
impl ModelResource for NarrowResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, GET, DELETE]);
    const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);
}

/// Gets raw arguments, because get is not in the set of loading operations; list still loads.
struct SomeLoadedResource;

#[model_resource(Note, "/some-loaded", "/some-loaded/<int:id>")]
impl ModelResource for SomeLoadedResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST]);
    const INCLUDE_DECORATORS: Operations = Operations::of([LIST]);

    async fn get(params: Params) -> Value {
        json!({ "raw": params.get("id") })
    }
}

/// Disables loading by exclusion, which takes precedence over inclusion.
struct SomeNotLoadedResource;

#[model_resource(Note, "/some-not-loaded", "/some-not-loaded/<int:id>")]
impl ModelResource for SomeNotLoadedResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST]);
    const INCLUDE_DECORATORS: Operations = Operations::of([GET, LIST]);
    const EXCLUDE_DECORATORS: Operations = Operations::of([GET]);

    async fn get(params: Params) -> Value {
        json!({ "raw": params.get("id") })
    }
}

struct EveryResource;

#[model_resource(Note, "/every", "/every/<int:id>")]
impl ModelResource for EveryResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(mark)
    }
}

/// Sets a header named after the operation.
macro_rules! marked {
    ($resource:ident, $operation:expr, $collection:literal, $item:literal) => {
        struct $resource;

        #[model_resource(Note, $collection, $item)]
        impl ModelResource for $resource {
            fn method_decorators() -> MethodDecorators {
                MethodDecorators::none().on($operation, mark)
            }
        }
    };
}

marked!(OnCreateResource, CREATE, "/on-create", "/on-create/<int:id>");
marked!(OnDeleteResource, DELETE, "/on-delete", "/on-delete/<int:id>");
marked!(OnGetResource, GET, "/on-get", "/on-get/<int:id>");
marked!(OnListResource, LIST, "/on-list", "/on-list/<int:id>");
marked!(OnPatchResource, PATCH, "/on-patch", "/on-patch/<int:id>");
marked!(OnPutResource, PUT, "/on-put", "/on-put/<int:id>");
marked!(OnTwoResource, [PATCH, PUT], "/on-two", "/on-two/<int:id>");

async fn mark(cx: Context, next: Next) -> Result<Reply> {
    let operation = cx.operation().unwrap().to_string();
    let mut reply = next.run(cx).await?;
    let operation = HeaderValue::from_str(&operation).unwrap();
    reply.headers_mut().append("x-marked", operation);
    Ok(reply)
}

fn api() -> Api {
    Api::new("api").model_resource::<PlainResource>()
}

async fn send(app: &TestApp, url: &str, id: i64, operation: Operation) -> Response {
    let text = || json!({"text": operation.name()});
    let item = format!("{url}/{id}");
    match operation {
        Operation::Create => app.post(url, text()).await,
        Operation::Delete => app.delete(&item).await,
        Operation::Get => app.get(&item).await,
        Operation::List => app.get(url).await,
        Operation::Patch => app.patch(&item, text()).await,
        Operation::Put => app.put(&item, text()).await,
    }
}

/// Asserts that exactly these operations are supported at a URL, and that the others are a 405 that changes nothing.
async fn expect_only(app: &TestApp, url: &str, supported: &[Operation]) {
    for operation in ALL_METHODS {
        let created = app
            .post("/plain", json!({"text": "before"}))
            .await
            .expect(201)
            .json();
        let before = app.get("/plain").await.json();
        let response = send(app, url, created["id"].as_i64().unwrap(), operation).await;
        if supported.contains(&operation) {
            assert!(
                response.status.is_success(),
                "{url}: {operation} is {}",
                response.status
            );
        } else {
            let message = response.expect(405).json()["message"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(message.contains(&format!("\"{operation}\"")), "{message}");
            assert_eq!(app.get("/plain").await.json(), before, "{url}: {operation}");
        }
    }
}

/// ATT-1: all six operations are supported by default.
#[tokio::test]
async fn all_six_operations_are_included_by_default() {
    assert_eq!(PlainResource::INCLUDE_METHODS, Operations::ALL);
    let app = TestApp::with_api(api()).await;
    expect_only(&app, "/plain", &ALL_METHODS).await;
}

/// ATT-1, ATT-6: only the operations in `INCLUDE_METHODS` are supported.
#[tokio::test]
async fn only_included_operations_are_supported() {
    let api = api()
        .model_resource::<CollectionResource>()
        .model_resource::<ItemResource>();
    let app = TestApp::with_api(api).await;
    expect_only(&app, "/collection", &[CREATE, LIST]).await;
    expect_only(&app, "/item", &[GET, PATCH, PUT]).await;
}

/// ATT-2, ATT-6: `EXCLUDE_METHODS` is empty by default, and excluding `DELETE` keeps the other five.
#[tokio::test]
async fn excluded_operations_are_not_supported() {
    assert_eq!(PlainResource::EXCLUDE_METHODS, Operations::NONE);
    let app = TestApp::with_api(api().model_resource::<KeptResource>()).await;
    expect_only(&app, "/kept", &[CREATE, GET, LIST, PATCH, PUT]).await;
}

/// ATT-2: exclusion takes precedence over inclusion.
#[tokio::test]
async fn excluding_an_operation_wins_over_including_it() {
    let app = TestApp::with_api(api().model_resource::<NarrowResource>()).await;
    expect_only(&app, "/narrow", &[LIST, GET]).await;
}

/// ATT-3: an operation outside `INCLUDE_DECORATORS`, or in `EXCLUDE_DECORATORS`, runs without loading.
#[tokio::test]
async fn an_operation_without_automatic_decorators_runs_without_loading() {
    assert_eq!(PlainResource::INCLUDE_DECORATORS, Operations::ALL);
    assert_eq!(PlainResource::EXCLUDE_DECORATORS, Operations::NONE);
    let api = api()
        .model_resource::<SomeLoadedResource>()
        .model_resource::<SomeNotLoadedResource>();
    let app = TestApp::with_api(api).await;
    app.get("/plain/7").await.expect(404);
    for url in ["/some-loaded", "/some-not-loaded"] {
        app.get(&format!("{url}/7"))
            .await
            .expect_json(200, json!({"raw": "7"}));
        app.get(url).await.expect_json(200, json!([]));
    }
}

/// ATT-4: by default there are no decorators, and one for every operation surrounds all six.
#[tokio::test]
async fn a_decorator_for_every_operation_surrounds_all_of_them() {
    let app = TestApp::with_api(api().model_resource::<EveryResource>()).await;
    for operation in ALL_METHODS {
        let id = app.post("/plain", json!({"text": "a"})).await.json()["id"].as_i64();
        let bare = send(&app, "/plain", id.unwrap(), operation).await;
        assert_eq!(bare.header("x-marked"), "", "{operation}");
        let id = app.post("/plain", json!({"text": "a"})).await.json()["id"].as_i64();
        let marked = send(&app, "/every", id.unwrap(), operation).await;
        assert!(marked.status.is_success(), "{operation}");
        assert_eq!(marked.header("x-marked"), operation.name());
    }
}

/// ATT-5: a decorator of some operations runs for these only.
#[tokio::test]
async fn a_decorator_of_an_operation_runs_for_no_other() {
    let api = api()
        .model_resource::<OnCreateResource>()
        .model_resource::<OnDeleteResource>()
        .model_resource::<OnGetResource>()
        .model_resource::<OnListResource>()
        .model_resource::<OnPatchResource>()
        .model_resource::<OnPutResource>()
        .model_resource::<OnTwoResource>();
    let app = TestApp::with_api(api).await;
    for (url, on) in [
        ("/on-create", vec![CREATE]),
        ("/on-delete", vec![DELETE]),
        ("/on-get", vec![GET]),
        ("/on-list", vec![LIST]),
        ("/on-patch", vec![PATCH]),
        ("/on-put", vec![PUT]),
        ("/on-two", vec![PATCH, PUT]),
    ] {
        for operation in ALL_METHODS {
            let id = app.post("/plain", json!({"text": "a"})).await.json()["id"].as_i64();
            let response = send(&app, url, id.unwrap(), operation).await;
            assert!(response.status.is_success(), "{url}: {operation}");
            let expected = if on.contains(&operation) {
                operation.name()
            } else {
                ""
            };
            assert_eq!(response.header("x-marked"), expected, "{url}: {operation}");
        }
    }
}

/// ATT-6: `Allow` has the remaining operations.
#[tokio::test]
async fn allow_lists_the_remaining_operations() {
    let api = api()
        .model_resource::<CollectionResource>()
        .model_resource::<ItemResource>()
        .model_resource::<KeptResource>();
    let app = TestApp::with_api(api).await;
    for (url, allow) in [
        ("/collection", "GET, HEAD, POST, OPTIONS"),
        ("/collection/1", "OPTIONS"),
        ("/item", "OPTIONS"),
        ("/item/1", "GET, HEAD, PUT, PATCH, OPTIONS"),
        ("/kept", "GET, HEAD, POST, OPTIONS"),
        ("/kept/1", "GET, HEAD, PUT, PATCH, OPTIONS"),
    ] {
        assert_eq!(app.options(url).await.expect(204).header("allow"), allow, "{url}");
        let refused = app.send(Method::from_bytes(b"PURGE").unwrap(), url, None).await;
        assert_eq!(refused.expect(405).header("allow"), allow, "{url}");
    }
}
