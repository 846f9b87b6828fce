//! Operations of a resource's own, on a model that has rules: they are asked also where no loader asks them.

use backend::api::{
    Api, CREATE, Context, ModelResource, ModelSerializer, Operations, Reply, Result, operations,
};
use model_resource::{Caller, Draft, Model, ModelPolicy, Where, model_resource, serializer};
use serde_json::json;

use crate::support::{ByHeader, Client, TestApp, execute, rows};

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

struct LetterSerializer;

#[serializer]
impl ModelSerializer for LetterSerializer {
    type Model = Letter;
}

/// Everybody who is known makes letters, and sees and deletes their own.
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

/// Makes letters from nothing that was sent, and deletes them by hand.
#[model_resource(Letter, "/letters", "/letters/<int:id>")]
impl ModelResource for LetterResource {
    const EXCLUDE_DECORATORS: Operations = operations![CREATE];

    async fn create(cx: Context) -> Result<Reply> {
        let mut letter = Draft::new();
        letter.set(Letter::TEXT, "Hello".to_owned());
        letter.set(Letter::OWNER_ID, cx.caller().key().unwrap_or(0));
        cx.created(letter).await
    }

    async fn delete(cx: Context) -> Result<Reply> {
        let id = cx.params().get("id").and_then(|id| id.parse().ok());
        let letter: Letter = cx.store().get(id.unwrap_or(0_i64)).await?.unwrap();
        let mut draft = Draft::of(&letter);
        draft.set(Letter::IS_GONE, true);
        cx.store().save(draft).await?;
        Ok(Reply::no_content())
    }
}

async fn post_office() -> (TestApp, Client, Client) {
    let api = Api::new("post")
        .serializer::<LetterSerializer>()
        .policy::<LetterPolicy>()
        .model_resource::<LetterResource>()
        .authenticator(ByHeader);
    let app = TestApp::with_api(api).await;
    let letter = "INSERT INTO letters (id, text, owner_id, is_gone) VALUES (100, 'Dear Ann', 1, false)";
    execute(&app.database(), letter);
    let (ann, bob) = (app.as_caller("1"), app.as_caller("2"));
    (app, ann, bob)
}

/// What the policy does not allow is rejected, whether or not anything of the body is loaded.
#[tokio::test]
async fn a_create_of_its_own_without_loaders_is_rejected_to_who_may_not_create() {
    let (app, ann, _) = post_office().await;
    let before = rows(&app.database());
    app.client.post("/letters", json!({})).await.expect(401);
    assert_eq!(rows(&app.database()), before);
    ann.post("/letters", json!({})).await.expect(201);
}

/// Nor does a delete that finds its row itself reach those of others.
#[tokio::test]
async fn a_delete_of_its_own_that_takes_no_object_is_rejected_to_who_may_not_delete() {
    let (app, ann, bob) = post_office().await;
    let before = rows(&app.database());
    for client in [&app.client, &bob] {
        client.delete("/letters/100").await.expect(404);
        client.delete("/letters/999").await.expect(404);
    }
    assert_eq!(rows(&app.database()), before);
    ann.delete("/letters/100").await.expect(204);
    assert_ne!(rows(&app.database()), before);
}
