//! Soft deletion in the document.

use model_resource::{Api, Caller, Model, ModelPolicy, ModelResource, Timestamp, Where, model_resource};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn shows_deleted(caller: &Caller) -> Where<Letter> {
        Self::updatable(caller)
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        if caller.has_role("desk") {
            Where::all()
        } else {
            Where::none()
        }
    }
}

struct LetterResource;

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = LetterPolicy)]
impl ModelResource for LetterResource {
    const RESTORE: bool = true;
}

/// SDL-15: the document of a caller has the parameter and the restoration if they can use them.
#[tokio::test]
async fn the_document_has_what_the_caller_can_use() {
    let api = Api::new("letters")
        .authenticator(HeaderAuthenticator)
        .model_resource::<LetterResource>()
        .openapi();
    let app = TestApp::with_api(api).await;
    let document = app
        .as_caller("2 desk")
        .get("/openapi.json")
        .await
        .expect(200)
        .json();
    let restore = &document["paths"]["/letters/{id}/restore"]["post"];
    assert_eq!(restore["operationId"], "restoreLetter");
    assert_eq!(restore["summary"], "Restore a letter");
    assert!(restore.get("requestBody").is_none(), "{restore}");
    let restored = &restore["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(restored["$ref"], "#/components/schemas/Letter");
    for status in ["400", "403", "404", "409", "412"] {
        assert!(restore["responses"].get(status).is_some(), "{status}: {restore}");
    }
    let list = document["paths"]["/letters"]["get"]["parameters"].to_string();
    assert!(list.contains("parameters/deleted"), "{list}");
    let parameter = &document["components"]["parameters"]["deleted"];
    assert_eq!(parameter["schema"]["enum"], json!(["include", "only"]));
    let others = app.get("/openapi.json").await.expect(200).json();
    assert!(others["paths"].get("/letters/{id}/restore").is_none());
    assert!(!others.to_string().contains("Deleted objects"), "{others}");
}
