//! List settings of resources and apis.

use model_resource::{
    Api, Columns, Context, MethodDecorators, Model, ModelResource, Next, Reply, Result, model_resource,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

use crate::ids;

#[derive(Debug, Clone, Model)]
#[model(table = "leaves")]
struct Leaf {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = "secret", hidden)]
    kept: String,
}

struct PagedResource;

#[model_resource(Leaf, "/paged")]
impl ModelResource for PagedResource {
    const PAGE_SIZE: Option<u64> = Some(2);
}

struct HiddenResource;

#[model_resource(Leaf, "/hidden")]
impl ModelResource for HiddenResource {
    const SEARCH: Columns<Leaf> = Columns::of(Leaf::KEPT);
}

/// Declares resources with a page size and a contradictory maximum of rows.
macro_rules! sized {
    ($($resource:ident($url:literal) $page_size:expr, $max_rows:expr;)*) => { $(
        struct $resource;

        #[model_resource(Leaf, $url)]
        impl ModelResource for $resource {
            const PAGE_SIZE: Option<u64> = $page_size;
            const MAX_ROWS: Option<u64> = $max_rows;
        }
    )* };
}

sized! {
    EmptyPages("/empty") Some(0), None;
    NoRows("/none") None, Some(0);
    LongPages("/long") Some(1001), None;
    LongerThanAny("/longer") Some(6), Some(5);
    TooManyRows("/many") None, Some(10_001);
    ManyRows("/largest") Some(10_000), Some(10_000);
}

/// Restricts the leaves to those after the one in the request.
async fn later(mut cx: Context, next: Next) -> Result<Reply> {
    if let Some(id) = cx.query("after").and_then(|text| text.parse::<i64>().ok()) {
        cx.restrict(Leaf::ID.gt(id));
    }
    next.run(cx).await
}

struct LaterResource;

#[model_resource(Leaf, "/later", "/later/<int:id>")]
impl ModelResource for LaterResource {
    const QUERY_PARAMETERS: &'static [&'static str] = &["after"];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(later)
    }
}

struct OwnResource;

/// Queries its rows itself.
#[model_resource(Leaf, "/own")]
impl ModelResource for OwnResource {
    async fn list(cx: Context) -> Result<Vec<Leaf>> {
        Ok(cx.store_unchecked().all(&Leaf::query()).await?)
    }
}

fn api() -> Api {
    Api::new("leaves").model_resource::<PagedResource>()
}

async fn three_leaves(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    for name in ["a", "b", "c"] {
        app.post("/paged", json!({"name": name})).await.expect(201);
    }
    app
}

/// Returns the cursor of the next page from the first page's links.
async fn next(app: &TestApp) -> String {
    let page = app.get("/paged?cursor=&limit=2").await.expect(200);
    let (_, rest) = page.header("link").split_once("rel=\"first\"").unwrap();
    let (_, cursor) = rest.split_once("cursor=").unwrap();
    cursor.split('&').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_page_size_paginates_a_list_with_links() {
    let app = three_leaves(api()).await;
    let cut = app.get("/paged").await.expect(206);
    assert_eq!(ids(&cut.json()), [1, 2]);
    assert!(cut.header("link").contains("rel=\"next\""));
    let asked = app.get("/paged?limit=3").await.expect(200);
    assert_eq!(ids(&asked.json()), [1, 2, 3]);
}

#[tokio::test]
async fn cursors_are_valid_only_with_the_same_secret() {
    let shared = || api().cursor_secret("a secret of both");
    let (one, other) = (three_leaves(shared()).await, three_leaves(shared()).await);
    let url = format!("/paged?cursor={}&limit=2", next(&one).await);
    assert_eq!(ids(&other.get(&url).await.expect(200).json()), [3]);
    three_leaves(api()).await.get(&url).await.expect(400);
}

/// LST-9, LOAD-80: a cursor outlives the program that issued it. The expected one was computed outside of it: the signature is
/// the beginning of an HMAC with SHA-256.
#[tokio::test]
async fn a_cursor_of_a_secret_is_always_the_same() {
    let app = three_leaves(api().cursor_secret("a secret of both")).await;
    assert_eq!(next(&app).await, "YVsyXbEZRel7sNw8IH41YelFtOc");
}

/// POL-9: a restriction by a decorator applies to lists, their counts and pages, and to single rows.
#[tokio::test]
async fn a_restriction_applies_to_every_access_to_rows() {
    let app = three_leaves(api().model_resource::<LaterResource>()).await;
    let page = app.get("/later?after=1&page=1&pageSize=1").await.expect(200);
    assert_eq!(ids(&page.json()), [2]);
    assert_eq!(page.header("x-total-count"), "2");
    assert_eq!(
        ids(&app.get("/later?after=1&sort=-id").await.expect(200).json()),
        [3, 2]
    );
    app.get("/later/1?after=1").await.expect(404);
    app.patch("/later/1?after=1", json!({"name": "x"}))
        .await
        .expect(404);
    app.delete("/later/1?after=1").await.expect(404);
    app.get("/later/2?after=1").await.expect(200);
    assert_eq!(ids(&app.get("/later").await.expect(200).json()), [1, 2, 3]);
}

/// LST-3: a custom list rejects query parameters that it would ignore.
#[tokio::test]
async fn a_custom_list_rejects_parameters_that_it_ignores() {
    let app = three_leaves(api().model_resource::<OwnResource>()).await;
    for parameter in [
        "limit=1",
        "sort=-id",
        "page=1",
        "name=a",
        "cursor=",
        "q=a",
        "count=none",
    ] {
        let rejection = app.get(&format!("/own?{parameter}")).await.expect(400).text();
        assert!(rejection.contains("does not take"), "{rejection}");
    }
    let names = app.get("/own?fields=name&format=ndjson").await.expect(200).text();
    assert_eq!(names.lines().next(), Some("{\"name\":\"a\"}"));
}

#[tokio::test]
async fn contradictory_declarations_are_rejected_at_startup() {
    let hidden = startup_errors(api().model_resource::<HiddenResource>()).await;
    assert!(
        hidden
            .iter()
            .any(|mistake| mistake.contains("SEARCH names `kept`")),
        "{hidden:?}"
    );
    let rejects = async |api: Api, expected: &str| {
        let mistakes = startup_errors(api).await;
        assert!(
            mistakes.iter().any(|mistake| mistake.contains(expected)),
            "{mistakes:?}"
        );
    };
    rejects(
        api().model_resource::<EmptyPages>(),
        "PAGE_SIZE must be at least 1",
    )
    .await;
    rejects(api().model_resource::<NoRows>(), "MAX_ROWS must be at least 1").await;
    rejects(
        api().model_resource::<LongPages>(),
        "no page has more than 1000 rows",
    )
    .await;
    rejects(
        api().model_resource::<LongerThanAny>(),
        "no page has more than 5 rows",
    )
    .await;
    rejects(
        api().model_resource::<TooManyRows>(),
        "MAX_ROWS must be at most 10000",
    )
    .await;
    assert_eq!(
        startup_errors(api().model_resource::<ManyRows>()).await,
        Vec::<String>::new()
    );
}
