//! Views and custom operations, whose types tell what they read and return.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{Api, JsonBody, Model, ObjectOf, Reply, Result, model_resource, route};
use serde::Deserialize;
use serde_json::json;
use test_support::TestApp;

use crate::checked::Document;

#[derive(Debug, Clone, Model)]
struct Song {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[model_resource(Song, "/songs", "/songs/<int:id>")]
struct SongResource;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Vote {
    song: i64,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "the reply is made member by member")]
struct Winner {
    votes: u32,
    song: Option<ObjectOf<Song>>,
}

/// Votes for a song.
///
/// Everybody has as many votes as they like.
#[route("/votes", methods = [POST], response = Winner)]
async fn vote(JsonBody(vote): JsonBody<Vote>) -> Result<Reply> {
    Reply::json(&json!({"votes": vote.song, "song": null}))
}

#[route("/silence", methods = [DELETE])]
async fn silence() -> Result<()> {
    Ok(())
}

#[route("/anthem", responses = [(200, "The words."), (410, "The song is over.")])]
async fn anthem() -> &'static str {
    "la la la"
}

fn songs() -> Api {
    Api::new("songs")
        .model_resource::<SongResource>()
        .route(vote)
        .route(silence)
        .route(anthem)
        .openapi()
}

/// OAS-34: views are described by their types: bodies, replies with objects of models, and texts.
#[tokio::test]
async fn views_are_described_by_their_types() {
    let app = TestApp::with_api(songs()).await;
    let document = Document(app.get("/openapi.json").await.expect(200).json());
    let operation = document.operation("post", "/votes");
    assert_eq!(operation["summary"], "Votes for a song");
    assert_eq!(
        operation["description"],
        "Everybody has as many votes as they like."
    );
    for body in [
        json!({"song": 1}),
        json!({"song": "x"}),
        json!({}),
        json!({"song": 1, "more": 2}),
    ] {
        let response = app.post("/votes", body.clone()).await;
        assert_eq!(
            response.status == 200,
            document.accepts("post", "/votes", &body),
            "{body}"
        );
        if response.status == 200 {
            document.expect_documented("post", "/votes", &response);
        }
    }
    let reply = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    assert!(reply.to_string().contains("#/components/schemas/Song"));
    assert!(!reply.to_string().contains("x-model"));
    document.expect_documented("delete", "/silence", &app.delete("/silence").await);
    document.expect_documented("get", "/anthem", &app.get("/anthem").await.expect(200));
    let responses = &document.operation("get", "/anthem")["responses"];
    assert_eq!(responses["200"]["description"], "The words.");
    assert_eq!(responses["410"]["description"], "The song is over.");
}
