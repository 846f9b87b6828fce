//! Bulk writes of custom applications: decorators, operations and declarations.

use ::http::Method;
use model_resource::{
    Api, CREATE, Columns, Context, DELETE, Draft, Error, Errors, GET, HeaderValue, LIST, MethodDecorators,
    Model, ModelResource, ModelSerializer, Next, Operations, PATCH, PUT, Reply, Result, StatusCode,
    model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(references = Branch)]
    parent_id: Option<i64>,
}

/// Rejects access to the second branch, and reports the URL of each object.
async fn spares_the_second(cx: Context, next: Next) -> Result<Reply> {
    if cx.params().get("id") == Some("2") {
        return Err(Error::forbidden("Not this one."));
    }
    let seen = HeaderValue::from_str(&cx.uri().to_string()).map_err(Error::internal)?;
    Ok(next
        .run(cx)
        .await?
        .with_header("x-seen".parse().map_err(Error::internal)?, seen))
}

struct BranchResource;

#[model_resource(Branch, "/branches", "/branches/<int:id>")]
impl ModelResource for BranchResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const MAX_BULK: usize = 3;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on([PUT, PATCH, DELETE], spares_the_second)
    }
}

struct TwigResource;

/// Replaces the automatic operations.
#[model_resource(Branch, "/twigs")]
impl ModelResource for TwigResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    /// Creates a branch and a twig of it in one transaction.
    async fn create(mut cx: Context, draft: Draft<Branch>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let name = draft.get(Branch::NAME).unwrap_or_default();
        if name == "refused" {
            return Ok(Reply::json(&"no")?.with_status(StatusCode::CONFLICT));
        }
        cx.begin().await?;
        let branch = cx.store_unchecked().create(draft).await?;
        let mut twig = Draft::<Branch>::new();
        twig.set(Branch::NAME, format!("{name}'s twig"));
        twig.set(Branch::PARENT_ID, Some(branch.id));
        cx.store_unchecked().create(twig).await?;
        if name != "forgotten" {
            cx.commit().await?;
        }
        Reply::json(&json!({ "made": name }))
    }
}

fn api() -> Api {
    Api::new("tree")
        .model_resource::<BranchResource>()
        .model_resource::<TwigResource>()
}

async fn three_branches() -> TestApp {
    let app = TestApp::with_api(api()).await;
    let three = json!([{"name": "a"}, {"name": "b"}, {"name": "c", "parentId": 1}]);
    app.post("/branches", three).await.expect(201);
    app
}

/// BLK-3: the decorators of an operation run for each object, at the URL of that object.
#[tokio::test]
async fn decorators_run_for_each_object_at_its_url() {
    let app = three_branches().await;
    let before = app.database().rows();
    let refused = json!({"errors": {"1": {"_schema": ["Not this one."]}}});
    let changes = json!([{"id": 3, "name": "x"}, {"id": 2, "name": "y"}]);
    app.patch("/branches", changes.clone())
        .await
        .expect_json(403, refused.clone());
    app.put("/branches", changes)
        .await
        .expect_json(403, refused.clone());
    app.delete("/branches?id=3&id=2").await.expect_json(403, refused);
    assert_eq!(app.database().rows(), before);

    let changes = json!([{"id": 1, "name": "x"}, {"id": 3, "name": "y"}]);
    let changed = app.patch("/branches", changes).await.expect(200);
    assert_eq!(changed.header("x-seen"), "/branches/3");
    let deleted = app.delete("/branches?id=3&id=1").await.expect(204);
    assert_eq!(deleted.header("x-seen"), "/branches/1?id=3&id=1");
}

#[tokio::test]
async fn a_referenced_object_is_deleted_only_with_its_referencing_rows() {
    let app = three_branches().await;
    let rejection = app.delete("/branches?id=1").await.expect(409).json();
    assert!(rejection["errors"]["0"]["_schema"].is_array(), "{rejection}");
    app.delete("/branches?id=3&id=1").await.expect(204);
    let names = app.get("/branches?fields=name").await;
    names.expect_json(200, json!([{"name": "b"}]));
}

/// BLK-4: a resource sets the maximum number of objects per request.
#[tokio::test]
async fn a_resource_sets_the_maximum_number_of_objects() {
    let app = three_branches().await;
    let many: Vec<Value> = (0..4)
        .map(|number| json!({"name": format!("n{number}")}))
        .collect();
    let rejection = app.post("/branches", json!(many)).await.expect(400).text();
    assert!(
        rejection.contains("about more than 3 objects; send at most 3"),
        "{rejection}"
    );
    app.post("/branches", json!(many[..3])).await.expect(201);
    app.delete("/branches?id=1&id=3&id=4&id=5").await.expect(400);
}

/// BLK-3: custom operations run for each object, and their transactions nest in that of the request.
#[tokio::test]
async fn custom_operations_run_for_each_object_in_one_transaction() {
    let app = TestApp::with_api(api()).await;
    let made = app.post("/twigs", json!([{"name": "a"}, {"name": "b"}])).await;
    made.expect_json(200, json!([{"made": "a"}, {"made": "b"}]));
    let before = app.database().rows();
    assert_eq!(before.iter().filter(|row| row.starts_with("branches")).count(), 4);

    // The second twig's name is a duplicate, after its branch was already written.
    let rejection = app
        .post("/twigs", json!([{"name": "c"}, {"name": "d"}, {"name": "d"}]))
        .await;
    rejection.expect_json(
        400,
        json!({"errors": {"2": {"name": ["Name is already taken."]}}}),
    );
    let rejection = app
        .post("/twigs", json!([{"name": "e"}, {"name": "refused"}]))
        .await;
    rejection.expect_json(409, json!({"errors": {"1": {"_schema": ["Conflict."]}}}));
    // An uncommitted transaction must not be written, and so the whole request writes nothing.
    app.post("/twigs", json!([{"name": "f"}, {"name": "forgotten"}]))
        .await
        .expect(500);
    assert_eq!(app.database().rows(), before);
}

struct NestedResource;

/// Serves the same objects also below their parents, with and without an item URL.
#[model_resource(
    Branch,
    "/all",
    "/all/<int:id>",
    "/trees/<int:parent_id>/all",
    "/trees/<int:parent_id>/all/<int:id>"
)]
impl ModelResource for NestedResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

struct HalfNestedResource;

#[model_resource(Branch, "/some", "/some/<int:id>", "/forests/<int:parent_id>/all")]
impl ModelResource for HalfNestedResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

/// BLK-3: a bulk request at a nested URL is limited to the parent's objects, regardless of their other URLs.
#[tokio::test]
async fn a_bulk_request_below_a_parent_is_limited_to_its_objects() {
    let api = Api::new("tree")
        .model_resource::<NestedResource>()
        .model_resource::<HalfNestedResource>();
    let app = TestApp::with_api(api).await;
    let made = json!([{"name": "a"}, {"name": "b"}, {"name": "c", "parentId": 1}]);
    app.post("/all", made).await.expect(201);
    let before = app.database().rows();
    for parent in [2, 99] {
        let url = format!("/trees/{parent}/all");
        let changes = json!([{"id": 3, "name": "x"}]);
        app.patch(&url, changes.clone()).await.expect(404);
        app.put(&url, changes).await.expect(404);
        app.delete(&format!("{url}?id=3")).await.expect(404);
    }
    for method in [Method::PATCH, Method::PUT, Method::DELETE] {
        let body = json!([{"id": 3, "name": "x"}]);
        app.send_json(method, "/forests/1/all?id=3", body)
            .await
            .expect(405);
    }
    assert_eq!(app.database().rows(), before);
    let changed = app.patch("/trees/1/all", json!([{"id": 3, "name": "x"}])).await;
    changed.expect_json(200, json!([{"id": 3, "name": "x", "parentId": 1}]));
    let made = app.post("/forests/1/all", json!([{"name": "y"}])).await;
    made.expect_json(201, json!([{"id": 4, "name": "y", "parentId": 1}]));
    app.delete("/trees/1/all?id=3&id=4").await.expect(204);
}

struct BareSerializer;

#[serializer]
impl ModelSerializer for BareSerializer {
    type Model = Branch;
    const EXCLUDE: Columns<Branch> = Columns::of(Branch::ID);
}

macro_rules! senseless {
    ($($resource:ident($($url:literal),*) { $($item:item)* })*) => { $(
        struct $resource;

        #[model_resource(Branch, $($url),*)]
        impl ModelResource for $resource { $($item)* }
    )* };
}

senseless! {
    ReadsMany("/read", "/read/<int:id>") { const BULK_METHODS: Operations = Operations::of([GET]); }
    WritesNothing("/nothing", "/nothing/<int:id>") {
        const EXCLUDE_METHODS: Operations = Operations::of([PATCH]);
        const BULK_METHODS: Operations = Operations::of([PATCH]);
    }
    HasNoItems("/none") { const BULK_METHODS: Operations = Operations::of([DELETE]); }
    TakesNone("/zero") {
        const BULK_METHODS: Operations = Operations::of([CREATE]);
        const MAX_BULK: usize = 0;
    }
    HasNoKeys("/bare", "/bare/<int:id>") { const BULK_METHODS: Operations = Operations::of([PATCH]); }
}

#[tokio::test]
async fn contradictory_bulk_declarations_are_rejected_at_startup() {
    let rejects = async |api: Api, expected: &str| {
        let mistakes = startup_errors(api).await;
        assert!(
            mistakes.iter().any(|mistake| mistake.contains(expected)),
            "{mistakes:?}"
        );
    };
    rejects(api().model_resource::<ReadsMany>(), "BULK_METHODS names `get`").await;
    rejects(api().model_resource::<WritesNothing>(), "does not support").await;
    rejects(
        api().model_resource::<HasNoItems>(),
        "no URL of one object stands beside",
    )
    .await;
    rejects(api().model_resource::<TakesNone>(), "MAX_BULK must be at least 1").await;
    let bare = Api::new("bare")
        .serializer::<BareSerializer>()
        .model_resource::<HasNoKeys>();
    rejects(bare, "no `id` to tell the objects by").await;
}
