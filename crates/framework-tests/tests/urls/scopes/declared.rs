//! Declared paths to a parent.

use model_resource::{Model, model_resource};
use serde_json::json;
use test_support::startup_errors;

use super::{Answer, Letter, Story, Writer, api, app, ids};

/// URL-15: a declared path limits the rows; an intermediate row may be in the body, and must lead to the same parent.
#[tokio::test]
async fn a_declared_path_limits_rows() {
    let app = app().await;
    assert_eq!(
        ids(&app.get("/writers/ann/answers").await.expect(200).json()),
        [1, 3]
    );
    app.get("/writers/nobody/answers").await.expect(404);
    app.get("/writers/bob/answers/1").await.expect(404);
    let before = app.database().rows();
    let mismatch = json!({"errors": {"storyId": ["Does not match the URL."]}});
    for story in [2, 9] {
        let body = json!({"storyId": story, "text": "no"});
        app.post("/writers/ann/answers", body.clone())
            .await
            .expect_json(400, mismatch.clone());
        app.put("/writers/ann/answers/1", body.clone())
            .await
            .expect_json(400, mismatch.clone());
        app.patch("/writers/ann/answers/1", body)
            .await
            .expect_json(400, mismatch.clone());
    }
    app.post("/writers/ann/answers", json!({"text": "no"}))
        .await
        .expect_json(400, json!({"errors": {"storyId": ["Story Id is required."]}}));
    app.post("/writers/nobody/answers", json!({"storyId": 1, "text": "no"}))
        .await
        .expect(404);
    app.patch("/writers/bob/answers/1", json!({"text": "no"}))
        .await
        .expect(404);
    app.delete("/writers/bob/answers/1").await.expect(404);
    assert_eq!(app.database().rows(), before);
    let made = app
        .post("/writers/ann/answers", json!({"storyId": 3, "text": "yes"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/writers/ann/answers/4");
    app.patch("/writers/ann/answers/1", json!({"storyId": 3}))
        .await
        .expect_json(200, json!({"id": 1, "storyId": 3, "text": "to 1"}));

    let letter = json!({"senderId": 1, "storyId": null});
    let made = app.post("/writers/2/inbox", letter).await.expect(201);
    assert_eq!(made.json()["receiverId"], 2);
    app.get("/writers/2/inbox/1").await.expect(200);
    app.get("/writers/1/inbox/1").await.expect(404);
}

/// URL-15: an ambiguous parameter is rejected at startup, with the possible declarations.
#[tokio::test]
async fn an_ambiguous_parameter_is_rejected() {
    #[model_resource(Letter, "/writers/<int:writer_id>/letters")]
    struct TwoKeys;
    #[model_resource(
        Letter,
        "/writers/<int:writer_id>/stories/<int:story_id>/letters",
        scope(writer_id = "sender_id")
    )]
    struct Declared;
    #[model_resource(Letter, "/writers/<int:author_id>/stories/<int:story_id>/letters")]
    struct Through;

    #[derive(Debug, Clone, Model)]
    #[model(table = "notes")]
    struct Note {
        #[column(primary_key)]
        id: i64,
        #[column(references = Writer)]
        writer_id: i64,
        #[column(references = Story)]
        story_id: i64,
    }
    serializers!(NoteSerializer(Note));
    #[model_resource(Note, "/writers/<int:writer_id>/stories/<int:story_id>/notes")]
    struct TwoWays;

    let mistakes = startup_errors(api().model_resource::<TwoKeys>()).await;
    let remedy = "`scope(writer_id = \"sender_id\")` or `scope(writer_id = \"receiver_id\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
    let api_of_notes = api().serializer::<NoteSerializer>();
    let mistakes = startup_errors(api_of_notes.model_resource::<TwoWays>()).await;
    let remedy = "`scope(writer_id = \"writer_id\")` or `scope(writer_id = \"story_id.author_id\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
    assert!(
        startup_errors(api().model_resource::<Declared>())
            .await
            .is_empty()
    );
    assert!(startup_errors(api().model_resource::<Through>()).await.is_empty());
}

/// URL-15: a declaration without a valid path is rejected at startup.
#[tokio::test]
async fn an_invalid_declaration_is_rejected() {
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id.autor_id"))]
    struct Misspelt;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "text"))]
    struct NoKey;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id.title"))]
    struct NotUnique;
    #[model_resource(Answer, "/w/<int:w>/answers", scope(w = "story_id"), unscoped("v"))]
    struct Idle;
    for (api, remedy) in [
        (api().model_resource::<Misspelt>(), "did you mean `author_id`?"),
        (
            api().model_resource::<NoKey>(),
            "`text` of Answer is no foreign key",
        ),
        (
            api().model_resource::<NotUnique>(),
            "`title` of Story is no foreign key",
        ),
        (
            api().model_resource::<Idle>(),
            "`v`, which is in none of its URLs",
        ),
    ] {
        let mistakes = startup_errors(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
}
