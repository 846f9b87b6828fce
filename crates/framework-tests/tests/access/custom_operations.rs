//! Custom operations on a model with a policy, which applies even if no loader checks it.

use model_resource::{
    Api, CREATE, Caller, Context, DELETE, Draft, MethodDecorators, Model, ModelPolicy, ModelResource,
    Operations, PATCH, Reply, Result, Where, model_resource, param_converter,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    text: String,
    owner_id: i64,
    #[column(default = false)]
    is_gone: bool,
}

/// Authenticated callers create letters, and see and delete their own.
struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn visible(caller: &Caller) -> Where<Letter> {
        caller.owned_by(Letter::OWNER_ID)
    }

    fn deletable(caller: &Caller) -> Where<Letter> {
        caller.owned_by(Letter::OWNER_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

struct LetterResource;

/// Creates letters without the body, and deletes them without a loader.
#[model_resource(Letter, "/letters", "/letters/<int:id>")]
impl ModelResource for LetterResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([CREATE]);

    async fn create(cx: Context) -> Result<Reply> {
        let mut letter = Draft::new();
        letter.set(Letter::TEXT, "Hello".to_owned());
        letter.set(Letter::OWNER_ID, cx.caller().key().unwrap_or(0));
        cx.created(letter).await
    }

    async fn delete(cx: Context) -> Result<Reply> {
        let id = cx.params().get("id").and_then(|id| id.parse().ok());
        let letter: Letter = cx.store_unchecked().get(id.unwrap_or(0_i64)).await?.unwrap();
        let mut draft = Draft::of(&letter);
        draft.set(Letter::IS_GONE, true);
        cx.store_unchecked().save(draft).await?;
        Ok(Reply::no_content())
    }
}

async fn post_office() -> (TestApp, Client, Client) {
    let api = Api::new("post")
        .policy::<LetterPolicy>()
        .model_resource::<LetterResource>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let letter = "INSERT INTO letters (id, text, owner_id, is_gone) VALUES (100, 'Dear Ann', 1, false)";
    app.database().execute(letter);
    let (ann, bob) = (app.as_caller("1"), app.as_caller("2"));
    (app, ann, bob)
}

/// A create that the policy does not permit is rejected, whether or not a loader reads the body.
#[tokio::test]
async fn a_custom_create_without_loaders_is_subject_to_the_policy() {
    let (app, ann, _) = post_office().await;
    let before = app.database().rows();
    app.client.post("/letters", json!({})).await.expect(401);
    assert_eq!(app.database().rows(), before);
    ann.post("/letters", json!({})).await.expect(201);
}

/// A delete that finds its row itself does not reach rows of others.
#[tokio::test]
async fn a_custom_delete_without_a_loaded_object_is_subject_to_the_policy() {
    let (app, ann, bob) = post_office().await;
    let before = app.database().rows();
    for client in [&app.client, &bob] {
        client.delete("/letters/100").await.expect(404);
        client.delete("/letters/999").await.expect(404);
    }
    assert_eq!(app.database().rows(), before);
    ann.delete("/letters/100").await.expect(204);
    assert_ne!(app.database().rows(), before);
}

/// Everyone sees the memos, and only their owners delete or change them.
struct MemoPolicy;

#[derive(Debug, Clone, Model)]
#[model(table = "memos")]
struct Memo {
    #[column(primary_key)]
    id: i64,
    text: String,
    owner_id: i64,
}

impl ModelPolicy for MemoPolicy {
    type Model = Memo;

    fn updatable(caller: &Caller) -> Where<Memo> {
        caller.owned_by(Memo::OWNER_ID)
    }
}

struct MemoResource;

/// Loads the object by a converter that is listed explicitly, and writes without the helpers that check the policy.
#[model_resource(Memo, "/memos/<int:id>")]
impl ModelResource for MemoResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([DELETE, PATCH]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on([DELETE, PATCH], param_converter().model::<Memo>("id"))
    }

    async fn delete(cx: Context, memo: Memo) -> Result<Reply> {
        cx.store_unchecked().remove(&memo).await?;
        Ok(Reply::no_content())
    }

    async fn patch(cx: Context) -> Result<Reply> {
        let memo: Memo = cx.loaded().unwrap();
        let draft = Draft::of(&memo).with(Memo::TEXT, "changed".to_owned());
        cx.store_unchecked().save(draft).await?;
        Ok(Reply::no_content())
    }
}

/// DEC-10, POL-5: an object that an explicit `param_converter` loads must be one that the operation may be applied to.
#[tokio::test]
async fn an_explicit_converter_checks_the_policy_of_the_operation() {
    let api = Api::new("office")
        .policy::<MemoPolicy>()
        .model_resource::<MemoResource>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO memos (id, text, owner_id) VALUES (1, 'a', 1), (2, 'b', 1)");
    let before = app.database().rows();
    let (ann, bob) = (app.as_caller("1"), app.as_caller("2"));
    bob.get("/memos/1").await.expect(200);
    app.client.delete("/memos/1").await.expect(401);
    app.client.patch("/memos/1", json!({})).await.expect(401);
    bob.delete("/memos/1").await.expect(403);
    bob.patch("/memos/1", json!({})).await.expect(403);
    bob.delete("/memos/9").await.expect(404);
    assert_eq!(app.database().rows(), before);
    ann.patch("/memos/1", json!({})).await.expect(204);
    ann.delete("/memos/2").await.expect(204);
    assert_ne!(app.database().rows(), before);
}

/// POL-8: without an authenticator the policy applies to the anonymous caller, also in custom handlers without loaders.
#[tokio::test]
async fn a_policy_without_an_authenticator_applies_to_custom_operations() {
    let api = Api::new("post")
        .policy::<LetterPolicy>()
        .model_resource::<LetterResource>();
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO letters (id, text, owner_id, is_gone) VALUES (100, 'Dear Ann', 1, false)");
    let before = app.database().rows();
    app.client.post("/letters", json!({})).await.expect(401);
    app.client.delete("/letters/100").await.expect(404);
    assert_eq!(app.database().rows(), before);
}
