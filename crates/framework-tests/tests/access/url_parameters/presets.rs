//! Parents and key columns in the URL, subject to policies.

use http::Method;
use model_resource::{
    Api, CREATE, Caller, Columns, Context, DELETE, Draft, Model, ModelPolicy, ModelResource, Operations,
    PATCH, Reply, Result, Where, model_resource, param_converter, route,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    slug: String,
    #[column(default = true)]
    is_open: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "copies")]
struct Copy {
    #[column(primary_key)]
    id: i64,
    #[column(references = Branch)]
    branch_id: i64,
    #[column(unique)]
    code: String,
    title: String,
}

serializers!(BranchSerializer(Branch), CopySerializer(Copy));

/// Everyone sees open branches, and members of a branch also their own.
struct BranchPolicy;

impl ModelPolicy for BranchPolicy {
    type Model = Branch;

    fn visible(caller: &Caller) -> Where<Branch> {
        if caller.has_role("head") {
            Where::all()
        } else {
            Branch::IS_OPEN.eq(true)
        }
    }

    fn updatable(caller: &Caller) -> Where<Branch> {
        Self::visible(caller)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// The key of a caller is that of their branch; the head office has none.
struct CopyPolicy;

impl ModelPolicy for CopyPolicy {
    type Model = Copy;

    fn updatable(_: &Caller) -> Where<Copy> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn presets(caller: &Caller) -> Draft<Copy> {
        let mut given = Draft::new();
        if let Some(branch) = caller.key()
            && !caller.has_role("head")
        {
            given.set(Copy::BRANCH_ID, branch);
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Copy> {
        if caller.has_role("blind") {
            Columns::of(Copy::CODE)
        } else {
            Columns::none()
        }
    }
}

#[model_resource(Branch, "/branches", "/branches/<int:id>")]
struct BranchResource;

struct CopyResource;

#[model_resource(
    Copy,
    "/copies",
    "/copies/<code>",
    "/copies/by-id/<int:id>",
    "/branches/<int:branch_id>/copies",
    "/branches/<int:branch_id>/copies/<int:id>",
    "/at/<branch_slug>/copies"
)]
impl ModelResource for CopyResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

struct OwnCopyResource;

/// A resource with a custom operation that sets nothing.
#[model_resource(Copy, "/own/<int:branch_id>/copies")]
impl ModelResource for OwnCopyResource {
    const INCLUDE_METHODS: Operations = Operations::NONE;
    const EXCLUDE_DECORATORS: Operations = Operations::ALL;

    async fn create(cx: Context) -> Result<Reply> {
        let mut copy = Draft::<Copy>::new();
        copy.set(Copy::CODE, "own".to_owned());
        copy.set(Copy::TITLE, "own".to_owned());
        cx.created(copy).await
    }
}

/// A view that finds its copy by a column that is hidden from some callers.
#[route(
    "/copies/<code>/lend",
    methods = [POST],
    decorators = [param_converter().model::<Copy>("code")]
)]
async fn lend(cx: Context) -> Value {
    json!({"lent": cx.loaded::<Copy>().map(|copy| copy.id)})
}

/// Starts an app with branches 1, 2 and 3, of which the last is closed, and a copy of each.
async fn library() -> TestApp {
    let api = Api::new("library")
        .serializer::<BranchSerializer>()
        .serializer::<CopySerializer>()
        .policy::<BranchPolicy>()
        .policy::<CopyPolicy>()
        .model_resource::<BranchResource>()
        .model_resource::<CopyResource>()
        .model_resource::<OwnCopyResource>()
        .route(lend)
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let head = app.as_caller("99 head");
    for (id, is_open) in [(1, true), (2, true), (3, false)] {
        let branch = json!({"slug": format!("b{id}"), "isOpen": is_open});
        head.post("/branches", branch).await.expect(201);
        let copy = json!({"code": format!("c{id}"), "title": "t"});
        let made = head
            .post(&format!("/branches/{id}/copies"), copy)
            .await
            .expect(201);
        assert_eq!(made.json()["branchId"], id);
    }
    app
}

/// POL-15: a caller with a preset branch cannot create a copy at another branch's URL, singly, in bulk or from a file.
#[tokio::test]
async fn a_parent_in_the_url_that_contradicts_a_preset_is_rejected() {
    let app = library().await;
    let of_first = app.as_caller("1");
    let before = app.database().rows();
    let copy = json!({"code": "x", "title": "x"});
    for url in ["/branches/2/copies", "/at/b2/copies", "/own/2/copies"] {
        of_first.post(url, copy.clone()).await.expect(403);
    }
    let with_branch = json!({"code": "x", "title": "x", "branchId": 2});
    of_first.post("/branches/2/copies", with_branch).await.expect(403);
    of_first
        .post("/branches/2/copies", json!([copy]))
        .await
        .expect(403);
    for (media, file) in [
        ("text/csv", "code,title\nx,x\n"),
        ("application/x-ndjson", "{\"code\": \"x\", \"title\": \"x\"}\n"),
    ] {
        for url in ["/branches/2/copies", "/at/b2/copies"] {
            let file = Some((media, file.into()));
            of_first.send(Method::POST, url, file).await.expect(403);
        }
    }
    assert_eq!(app.database().rows(), before);

    let made = of_first
        .post("/branches/1/copies", copy.clone())
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first
        .post("/at/b1/copies", json!({"code": "y", "title": "y"}))
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first
        .post("/copies", json!({"code": "z", "title": "z"}))
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first.post("/own/1/copies", json!({})).await.expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let head = app.as_caller("99 head");
    let file = Some(("text/csv", "code,title\nf,f\n".into()));
    let made = head.send(Method::POST, "/branches/2/copies", file).await;
    assert_eq!(made.expect(201).json()[0]["branchId"], 2);
}

/// POL-14: a column that is hidden from the caller finds no row and is in no `Location`; other callers are unaffected.
#[tokio::test]
async fn a_hidden_column_in_the_url_finds_nothing() {
    let app = library().await;
    let blind = app.as_caller("1 blind");
    let before = app.database().rows();
    let missing = blind.get("/copies/nothing").await.expect(404).body;
    for answer in [
        blind.get("/copies/c1").await,
        blind.patch("/copies/c1", json!({"title": "x"})).await,
        blind.put("/copies/c1", json!({"title": "x"})).await,
        blind.delete("/copies/c1").await,
    ] {
        assert_eq!(answer.expect(404).body, missing);
    }
    assert_eq!(app.database().rows(), before);
    app.get("/copies/c1").await.expect(200);
    blind.get("/copies/by-id/1").await.expect(200);
    blind.post("/copies/c1/lend", json!({})).await.expect(404);
    let seeing = app.as_caller("1");
    seeing.post("/copies/c1/lend", json!({})).await.expect(200);
    let made = seeing
        .post("/copies", json!({"code": "new", "title": "t"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/copies/new");
}

/// POL-16: an unchanged foreign key is not a write, even if its referenced row is invisible to the caller.
#[tokio::test]
async fn an_unchanged_foreign_key_is_not_a_write() {
    let app = library().await;
    let head = app.as_caller("99 head");
    let of_first = app.as_caller("1");
    let anyone = app.client.clone();
    head.get("/branches/3").await.expect(200);
    anyone.get("/branches/3").await.expect(404);
    for url in ["/copies/by-id/3", "/copies/c3"] {
        let title = format!("by {url}");
        anyone
            .patch(url, json!({"branchId": 3, "title": title}))
            .await
            .expect_json(200, json!({"id": 3, "branchId": 3, "code": "c3", "title": title}));
        anyone
            .put(url, json!({"branchId": 3, "code": "c3", "title": "put"}))
            .await
            .expect(200);
    }
    anyone
        .patch("/copies", json!([{"id": 3, "branchId": 3, "title": "many"}]))
        .await
        .expect(200);
    let before = app.database().rows();
    let hidden = json!({"errors": {"branchId": ["Branch Id does not exist."]}});
    for url in ["/copies/by-id/1", "/copies/c1"] {
        anyone
            .patch(url, json!({"branchId": 3}))
            .await
            .expect_json(400, hidden.clone());
    }
    anyone
        .patch("/copies/by-id/9", json!({"branchId": 3}))
        .await
        .expect(404);
    assert_eq!(app.database().rows(), before);
    // A preset column keeps its value.
    let kept = of_first.patch("/copies/c2", json!({"branchId": 1})).await;
    assert_eq!(kept.expect(200).json()["branchId"], 2);
}

/// POL-16: a patch reads nothing before it writes, except for a changed foreign key's row.
#[tokio::test]
async fn an_ordinary_patch_does_not_read_its_row() {
    let app = library().await;
    let before = app.store.read_count();
    app.patch("/copies/by-id/1", json!({"title": "x"}))
        .await
        .expect(200);
    assert_eq!(app.store.read_count() - before, 0);
    app.patch("/copies/by-id/1", json!({"branchId": 2}))
        .await
        .expect(200);
    assert_eq!(app.store.read_count() - before, 1);
}
