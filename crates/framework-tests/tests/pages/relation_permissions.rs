//! Relations in forms, as far as the policy of the related model lets the caller write them.

use model_resource::{
    Api, Caller, Columns, Draft, Model, ModelPolicy, ModelSerializer, Pages, SerializerFields, Where,
    model_resource, serializer,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Crate {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
struct Bottle {
    #[column(primary_key)]
    id: i64,
    #[column(references = Crate, on_delete = cascade)]
    crate_id: i64,
    wine: String,
    filler_id: i64,
    #[column(default = 0)]
    rating: i32,
}

struct CratePolicy;

impl ModelPolicy for CratePolicy {
    type Model = Crate;

    fn updatable(_: &Caller) -> Where<Crate> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// Fillers add bottles as their own, keepers change and remove them, and tasters do nothing of that.
struct BottlePolicy;

impl ModelPolicy for BottlePolicy {
    type Model = Bottle;

    fn updatable(caller: &Caller) -> Where<Bottle> {
        if caller.has_role("keeper") {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role("filler")
    }

    fn presets(caller: &Caller) -> Draft<Bottle> {
        Draft::new().with(Bottle::FILLER_ID, caller.key::<i64>().unwrap_or(0))
    }

    fn read_only(_: &Caller) -> Columns<Bottle> {
        Columns::of(Bottle::RATING)
    }
}

struct CrateSerializer;

#[serializer]
impl ModelSerializer for CrateSerializer {
    type Model = Crate;

    fn fields(fields: SerializerFields<Crate>) -> SerializerFields<Crate> {
        fields
            .has_many::<BottleSerializer>("bottles", Bottle::CRATE_ID)
            .always("bottles")
            .writable("bottles")
    }
}

struct BottleSerializer;

#[serializer]
impl ModelSerializer for BottleSerializer {
    type Model = Bottle;
}

#[model_resource(Crate, "/crates", "/crates/<int:id>", serializer = CrateSerializer, policy = CratePolicy)]
struct CrateResource;

async fn app() -> TestApp {
    let api = Api::new("cellar")
        .authenticator(HeaderAuthenticator)
        .policy::<BottlePolicy>()
        .model_resource::<CrateResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    let body = json!({"title": "Red", "bottles": [{"wine": "Merlot"}]});
    app.as_caller("7 filler").post("/crates", body).await.expect(201);
    app
}

async fn page(app: &TestApp, caller: &str, path: &str) -> String {
    let caller = app.as_caller(caller).with_header("accept", "text/html");
    caller.get(path).await.expect(200).text()
}

/// NST-15, PAGE-71: a form offers what the policy of the lines allows.
#[tokio::test]
async fn lines_are_added_changed_and_removed_as_their_policy_allows() {
    let app = app().await;
    let form = page(&app, "7 filler", "/crates/1?_view=edit").await;
    let (stored, blank) = form.split_once("<template>").unwrap();
    assert!(
        stored.contains("Merlot") && !stored.contains("name=\"wine\""),
        "{stored}"
    );
    assert!(
        !stored.contains("data-remove") && blank.contains("data-add"),
        "{form}"
    );
    assert!(blank.contains("name=\"wine\""), "{blank}");
    assert!(
        !blank.contains("fillerId") && !blank.contains("rating"),
        "what the policy sets: {blank}"
    );

    let form = page(&app, "7 keeper", "/crates/1?_view=edit").await;
    assert!(
        form.contains("name=\"wine\"") && form.contains("data-remove"),
        "{form}"
    );
    assert!(
        !form.contains("data-add>") && !form.contains("<template>"),
        "{form}"
    );
    let form = page(&app, "7 keeper", "/crates?_view=new").await;
    assert!(!form.contains("data-lines"), "{form}");

    let form = page(&app, "7 taster", "/crates/1?_view=edit").await;
    assert!(
        form.contains("name=\"title\"") && !form.contains("data-lines"),
        "{form}"
    );
}
