//! Pages of resources whose writes need an `Idempotency-Key`.

use model_resource::{
    Api, CREATE, Caller, ColumnEnum, Model, ModelPolicy, ModelResource, Operations, PATCH, PageOptions,
    Pages, RowAction, Timestamp, Where, model_resource,
};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Stage {
    Draft,
    Sent,
}

#[derive(Debug, Clone, Model)]
struct Bill {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = "draft", transitions(Draft -> Sent))]
    stage: Stage,
    #[column(version)]
    version: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

struct BillPolicy;

impl ModelPolicy for BillPolicy {
    type Model = Bill;

    fn shows_deleted(_: &Caller) -> Where<Bill> {
        Where::all()
    }

    fn updatable(_: &Caller) -> Where<Bill> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

struct PlainResource;

#[model_resource(Bill, "/plain", "/plain/<int:id>", policy = BillPolicy)]
impl ModelResource for PlainResource {
    const RESTORE: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);

    fn page() -> PageOptions<Bill> {
        PageOptions::new().action(RowAction::post("Restore", "restore"))
    }
}

struct KeyedResource;

#[model_resource(Bill, "/keyed", "/keyed/<int:id>")]
impl ModelResource for KeyedResource {
    const REQUIRE_IDEMPOTENCY_KEY: bool = true;
    const RESTORE: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);

    fn page() -> PageOptions<Bill> {
        PageOptions::new().action(RowAction::post("Restore", "restore"))
    }
}

struct VersionedResource;

#[model_resource(Bill, "/versioned", "/versioned/<int:id>")]
impl ModelResource for VersionedResource {
    const REQUIRE_IF_MATCH: bool = true;
    const RESTORE: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);

    fn page() -> PageOptions<Bill> {
        PageOptions::new().action(RowAction::post("Restore", "restore"))
    }
}

/// Starts the api with a bill and a deleted one.
async fn app() -> TestApp {
    let api = Api::new("office")
        .authenticator(HeaderAuthenticator)
        .model_resource::<PlainResource>()
        .model_resource::<KeyedResource>()
        .model_resource::<VersionedResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO bills (name, stage, version) VALUES ('kept', 'draft', 1), ('lost', 'draft', 1)",
    );
    let clerk = app.as_caller("1");
    clerk.delete("/plain/2").await.expect(204);
    app
}

async fn page(client: &Client, path: &str) -> String {
    let page = client.with_header("accept", "text/html").get(path).await;
    page.expect(200).text()
}

/// Pages with forms and buttons that write, below the URL of a resource.
const WRITING: [&str; 7] = [
    "?_view=new",
    "?_view=import",
    "",
    "/1",
    "/1?_view=edit",
    "/1?_view=delete",
    "/2/restore",
];

/// PAGE-76
#[tokio::test]
async fn forms_and_buttons_have_a_key_where_the_resource_requires_it() {
    let app = app().await;
    let clerk = app.as_caller("1");
    for path in WRITING {
        for (resource, expected) in [("/plain", false), ("/keyed", true), ("/versioned", false)] {
            let shown = page(&clerk, &format!("{resource}{path}")).await;
            assert_eq!(
                shown.contains(" data-keyed"),
                expected,
                "{resource}{path}: {shown}"
            );
        }
    }
    let list = page(&clerk, "/keyed").await;
    assert_eq!(
        list.matches(" data-keyed").count(),
        2,
        "of the bar and of the action: {list}"
    );
}
