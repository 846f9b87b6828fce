//! Policies of writes whose objects filters select.

use model_resource::{
    Api, Caller, Columns, Context, DELETE, GET, LIST, MethodDecorators, Model, ModelPolicy, ModelResource,
    Next, Operations, PATCH, Reply, Result, Where, guard, model_resource,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "memos")]
struct Memo {
    #[column(primary_key)]
    id: i64,
    owner_id: i64,
    text: String,
    #[column(default = "")]
    secret: String,
    #[column(default = false)]
    locked: bool,
}

struct MemoResource;

#[model_resource(Memo, "/memos", "/memos/<int:id>")]
impl ModelResource for MemoResource {
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

/// Members see shared memos of the owner 0, too; secrets are for their owners.
struct MemoPolicy;

impl ModelPolicy for MemoPolicy {
    type Model = Memo;

    fn visible(caller: &Caller) -> Where<Memo> {
        match caller.key::<i64>() {
            Some(_) if caller.has_role("chief") => Where::all(),
            Some(key) => Memo::OWNER_ID.eq(key).or(Memo::OWNER_ID.eq(0)),
            None => Where::none(),
        }
    }

    fn updatable(caller: &Caller) -> Where<Memo> {
        match caller.key::<i64>() {
            Some(key) => Memo::OWNER_ID.eq(key),
            None => Where::none(),
        }
    }

    fn deletable(caller: &Caller) -> Where<Memo> {
        Self::updatable(caller).and(Memo::LOCKED.eq(false))
    }

    fn writable(caller: &Caller) -> Where<Memo> {
        Self::updatable(caller)
    }

    fn hidden(caller: &Caller) -> Columns<Memo> {
        if caller.has_role("chief") {
            Columns::none()
        } else {
            Columns::of(Memo::SECRET)
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role("chief")
    }
}

async fn chiefs_only(cx: Context, next: Next) -> Result<Reply> {
    if cx.caller().has_role("chief") {
        next.run(cx).await
    } else {
        Err(cx.denied())
    }
}

/// Memos that all callers may change, and only chiefs may list.
struct GuardedResource;

#[model_resource(Memo, "/guarded", "/guarded/<int:id>")]
impl ModelResource for GuardedResource {
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
    const PUBLIC: bool = true;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on([LIST, GET], guard(chiefs_only))
    }
}

async fn memos() -> TestApp {
    let api = Api::new("memos")
        .authenticator(HeaderAuthenticator)
        .anonymous_write_rate(None)
        .model_resource::<MemoResource>()
        .policy::<MemoPolicy>();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO memos (owner_id, text, secret, locked) VALUES (1, 'a', 'x', FALSE), (1, 'b', 'y', TRUE), (2, 'a', 'x', FALSE), (0, 'c', 'x', FALSE)",
    );
    app
}

fn five(client: &Client) -> Client {
    client.with_header("prefer", "max-affected=5")
}

/// BLK-8
#[tokio::test]
async fn only_rows_that_the_caller_sees_are_selected() {
    let app = memos().await;
    let one = five(&app).as_caller("1");
    let changed = one
        .patch("/memos?text=a", json!({"text": "mine"}))
        .await
        .expect(200);
    assert_eq!(
        changed.json(),
        json!([{"id": 1, "ownerId": 1, "text": "mine", "locked": false}])
    );
    assert_eq!(
        app.database()
            .value::<String>("SELECT text FROM memos WHERE id = 3"),
        "a"
    );
    // The number of hidden rows does not count.
    let few = app.client.with_header("prefer", "max-affected=0").as_caller("1");
    few.delete("/memos?text=a").await.expect(204);
    let before = app.database().rows();
    five(&app)
        .patch("/memos?text=a", json!({"text": "b"}))
        .await
        .expect(200)
        .expect_json(200, json!([]));
    one.delete("/memos?ownerId=2").await.expect(204);
    assert_eq!(app.database().rows(), before);
}

/// BLK-8
#[tokio::test]
async fn rows_that_the_caller_sees_and_may_not_change_deny_all() {
    let app = memos().await;
    let before = app.database().rows();
    let one = five(&app).as_caller("1");
    one.patch("/memos?id[gte]=1", json!({"text": "b"}))
        .await
        .expect(403);
    one.delete("/memos?ownerId=1").await.expect(403);
    one.delete("/memos?ownerId=0").await.expect(403);
    // As they would be after the write.
    one.patch("/memos?ownerId=1", json!({"ownerId": 2}))
        .await
        .expect(403);
    assert_eq!(app.database().rows(), before);
    one.delete("/memos?ownerId=1&locked=false").await.expect(204);
    let left: i64 = app.database().value("SELECT count(*) FROM memos");
    assert_eq!(left, 3);
}

/// BLK-8: a filter cannot ask for values that the caller may not read.
#[tokio::test]
async fn hidden_columns_are_no_filters() {
    let app = memos().await;
    let before = app.database().rows();
    for query in [
        "?secret=x",
        "?secret[like]=x*",
        "?or=secret:x",
        "?text=a&secret[ne]=x",
    ] {
        let url = format!("/memos{query}");
        five(&app)
            .as_caller("1")
            .patch(&url, json!({"text": "b"}))
            .await
            .expect(400);
        five(&app).as_caller("1").delete(&url).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
}

/// BLK-8: who may not read the list cannot search it by writes.
#[tokio::test]
async fn the_guards_of_the_list_apply() {
    let api = Api::new("memos")
        .authenticator(HeaderAuthenticator)
        .anonymous_write_rate(None)
        .model_resource::<GuardedResource>();
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO memos (owner_id, text, secret, locked) VALUES (1, 'a', 'x', FALSE)");
    let before = app.database().rows();
    for text in ["a", "z"] {
        let url = format!("/guarded?text={text}");
        five(&app).patch(&url, json!({"text": "b"})).await.expect(401);
        five(&app)
            .as_caller("1")
            .patch(&url, json!({"text": "b"}))
            .await
            .expect(403);
    }
    assert_eq!(app.database().rows(), before);
    five(&app)
        .as_caller("1 chief")
        .patch("/guarded?text=a", json!({"text": "b"}))
        .await
        .expect(200);
}
