//! Choice of the serializer per operation.

use model_resource::{
    Api, Columns, Draft, Errors, Model, ModelSerializer, SerializerFields, WriteMode, model_resource,
    serializer,
};
use serde_json::json;
use test_support::{Response, TestApp};

#[derive(Model)]
struct Page {
    #[column(primary_key)]
    id: i64,
    title: String,
    text: Option<String>,
}

#[model_resource(Page, "/pages", "/pages/<int:id>")]
struct PageResource;

fn shout(fields: SerializerFields<Page>) -> SerializerFields<Page> {
    fields.computed("loud", |page: &Page| page.title.to_uppercase())
}

struct BareSerializer;

#[serializer]
impl ModelSerializer for BareSerializer {
    type Model = Page;
    const EXCLUDE: Columns<Page> = Columns::of(Page::TEXT);

    fn fields(fields: SerializerFields<Page>) -> SerializerFields<Page> {
        shout(fields)
    }
}

struct CalledSerializer;

#[serializer()]
impl ModelSerializer for CalledSerializer {
    type Model = Page;
    const EXCLUDE: Columns<Page> = Columns::of(Page::TEXT);

    fn fields(fields: SerializerFields<Page>) -> SerializerFields<Page> {
        shout(fields)
    }
}

/// Writes the operation it is called for into the title.
struct ModeSerializer;

#[serializer]
impl ModelSerializer for ModeSerializer {
    type Model = Page;

    fn validate(draft: &Draft<Page>, mode: WriteMode, errors: &mut Errors) {
        if draft.get(Page::TITLE).as_deref() == Some("tell") {
            errors.add("title", format!("{mode:?}"));
        }
    }
}

struct ListSerializer;

#[serializer(many)]
impl ModelSerializer for ListSerializer {
    type Model = Page;
    const FIELDS: Columns<Page> = Columns::of(Page::ID);
}

struct CreateSerializer;

#[serializer(create)]
impl ModelSerializer for CreateSerializer {
    type Model = Page;
    const FIELDS: Columns<Page> = Columns::of(Page::TITLE);

    fn validate(draft: &Draft<Page>, mode: WriteMode, errors: &mut Errors) {
        if draft.get(Page::TITLE).as_deref() == Some("tell") {
            errors.add("title", format!("create: {mode:?}"));
        }
    }
}

/// Asserts a 400 with this one message under a field.
#[track_caller]
fn expect_error(response: Response, field: &str, message: &str) {
    response.expect_json(400, json!({"errors": {field: [message]}}));
}

/// REG-6, REG-4: a serializer marked without arguments or with empty parentheses loads and dumps its model everywhere.
#[tokio::test]
async fn a_serializer_reads_and_writes_its_model() {
    let apis = [
        Api::new("bare").serializer::<BareSerializer>(),
        Api::new("called").serializer::<CalledSerializer>(),
    ];
    for api in apis {
        let app = TestApp::with_api(api.model_resource::<PageResource>()).await;
        let page = |title: &str| json!({"id": 1, "title": title, "loud": title.to_uppercase()});
        app.post("/pages", json!({"title": "a"}))
            .await
            .expect_json(201, page("a"));
        app.get("/pages").await.expect_json(200, json!([page("a")]));
        app.get("/pages/1").await.expect_json(200, page("a"));
        app.put("/pages/1", json!({"title": "b"}))
            .await
            .expect_json(200, page("b"));
        app.patch("/pages/1", json!({"title": "c"}))
            .await
            .expect_json(200, page("c"));
        let excluded = || json!({"title": "d", "text": "x"});
        expect_error(app.post("/pages", excluded()).await, "text", "Unknown field.");
        expect_error(app.put("/pages/1", excluded()).await, "text", "Unknown field.");
        expect_error(app.patch("/pages/1", excluded()).await, "text", "Unknown field.");
        app.get("/pages").await.expect_json(200, json!([page("c")]));
    }
}

/// REG-7: a serializer marked `many` dumps lists and nothing else.
#[tokio::test]
async fn a_serializer_for_many_dumps_lists_only() {
    let api = Api::new("api")
        .serializer::<ListSerializer>()
        .serializer::<BareSerializer>()
        .model_resource::<PageResource>();
    let app = TestApp::with_api(api).await;
    let page = |title: &str| json!({"id": 1, "title": title, "loud": title.to_uppercase()});
    app.post("/pages", json!({"title": "a"}))
        .await
        .expect_json(201, page("a"));
    app.get("/pages/1").await.expect_json(200, page("a"));
    app.patch("/pages/1", json!({"title": "b"}))
        .await
        .expect_json(200, page("b"));
    app.get("/pages").await.expect_json(200, json!([{"id": 1}]));
}

/// REG-8: a serializer marked `create` loads the body of a create and nothing else.
#[tokio::test]
async fn a_serializer_for_create_reads_the_body_of_a_create_only() {
    let api = Api::new("api")
        .serializer::<ModeSerializer>()
        .serializer::<CreateSerializer>()
        .model_resource::<PageResource>();
    let app = TestApp::with_api(api).await;
    let refused = app.post("/pages", json!({"title": "a", "text": "x"})).await;
    expect_error(refused, "text", "Unknown field.");
    let refused = app.post("/pages", json!({"title": "tell"})).await;
    expect_error(refused, "title", "create: Create");
    app.get("/pages").await.expect_json(200, json!([]));

    let page = |text: Option<&str>| json!({"id": 1, "title": "a", "text": text});
    app.post("/pages", json!({"title": "a"}))
        .await
        .expect_json(201, page(None));
    app.patch("/pages/1", json!({"text": "x"}))
        .await
        .expect_json(200, page(Some("x")));
    expect_error(
        app.patch("/pages/1", json!({"title": "tell"})).await,
        "title",
        "Update",
    );
    app.get("/pages").await.expect_json(200, json!([page(Some("x"))]));
}

/// REG-8: otherwise the default serializer loads it, and is called in create mode.
#[tokio::test]
async fn without_a_create_serializer_the_default_one_runs_in_create_mode() {
    let api = Api::new("api")
        .serializer::<ModeSerializer>()
        .model_resource::<PageResource>();
    let app = TestApp::with_api(api).await;
    expect_error(
        app.post("/pages", json!({"title": "tell"})).await,
        "title",
        "Create",
    );
    app.get("/pages").await.expect_json(200, json!([]));
    app.post("/pages", json!({"title": "a"})).await.expect(201);
    expect_error(
        app.put("/pages/1", json!({"title": "tell"})).await,
        "title",
        "Replace",
    );
    expect_error(
        app.patch("/pages/1", json!({"title": "tell"})).await,
        "title",
        "Update",
    );
    let page = json!({"id": 1, "title": "a", "text": null});
    app.get("/pages").await.expect_json(200, json!([page]));
}
