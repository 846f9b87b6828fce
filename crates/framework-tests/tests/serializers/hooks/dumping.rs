//! Hooks before dumping.

use model_resource::{Api, WrappedSerializer};
use serde_json::json;
use test_support::TestApp;

use super::{RoomResource, RoomSerializer, hotel, sea};

/// SER-42: `pre_dump` hooks change the output of single objects, lists and files, and never the stored row.
#[tokio::test]
async fn a_pre_dump_hook_changes_the_output_in_every_format() {
    let app = hotel().await;
    app.get("/rooms/1").await.expect_json(200, sea());
    app.get("/rooms").await.expect_json(200, json!([sea()]));
    app.get("/rooms?fields=code")
        .await
        .expect_json(200, json!([{"code": "[a]!"}]));
    // Filters compare the stored value.
    app.get("/rooms?code=a&fields=id")
        .await
        .expect_json(200, json!([{"id": 1}]));
    let csv = app
        .get("/rooms?format=csv&fields=id,code,shown")
        .await
        .expect(200)
        .text();
    assert_eq!(csv, "id,code,shown\r\n1,[a]!,4\r\n");
    let lines = app
        .get("/rooms?format=ndjson&fields=code")
        .await
        .expect(200)
        .text();
    assert_eq!(lines, "{\"code\":\"[a]!\"}\n");
    let client = app.with_header("prefer", "return=representation");
    client.delete("/rooms/1").await.expect_json(200, sea());
    let again = json!({"name": "x", "code": "raw", "width": 1, "length": 1});
    app.post("/rooms", again).await.expect(201);
    assert_eq!(app.database().value::<String>("SELECT code FROM rooms"), "raw");
}

/// SER-42: hooks also run for nested and expanded objects, which are looked up by the stored keys.
#[tokio::test]
async fn a_pre_dump_hook_runs_for_nested_and_expanded_objects() {
    let app = hotel().await;
    let bed = json!({"id": 1, "name": "Twin", "roomId": 101, "in": {"code": "<a>"}});
    app.post("/beds", json!({"name": "Twin", "roomId": 1}))
        .await
        .expect_json(201, bed.clone());
    app.get("/beds").await.expect_json(200, json!([bed]));
    let expanded = app.get("/beds?expand=room").await.expect(200).json();
    assert_eq!(expanded[0]["room"], sea());
    let one = app
        .get("/beds/1?expand=room&fields=room.code")
        .await
        .expect(200)
        .json();
    assert_eq!(one, json!({"room": {"code": "[a]!"}}));
}

/// SER-40, SER-41, SER-42: the hooks of a wrapped serializer run inside its envelope.
#[tokio::test]
async fn hooks_run_inside_an_envelope() {
    let api = Api::new("hotel").serializer::<WrappedSerializer<RoomSerializer>>();
    let app = TestApp::with_api(api.model_resource::<RoomResource>()).await;
    let room = json!({"room": {"title": " Sea ", "code": "a", "width": 2, "length": 3, "plan": {"x": 1}}});
    app.post("/rooms", room)
        .await
        .expect_json(201, json!({"room": sea()}));
    app.get("/rooms")
        .await
        .expect_json(200, json!({"rooms": [sea()]}));
}
