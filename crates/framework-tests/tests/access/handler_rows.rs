//! Reads and writes of handlers under the policies of the caller: `cx.find`, `cx.list`, `cx.create`, `cx.save` and
//! `cx.remove`.

use axum::Router;
use model_resource::{
    Api, Caller, Context, Draft, Error, Model, ModelPolicy, Query, Reply, Result, Where, model_resource,
    route,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "diaries")]
struct Diary {
    #[column(primary_key)]
    id: i64,
    title: String,
    owner_id: i64,
    is_locked: bool,
}

/// Callers see their diaries, and change those that are not locked.
struct DiaryPolicy;

impl ModelPolicy for DiaryPolicy {
    type Model = Diary;

    fn visible(caller: &Caller) -> Where<Diary> {
        caller.owned_by(Diary::OWNER_ID)
    }

    fn updatable(_: &Caller) -> Where<Diary> {
        Diary::IS_LOCKED.eq(false)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Diary> {
        Draft::new().with(Diary::OWNER_ID, caller.key::<i64>().unwrap_or(0))
    }
}

/// A page of a diary, which no resource serves.
#[derive(Debug, Clone, Model)]
#[model(table = "leaves")]
struct Leaf {
    #[column(primary_key)]
    id: i64,
    #[column(references = Diary)]
    diary_id: i64,
}

#[model_resource(Diary, "/diaries", "/diaries/<int:id>")]
struct DiaryResource;

fn id(cx: &Context) -> i64 {
    let id = cx.params().get("diary").and_then(|id| id.parse().ok());
    id.unwrap_or(0)
}

#[route("/titles")]
async fn titles(cx: Context) -> Result<Reply> {
    let query = Query::<Diary>::new().order_by(Diary::TITLE.desc());
    let diaries = cx.list(&query).await?;
    Reply::json(&diaries.into_iter().map(|diary| diary.title).collect::<Vec<_>>())
}

#[route("/titles/<int:diary>")]
async fn title(cx: Context) -> Result<Reply> {
    let diary: Diary = cx.find(id(&cx)).await?.ok_or_else(Error::not_found)?;
    Reply::json(&diary.title)
}

#[route("/renamed/<int:diary>", methods = [POST])]
async fn rename(cx: Context) -> Result<Reply> {
    let diary: Option<Diary> = cx.store_unchecked().get(id(&cx)).await?;
    let draft = Draft::of(&diary.ok_or_else(Error::not_found)?).with(Diary::TITLE, "renamed".to_owned());
    let diary = cx.save(draft).await?;
    Reply::json(&json!({"title": diary.title, "owner": diary.owner_id}))
}

#[route("/burnt/<int:diary>", methods = [POST])]
async fn burn(cx: Context) -> Result<Reply> {
    let diary: Option<Diary> = cx.store_unchecked().get(id(&cx)).await?;
    cx.remove(&diary.ok_or_else(Error::not_found)?).await?;
    Ok(Reply::no_content())
}

#[route("/begun", methods = [POST])]
async fn begin_diary(cx: Context) -> Result<Reply> {
    let draft = Draft::new()
        .with(Diary::TITLE, "begun".to_owned())
        .with(Diary::IS_LOCKED, false);
    let diary = cx.create(draft).await?;
    Reply::json(&json!({"owner": diary.owner_id}))
}

/// Adds a page to a diary that the caller may not see.
#[route("/leaves/<int:diary>", methods = [POST])]
async fn add_leaf(cx: Context) -> Result<Reply> {
    let leaf = cx.create(Draft::new().with(Leaf::DIARY_ID, id(&cx))).await?;
    let moved = cx.save(Draft::of(&leaf).with(Leaf::DIARY_ID, id(&cx))).await?;
    Reply::json(&moved.diary_id)
}

async fn desk() -> (TestApp, Client, Client) {
    let api = Api::new("desk")
        .policy::<DiaryPolicy>()
        .model_resource::<DiaryResource>()
        .route(titles)
        .route(title)
        .route(rename)
        .route(burn)
        .route(begin_diary)
        .route(add_leaf)
        .authenticator(HeaderAuthenticator);
    let mut tables = api.tables();
    tables.push(Leaf::table());
    let app = TestApp::with_router(&tables, |store| api.store(store).init_app(Router::new())).await;
    app.database().execute(
        "INSERT INTO diaries (id, title, owner_id, is_locked) VALUES
         (101, 'a', 1, false), (102, 'b', 1, true), (103, 'c', 2, false), (104, 'd', 1, false)",
    );
    let (ann, bob) = (app.as_caller("1"), app.as_caller("2"));
    (app, ann, bob)
}

/// POL-21: reads of a handler find the rows that exist for the caller.
#[tokio::test]
async fn handlers_find_and_list_visible_rows() {
    let (app, ann, bob) = desk().await;
    ann.get("/titles").await.expect_json(200, json!(["d", "b", "a"]));
    bob.get("/titles").await.expect_json(200, json!(["c"]));
    app.get("/titles").await.expect_json(200, json!([]));
    ann.get("/titles/101").await.expect_json(200, json!("a"));
    bob.get("/titles/101").await.expect(404);
    ann.get("/titles/999").await.expect(404);
}

/// POL-21: writes of a handler are subject to the policy: an invisible row is missing, and a visible one that may not be
/// changed is denied.
#[tokio::test]
async fn handlers_change_and_delete_permitted_rows() {
    let (app, ann, bob) = desk().await;
    let before = app.database().rows();
    for url in ["/renamed/", "/burnt/"] {
        ann.post(&format!("{url}102"), json!({})).await.expect(403);
        ann.post(&format!("{url}103"), json!({})).await.expect(404);
        bob.post(&format!("{url}101"), json!({})).await.expect(404);
        app.post(&format!("{url}101"), json!({})).await.expect(404);
    }
    assert_eq!(app.database().rows(), before);
    let renamed = json!({"title": "renamed", "owner": 1});
    ann.post("/renamed/101", json!({}))
        .await
        .expect_json(200, renamed);
    ann.post("/burnt/104", json!({})).await.expect(204);
    ann.get("/titles").await.expect_json(200, json!(["renamed", "b"]));
}

/// POL-21: a row that a handler creates has the presets of the caller, and needs the permission.
#[tokio::test]
async fn handlers_create_rows_with_presets() {
    let (app, _, bob) = desk().await;
    let before = app.database().rows();
    app.post("/begun", json!({})).await.expect(401);
    assert_eq!(app.database().rows(), before);
    bob.post("/begun", json!({}))
        .await
        .expect_json(200, json!({"owner": 2}));
}

/// POL-21: a foreign key to an invisible row is rejected as one to a missing row, also in models without a resource.
#[tokio::test]
async fn handlers_cannot_reference_invisible_rows() {
    let (app, ann, bob) = desk().await;
    let before = app.database().rows();
    let hidden = bob.post("/leaves/101", json!({})).await.expect(400).json();
    let missing = bob.post("/leaves/999", json!({})).await.expect(400).json();
    assert_eq!(hidden, missing);
    assert_eq!(app.database().rows(), before);
    ann.post("/leaves/101", json!({}))
        .await
        .expect_json(200, json!(101));
}
