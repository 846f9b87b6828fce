//! Presets of callers without a key: the columns stay empty, and no caller can claim the rows of others.

use http::Method;
use model_resource::{
    Api, CREATE, Caller, Context, Draft, Model, ModelPolicy, ModelResource, Operations, Reply, Result, Where,
    model_resource, route,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "posts")]
struct Post {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(references = Member)]
    owner_id: Option<i64>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "votes")]
struct Vote {
    #[column(primary_key)]
    id: i64,
    stars: i64,
    #[column(references = Member)]
    voter_id: i64,
}

/// Anyone writes a post, which belongs to its author. Anyone may correct a post that belongs to nobody.
struct PostPolicy;

impl ModelPolicy for PostPolicy {
    type Model = Post;

    fn updatable(caller: &Caller) -> Where<Post> {
        Post::OWNER_ID
            .is_null()
            .or(Post::OWNER_ID.eq(caller.key::<i64>()))
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn presets(caller: &Caller) -> Draft<Post> {
        caller.preset(Post::OWNER_ID)
    }
}

struct VotePolicy;

impl ModelPolicy for VotePolicy {
    type Model = Vote;

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn presets(caller: &Caller) -> Draft<Vote> {
        caller.preset(Vote::VOTER_ID)
    }
}

struct PostResource;

#[model_resource(Post, "/posts", "/posts/<int:id>", "/members/<int:owner_id>/posts")]
impl ModelResource for PostResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

#[model_resource(Member, "/members")]
struct MemberResource;

struct VoteResource;

#[model_resource(Vote, "/votes")]
impl ModelResource for VoteResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// Writes a post for which the handler names no owner.
#[route("/drafts", methods = [POST])]
async fn begin_draft(cx: Context) -> Result<Reply> {
    let post = cx.create(Draft::new().with(Post::TITLE, "draft")).await?;
    Reply::json(&post.owner_id)
}

fn api() -> Api {
    Api::new("forum")
        .policy::<PostPolicy>()
        .policy::<VotePolicy>()
        .model_resource::<MemberResource>()
        .model_resource::<PostResource>()
        .model_resource::<VoteResource>()
        .route(begin_draft)
        .authenticator(HeaderAuthenticator)
}

async fn forum() -> (TestApp, Client) {
    let app = TestApp::with_api(api()).await;
    app.database()
        .execute("INSERT INTO members (id, name) VALUES (1, 'ann'), (2, 'bob')");
    let ann = app.as_caller("1");
    (app, ann)
}

fn post(owner: impl Into<Value>) -> Value {
    json!({"title": "t", "ownerId": owner.into()})
}

/// POL-23: a caller without a key creates rows that belong to nobody, and a body that names an owner is a 400.
#[tokio::test]
async fn an_anonymous_caller_cannot_create_a_row_for_another_owner() {
    let (app, ann) = forum().await;
    let before = app.database().rows();
    let preset = json!({"errors": {"ownerId": ["Set by the server; leave it out."]}});
    app.post("/posts", post(1)).await.expect_json(400, preset.clone());
    app.post("/posts", json!([{"title": "a"}, post(2)]))
        .await
        .expect_json(400, json!({"errors": {"1": preset["errors"]}}));
    let csv = Some(("text/csv", "title,ownerId\r\nt,1\r\n".into()));
    app.send(Method::POST, "/posts", csv).await.expect(400);
    app.post("/members/1/posts", json!({"title": "t"}))
        .await
        .expect(401);
    assert_eq!(app.database().rows(), before);

    for body in [json!({"title": "t"}), post(Value::Null)] {
        let made = app.post("/posts", body).await.expect(201).json();
        assert_eq!(made["ownerId"], Value::Null);
    }
    app.post("/drafts", json!({})).await.expect_json(200, Value::Null);
    let own = ann.post("/posts", post(1)).await.expect(201).json();
    assert_eq!(own["ownerId"], 1);
}

/// POL-23, POL-13: nor can such a caller give a row an owner afterwards.
#[tokio::test]
async fn an_anonymous_caller_cannot_give_a_row_to_an_owner() {
    let (app, _) = forum().await;
    let made = app.post("/posts", json!({"title": "t"})).await.expect(201).json();
    let url = format!("/posts/{}", made["id"]);
    let kept = app.patch(&url, post(1)).await.expect(200).json();
    assert_eq!(kept["ownerId"], Value::Null);
    let kept = app.put(&url, post(1)).await.expect(200).json();
    assert_eq!(kept["ownerId"], Value::Null);
}

/// POL-23: if the column is not nullable, a caller without a key cannot create rows.
#[tokio::test]
async fn an_anonymous_caller_cannot_create_a_row_that_needs_an_owner() {
    let (app, ann) = forum().await;
    let before = app.database().rows();
    for body in [
        json!({"stars": 5}),
        json!({"stars": 5, "voterId": 1}),
        json!([{"stars": 5, "voterId": 1}]),
    ] {
        let refused = app.post("/votes", body).await.expect(401).json();
        assert_eq!(refused["message"], "Authentication is required.");
    }
    assert_eq!(app.database().rows(), before);
    let vote = ann.post("/votes", json!({"stars": 5})).await.expect(201).json();
    assert_eq!(vote["voterId"], 1);

    let compiled = api().compile();
    let public: Vec<String> = compiled
        .public_writes()
        .into_iter()
        .map(|write| write.url)
        .collect();
    assert!(public.contains(&"/posts".to_owned()), "{public:?}");
    assert!(!public.contains(&"/votes".to_owned()), "{public:?}");
    let document = compiled.openapi_document_for(&Caller::anonymous());
    assert!(document["paths"]["/posts"]["post"].is_object(), "{document}");
    assert!(document["paths"]["/votes"]["post"].is_null(), "{document}");
}
