//! Pages of resources whose writes need an `Idempotency-Key` or the version of the object.

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

/// Its version is a digest, which no file has.
#[derive(Debug, Clone, Model)]
struct Memo {
    #[column(primary_key)]
    id: i64,
    name: String,
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

struct MemoResource;

#[model_resource(Memo, "/memos", "/memos/<int:id>")]
impl ModelResource for MemoResource {
    const PUBLIC: bool = true;
    const REQUIRE_IF_MATCH: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// Starts the api with a bill and a deleted one.
async fn app() -> TestApp {
    let api = Api::new("office")
        .authenticator(HeaderAuthenticator)
        .model_resource::<PlainResource>()
        .model_resource::<KeyedResource>()
        .model_resource::<VersionedResource>()
        .model_resource::<MemoResource>()
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

/// PAGE-77: a deletion has the version in any case.
#[tokio::test]
async fn forms_and_buttons_have_the_version_that_the_page_shows() {
    let app = app().await;
    let clerk = app.as_caller("1");
    let tag = async |path: &str| {
        let object = clerk.get(path).await.expect(200);
        object.header("etag").replace('"', "&quot;")
    };
    for (path, object, is_always) in [
        ("/1", "/1", false),
        ("/1?_view=delete", "/1", true),
        ("/2/restore", "/2", false),
    ] {
        for (resource, is_required) in [("/plain", false), ("/keyed", false), ("/versioned", true)] {
            let version = format!(" data-version=\"{}\"", tag(&format!("{resource}{object}")).await);
            let shown = page(&clerk, &format!("{resource}{path}")).await;
            let expected = is_required || is_always;
            assert_eq!(shown.contains(&version), expected, "{resource}{path}: {shown}");
            assert_eq!(
                shown.contains(" data-version"),
                expected,
                "{resource}{path}: {shown}"
            );
        }
    }
}

/// PAGE-78
#[tokio::test]
async fn changes_of_several_rows_have_versions_where_the_resource_requires_them() {
    let app = app().await;
    let clerk = app.as_caller("1");
    let list = page(&clerk, "/versioned").await;
    assert_eq!(
        list.matches(" data-versioned").count(),
        2,
        "of the bar and of the action: {list}"
    );
    let plain = page(&clerk, "/plain").await;
    assert!(!plain.contains(" data-versioned"), "{plain}");
}

/// PAGE-78
#[tokio::test]
async fn at_most_a_thousand_rows_are_changed_with_their_versions() {
    let app = app().await;
    app.database().execute(
        "INSERT INTO memos (name) WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100) \
         SELECT 'memo' FROM numbers",
    );
    let list = page(&app.client, "/memos").await;
    assert!(
        list.contains("data-matching-max=\"1000\"")
            && list.contains("Select the first 1\u{202f}000 that match"),
        "{list}"
    );
}

/// PAGE-78
#[tokio::test]
async fn an_import_says_where_the_versions_of_changed_rows_are() {
    let app = app().await;
    let clerk = app.as_caller("1");
    let plain = page(&clerk, "/plain?_view=import").await;
    assert!(
        plain.contains("import-mode") && !plain.contains("versions"),
        "{plain}"
    );
    let versioned = page(&clerk, "/versioned?_view=import").await;
    assert!(
        versioned.contains("import-mode") && versioned.contains("it needs the column <code>version</code>"),
        "{versioned}"
    );
    let memos = page(&clerk, "/memos?_view=import").await;
    assert!(
        !memos.contains("import-mode") && memos.contains("A file cannot update objects"),
        "{memos}"
    );
}
