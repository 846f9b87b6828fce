//! Writes of the objects that filters select.

use futures_util::future::BoxFuture;
use model_resource::{
    Api, CREATE, Context, DELETE, Decorator, Draft, Errors, LIST, MethodDecorators, Model, ModelResource,
    Next, Operations, PATCH, PUT, QuerySyntax, Reply, Result, Store, model_resource,
};
use serde_json::{Value, json};
use test_support::{Client, TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "papers")]
struct Paper {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 1)]
    title: String,
    #[column(default = false)]
    published: bool,
    #[column(default = 0, min = 0)]
    stars: i64,
}

/// Adds a header to the reply of each object.
async fn counted(cx: Context, next: Next) -> Result<Reply> {
    let seen = cx.uri().path().parse().unwrap();
    let reply = next.run(cx).await?;
    Ok(reply.with_header("x-seen".parse().unwrap(), seen))
}

/// Reads a query parameter of its own.
struct Quiet;

impl Decorator for Quiet {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        next.run(cx)
    }

    fn query_parameters(&self) -> Vec<&'static str> {
        vec!["quiet"]
    }
}

struct PaperResource;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for PaperResource {
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
    const MAX_BULK: usize = 5;
    const PAGE_SIZE: Option<u64> = Some(1);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(PATCH, counted).on(PATCH, Quiet)
    }
}

/// Both kinds of writes, by the title.
struct SheetResource;

#[model_resource(Paper, "/sheets", "/sheets/<title>")]
impl ModelResource for SheetResource {
    const BULK_METHODS: Operations = Operations::of([PATCH, DELETE]);
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);

    /// Rejects papers with many stars.
    async fn patch(cx: Context, draft: Draft<Paper>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        if draft.get(Paper::STARS) == Some(100) {
            return Err(model_resource::Error::conflict("Too many."));
        }
        cx.updated(draft).await
    }
}

/// Neither.
#[model_resource(Paper, "/pages", "/pages/<int:id>")]
struct LeafResource;

async fn library() -> TestApp {
    let api = Api::new("papers")
        .model_resource::<PaperResource>()
        .model_resource::<SheetResource>()
        .model_resource::<LeafResource>();
    let app = TestApp::with_api(api).await;
    for (title, published) in [("a", true), ("b", false), ("c", false), ("d", true), ("e", false)] {
        let paper = json!({"title": title, "published": published});
        app.post("/papers", paper).await.expect(201);
    }
    app
}

fn at_most(client: &Client, number: usize) -> Client {
    client.with_header("prefer", &format!("max-affected={number}"))
}

async fn titles(app: &TestApp, query: &str) -> Vec<String> {
    let list = app.get(&format!("/pages{query}")).await.expect(200).json();
    let title = |paper: &Value| paper["title"].as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(title).collect()
}

/// BLK-5
#[tokio::test]
async fn the_objects_that_filters_select_are_changed() {
    let app = library().await;
    let changed = at_most(&app, 3)
        .patch("/papers?published=false", json!({"stars": 2}))
        .await;
    let changed = changed.expect(200);
    assert_eq!(changed.header("preference-applied"), "max-affected=3");
    // The decorator has seen each object at its URL.
    assert_eq!(changed.header("x-seen"), "/papers/5");
    let expected = ["b", "c", "e"].into_iter().zip([2, 3, 5]);
    let expected =
        expected.map(|(title, id)| json!({"id": id, "title": title, "published": false, "stars": 2}));
    assert_eq!(changed.json(), Value::Array(expected.collect()));
    assert_eq!(titles(&app, "?stars=2").await, ["b", "c", "e"]);

    let minimal = app.client.with_header("prefer", "return=minimal, max-affected=5");
    // A parameter of a decorator is no filter.
    minimal
        .patch("/papers?quiet=1", json!({"stars": 9}))
        .await
        .expect(400);
    let url = "/papers?stars[gte]=2&title[in]=b,c&quiet=1";
    let changed = minimal.patch(url, json!({"published": true})).await.expect(204);
    assert!(changed.body.is_empty());
    assert_eq!(titles(&app, "?published=true").await, ["a", "b", "c", "d"]);
}

/// BLK-5
#[tokio::test]
async fn the_objects_that_filters_select_are_deleted() {
    let app = library().await;
    at_most(&app, 3)
        .delete("/papers?published=false")
        .await
        .expect(204);
    assert_eq!(titles(&app, "").await, ["a", "d"]);
    let shown = app
        .client
        .with_header("prefer", "return=representation, max-affected=1");
    let deleted = shown.delete("/papers?id=1").await.expect(200);
    assert_eq!(deleted.json()[0]["title"], "a");
    assert_eq!(titles(&app, "").await, ["d"]);
}

/// BLK-5
#[tokio::test]
async fn filters_that_select_nothing_change_nothing() {
    let app = library().await;
    let none = at_most(&app, 0);
    let reply = none
        .patch("/papers?title=z", json!({"stars": 2}))
        .await
        .expect(200);
    assert_eq!(reply.json(), json!([]));
    none.delete("/papers?title=z").await.expect(204);
    let shown = app
        .client
        .with_header("prefer", "return=representation, max-affected=1");
    assert_eq!(
        shown.delete("/papers?title=z").await.expect(200).json(),
        json!([])
    );
    let minimal = app.client.with_header("prefer", "return=minimal, max-affected=1");
    minimal.patch("/papers?title=z", json!({})).await.expect(204);
}

/// BLK-6: every mistake is a 400, and nothing is written.
#[tokio::test]
async fn a_request_that_does_not_say_what_it_changes_is_refused() {
    let app = library().await;
    let before = app.database().rows();
    let (any, three) = (&app.client, &at_most(&app, 3));
    for (client, query, remedy) in [
        (any, "?published=false", "max-affected=10"),
        (&at_most(&app, 6), "?published=false", "at most 5"),
        (&at_most(&app, 2), "?published=false", "more than the 2 objects"),
        (three, "", "no filter"),
        (three, "?", "no filter"),
        (three, "?publised=false", "publised"),
        (three, "?published=nope", "published"),
        (three, "?published=false&limit=1", "limit"),
        (three, "?published=false&page=1", "page"),
        (three, "?published=false&sort=title", "sort"),
        (three, "?published=false&fields=id", "fields"),
        (three, "?q=", "q"),
        (three, "?published=%FF", "UTF-8"),
    ] {
        let url = format!("/papers{query}");
        for refused in [
            client.patch(&url, json!({"stars": 9})).await,
            client.delete(&url).await,
        ] {
            let refused = refused.expect(400);
            assert!(refused.text().contains(remedy), "{query}: {}", refused.text());
        }
    }
    for body in [json!([{"id": 1, "stars": 9}]), json!("text"), json!(null)] {
        three
            .patch("/papers?published=false", body.clone())
            .await
            .expect(400);
        three.patch("/papers?title=z", body).await.expect(400);
    }
    let matching = three.with_header("if-match", "\"1\"");
    matching
        .patch("/papers?published=false", json!({}))
        .await
        .expect(400);
    three.put("/papers?published=false", json!({})).await.expect(405);
    for url in ["/pages?published=false", "/pages"] {
        three.patch(url, json!({"stars": 9})).await.expect(405);
        three.delete(url).await.expect(405);
    }
    assert_eq!(app.database().rows(), before);
}

/// BLK-5: all objects are written, or none.
#[tokio::test]
async fn one_rejected_object_rejects_all() {
    let app = library().await;
    let before = app.database().rows();
    let three = at_most(&app, 3);
    let refused = three.patch("/papers?published=false", json!({"stars": -1})).await;
    assert_eq!(refused.expect(400).json()["errors"].as_object().unwrap().len(), 3);
    // The first one is written before the second is not unique.
    let refused = three
        .patch("/papers?published=false", json!({"title": "new"}))
        .await;
    assert_eq!(
        refused.expect(400).json()["errors"]["1"]["title"],
        json!(["Title is already taken."])
    );
    let refused = three
        .patch("/sheets?published=false", json!({"stars": 100}))
        .await;
    refused.expect(409);
    let dry = app.client.with_header("prefer", "dry-run, max-affected=3");
    dry.delete("/papers?published=false").await.expect(204);
    assert_eq!(app.database().rows(), before);
}

/// BLK-5: with both kinds of writes, an array names its objects, and so do keys alone.
#[tokio::test]
async fn objects_are_named_or_selected() {
    let app = library().await;
    app.patch("/sheets", json!([{"title": "a", "stars": 1}]))
        .await
        .expect(200);
    app.delete("/sheets?title=a&title=b").await.expect(204);
    app.delete("/sheets?title=c&published=false").await.expect(400);
    let one = at_most(&app, 1);
    one.patch("/sheets?stars=0&title=c", json!({"stars": 7}))
        .await
        .expect(200);
    one.delete("/sheets?stars=7").await.expect(204);
    assert_eq!(titles(&app, "").await, ["d", "e"]);
    // A key of a repeated request writes once.
    let keyed = at_most(&app, 5).with_header("idempotency-key", "1");
    for _ in 0..2 {
        keyed.delete("/sheets?published=true").await.expect(204);
    }
    assert_eq!(titles(&app, "").await, ["e"]);
}

/// BLK-6: an empty filter of another syntax is none.
#[tokio::test]
async fn the_filter_of_simple_rest_is_read() {
    let api = Api::new("papers")
        .query_syntax(QuerySyntax::SimpleRest)
        .model_resource::<PaperResource>();
    let app = TestApp::with_api(api).await;
    for title in ["a", "b"] {
        app.post("/papers", json!({"title": title})).await.expect(201);
    }
    let one = at_most(&app, 1);
    one.delete("/papers?filter={}").await.expect(400);
    one.delete("/papers?filter={%22title%22:%22a%22}&range=[0,0]")
        .await
        .expect(400);
    one.delete("/papers?filter={%22title%22:%22a%22}")
        .await
        .expect(204);
    assert_eq!(app.get("/papers").await.json().as_array().unwrap().len(), 1);
}

async fn increase(store: &Store, client: &Client) {
    // Each takes what is free, so that two requests at the same time compete for the same rows.
    for _ in 0..5 {
        let taken = client
            .patch("/papers?published=false", json!({"published": true}))
            .await;
        let taken = taken.expect(200).json();
        for paper in taken.as_array().unwrap() {
            let sql = model_resource::Sql::new("UPDATE papers SET stars = stars + 1 WHERE id = $1");
            store
                .execute(sql.bind(paper["id"].as_i64().unwrap()))
                .await
                .unwrap();
        }
    }
}

/// BLK-5: a row that another request has changed meanwhile, and that no longer matches, is left alone.
#[tokio::test]
async fn a_row_is_written_only_if_it_still_matches() {
    let app = library().await;
    let clients: Vec<Client> = (0..6).map(|_| at_most(&app, 5)).collect();
    futures_util::future::join_all(clients.iter().map(|client| increase(&app.store, client))).await;
    assert_eq!(titles(&app, "?stars=1").await, ["b", "c", "e"]);
    assert_eq!(titles(&app, "?stars=0").await, ["a", "d"]);
}

struct WithoutList;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for WithoutList {
    const EXCLUDE_METHODS: Operations = Operations::of([LIST]);
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
}

struct WithOwnList;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for WithOwnList {
    const FILTER_METHODS: Operations = Operations::of([DELETE]);

    async fn list(papers: Vec<Paper>) -> Vec<Paper> {
        papers
    }
}

struct OfOthers;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for OfOthers {
    const FILTER_METHODS: Operations = Operations::of([CREATE, PUT]);
}

struct WithVersions;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for WithVersions {
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
    const REQUIRE_IF_MATCH: bool = true;
}

struct WithoutItems;

#[model_resource(Paper, "/papers")]
impl ModelResource for WithoutItems {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, PATCH]);
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
}

/// BLK-7
#[tokio::test]
async fn declarations_that_cannot_work_are_refused() {
    for (api, remedy) in [
        (Api::new("a").model_resource::<WithoutList>(), "support LIST"),
        (Api::new("a").model_resource::<WithOwnList>(), "support LIST"),
        (
            Api::new("a").model_resource::<OfOthers>(),
            "it takes PATCH and DELETE",
        ),
        (
            Api::new("a").model_resource::<WithVersions>(),
            "leave out FILTER_METHODS",
        ),
        (Api::new("a").model_resource::<WithoutItems>(), "add one such as"),
    ] {
        let errors = startup_errors(api).await;
        assert!(errors.iter().any(|error| error.contains(remedy)), "{errors:?}");
    }
}

/// BLK-6: a body that names its objects takes no filters, which would select nothing, and groups are no filters.
#[tokio::test]
async fn filters_are_not_ignored() {
    let app = library().await;
    let before = app.database().rows();
    let many = json!([{"title": "a", "stars": 1}, {"title": "d", "stars": 1}]);
    app.patch("/sheets?published=false", many.clone())
        .await
        .expect(400);
    let limited = at_most(&app, 5);
    for query in ["group=published", "published=false&sum(stars)"] {
        limited.delete(&format!("/papers?{query}")).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
    app.patch("/sheets", many).await.expect(200);
}
