//! Resources that disable the automatic loading decorators in one line.

use http::Method;
use model_resource::{
    Api, GET, LIST, MethodDecorators, Model, ModelResource, ModelSerializer, Operation, Operations, PATCH,
    Params, list_loader, model_resource, param_converter, patch_loader, serializer,
};
use serde_json::{Value, json};
use test_support::{Log, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "leaves")]
struct Leaf {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct LeafSerializer;

#[serializer]
impl ModelSerializer for LeafSerializer {
    type Model = Leaf;
}

#[model_resource(Leaf, "/leaves", "/leaves/<int:id>")]
struct LeafResource;

/// Declares a resource with one attribute, and a `get` that takes the plain URL arguments.
macro_rules! unloaded {
    ($resource:ident, $constant:ident = $operations:expr, $collection:literal, $item:literal) => {
        struct $resource;

        #[model_resource(Leaf, $collection, $item)]
        impl ModelResource for $resource {
            const $constant: Operations = $operations;

            async fn get(params: Params) -> Value {
                json!({ "raw": params.get("id") })
            }
        }
    };
}

unloaded!(
    ExcludingResource,
    EXCLUDE_DECORATORS = Operations::ALL,
    "/excluding",
    "/excluding/<int:id>"
);
unloaded!(
    IncludingResource,
    INCLUDE_DECORATORS = Operations::NONE,
    "/including",
    "/including/<int:id>"
);
unloaded!(
    SomeResource,
    EXCLUDE_DECORATORS = Operations::of([GET, PATCH]),
    "/some",
    "/some/<int:id>"
);

struct EmptyResource;

/// Defines no operation, and so serves none.
#[model_resource(Leaf, "/empty", "/empty/<int:id>")]
impl ModelResource for EmptyResource {
    const INCLUDE_DECORATORS: Operations = Operations::NONE;
}

struct HandResource;

/// Lists the loaders of two operations explicitly.
#[model_resource(Leaf, "/hand", "/hand/<int:id>")]
impl ModelResource for HandResource {
    const EXCLUDE_DECORATORS: Operations = Operations::ALL;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(LIST, list_loader::<Leaf>())
            .on(PATCH, param_converter().model::<Leaf>("id"))
            .on(PATCH, patch_loader::<LeafSerializer>())
    }
}

struct BulkResource;

/// Declares a bulk operation that it does not have.
#[model_resource(Leaf, "/bulk", "/bulk/<int:id>")]
impl ModelResource for BulkResource {
    const EXCLUDE_DECORATORS: Operations = Operations::ALL;
    const BULK_METHODS: Operations = Operations::of([PATCH]);
}

fn api() -> Api {
    Api::new("leaves")
        .serializer::<LeafSerializer>()
        .model_resource::<LeafResource>()
        .model_resource::<ExcludingResource>()
        .model_resource::<IncludingResource>()
        .model_resource::<SomeResource>()
        .model_resource::<EmptyResource>()
        .model_resource::<HandResource>()
}

async fn start() -> TestApp {
    let app = TestApp::with_api(api()).await;
    app.post("/leaves", json!({"name": "oak"})).await.expect(201);
    app
}

/// Asserts the `Allow` headers of a resource's URLs, and that every other method is a 405 with the same header and
/// changes nothing.
async fn expect_allowed(app: &TestApp, url: &str, collection: &str, item: &str) {
    let before = app.database().rows();
    for (path, allow) in [(url.to_owned(), collection), (format!("{url}/1"), item)] {
        let options = app.send(Method::OPTIONS, &path, None).await.expect(204);
        assert_eq!(options.header("allow"), allow, "{path}");
        let methods = [
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ];
        for method in methods {
            if !allow.split(", ").any(|allowed| allowed == method.as_str()) {
                let body = Some(("application/json", r#"{"name": "elm"}"#.into()));
                let refused = app.send(method, &path, body).await.expect(405);
                assert_eq!(refused.header("allow"), allow, "{path}");
            }
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// ATT-7: with every loader disabled in one line, only the operations that the resource defines are served.
#[tokio::test]
async fn one_line_disables_the_loaders_and_keeps_the_defined_operations() {
    let app = start().await;
    for url in ["/excluding", "/including"] {
        expect_allowed(&app, url, "OPTIONS", "GET, HEAD, OPTIONS").await;
        app.get(&format!("{url}/7"))
            .await
            .expect_json(200, json!({"raw": "7"}));
    }
    expect_allowed(&app, "/empty", "OPTIONS", "OPTIONS").await;
}

/// ATT-7: with some loaders disabled, the other automatic operations are still served.
#[tokio::test]
async fn operations_that_keep_their_loaders_are_served() {
    let app = start().await;
    let (collection, item) = ("GET, HEAD, POST, OPTIONS", "GET, HEAD, PUT, DELETE, OPTIONS");
    expect_allowed(&app, "/some", collection, item).await;
    app.get("/some")
        .await
        .expect_json(200, json!([{"id": 1, "name": "oak"}]));
    app.put("/some/1", json!({"name": "ash"})).await.expect(200);
    app.delete("/some/1").await.expect(204);
}

/// ATT-7, DEC-10: automatic operations whose loaders are in `method_decorators` are served.
#[tokio::test]
async fn operations_with_loaders_of_the_resource_are_served() {
    let app = start().await;
    expect_allowed(&app, "/hand", "GET, HEAD, OPTIONS", "PATCH, OPTIONS").await;
    app.get("/hand")
        .await
        .expect_json(200, json!([{"id": 1, "name": "oak"}]));
    app.patch("/hand/1", json!({"name": "ash"}))
        .await
        .expect_json(200, json!({"id": 1, "name": "ash"}));
}

/// ATT-7: the list of routes contains exactly the served ones.
#[test]
fn operations_that_are_not_served_are_not_listed() {
    let lines = api().compile().routes();
    let served = |prefix: &str| -> Vec<(String, Option<Operation>)> {
        let lines = lines.iter().filter(|line| line.url.starts_with(prefix));
        lines.map(|line| (line.method.clone(), line.operation)).collect()
    };
    let get = [("GET".to_owned(), Some(GET)), ("HEAD".to_owned(), Some(GET))];
    assert_eq!(served("/excluding"), get);
    assert_eq!(served("/including"), get);
    assert!(served("/empty").is_empty());
}

/// ATT-8: at startup the log names the resources and their operations that are not served.
#[tokio::test]
async fn the_log_names_operations_that_are_not_served() {
    let log = Log::start();
    let _app = start().await;
    for (resource, operations) in [
        ("ExcludingResource", "create, delete, list, patch, put"),
        ("SomeResource", "patch"),
        ("HandResource", "create, delete, get, put"),
    ] {
        let lines = log.lines_with(&format!("resource=\"{resource}\""));
        assert!(!lines.is_empty(), "{resource}");
        for line in lines {
            assert!(line.contains("WARN"), "{line}");
            assert!(line.contains(&format!("operations=\"{operations}\"")), "{line}");
            assert!(line.contains("EXCLUDE_METHODS"), "{line}");
        }
    }
    assert!(log.lines_with("resource=\"LeafResource\"").is_empty());
}

/// ATT-7: a bulk operation that is not served is rejected.
#[tokio::test]
async fn bulk_methods_that_are_not_served_are_rejected() {
    let mistakes = startup_errors(api().model_resource::<BulkResource>()).await;
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains("BulkResource") && one.contains("patch")),
        "{mistakes:?}"
    );
}
