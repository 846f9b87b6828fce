//! Hooks before and after loading.

use http::Method;
use serde_json::json;

use super::{hotel, stored};

/// SER-40: create, put and patch load the result of `pre_load` hooks as if the client had sent it.
#[tokio::test]
async fn a_pre_load_hook_changes_the_object_of_every_write() {
    let app = hotel().await;
    let whole = json!({"title": " Lake ", "code": "b", "width": 2, "length": 3, "plan": {"x": 1}});
    let put = app.put("/rooms/1", whole).await.expect(200).json();
    assert_eq!(put["name"], "Lake");
    let patched = app
        .patch("/rooms/1", json!({"title": "Hill "}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["name"], "Hill");
    let many = json!([{"title": "One", "width": 1, "length": 1}, {"name": " Two", "width": 1, "length": 1}]);
    let many = app.post("/rooms", many).await.expect(201).json();
    assert_eq!([&many[0]["name"], &many[1]["name"]], ["One", "Two"]);
    assert_eq!(many[0]["code"], "[new]!");
    let many = json!([{"id": 2, "title": " Uno"}, {"id": 3, "title": " Due"}]);
    let many = app.patch("/rooms", many).await.expect(200).json();
    assert_eq!([&many[0]["name"], &many[1]["name"]], ["Uno", "Due"]);
    let by_hand = json!({"title": " Hand ", "width": 1, "length": 1});
    let by_hand = app.post("/by-hand", by_hand).await.expect(200).json();
    assert_eq!(by_hand["room"]["name"], "Hand");
    let dumped = json!({"title": " View ", "width": 1, "length": 2});
    let dumped = app.post("/dumped", dumped).await.expect(200).json();
    assert_eq!(
        json!([dumped[0]["name"], dumped[0]["area"], dumped[0]["code"]]),
        json!(["View", 2, "[new]!"])
    );
}

/// SER-40: hooks also run for files: a column that only a hook knows is accepted, and an unknown one is rejected.
#[tokio::test]
async fn a_pre_load_hook_runs_for_the_lines_of_files() {
    let app = hotel().await;
    let csv = "title,width,length\r\n Rome ,2,2\r\n Oslo,3,3\r\n";
    let send = |kind: &'static str, body: &str| {
        app.send(Method::POST, "/rooms", Some((kind, body.to_owned().into())))
    };
    let imported = send("text/csv", csv).await.expect(201).json();
    assert_eq!(
        [&imported[0]["name"], &imported[1]["area"]],
        [&json!("Rome"), &json!(9)]
    );
    let lines = "{\"title\": \" Bonn\", \"width\": 1, \"length\": 1}\n";
    let imported = send("application/x-ndjson", lines).await.expect(201).json();
    assert_eq!(imported[0]["name"], "Bonn");
    let before = stored(&app);
    let refused = send("text/csv", "title,nope,width,length\r\nRome,x,2,2\r\n").await;
    refused.expect_json(400, json!({"errors": {"2": {"nope": ["Unknown field."]}}}));
    assert_eq!(stored(&app), before);
}

/// SER-40: a hook may add errors, which are reported together with all others; nothing is written.
#[tokio::test]
async fn a_pre_load_hook_may_add_errors() {
    let app = hotel().await;
    let before = stored(&app);
    let room = json!({"name": "x", "wide": 1, "width": "2", "length": 3});
    let errors = app.post("/rooms", room).await.expect(400).json();
    assert_eq!(errors["errors"]["wide"][0], "Send the width.");
    assert_eq!(
        errors["errors"]["width"],
        json!(["Not a valid integer between -2147483648 and 2147483647."])
    );
    let twice = "{\"name\": \"x\", \"name\": \"y\", \"width\": 1, \"length\": 1}";
    let twice = Some(("application/json", twice.into()));
    let refused = app.send(Method::POST, "/rooms", twice).await.expect(400).json();
    assert!(
        refused["message"].as_str().unwrap().contains("\"name\""),
        "{refused}"
    );
    assert_eq!(stored(&app), before);
}

/// SER-40: members that a hook does not change are loaded exactly as sent, including digits, spaces and order.
#[tokio::test]
async fn unchanged_members_are_loaded_as_sent() {
    let app = hotel().await;
    let body = r#"{"name":"x","width":1,"length":1,"plan":{"b": 1.10,  "a": 12345678901234567890123}}"#;
    let json = |body: &str| Some(("application/json", body.to_owned().into()));
    let made = app.send(Method::POST, "/rooms", json(body)).await.expect(201);
    assert!(
        made.text()
            .contains(r#""plan":{"b": 1.10,  "a": 12345678901234567890123}"#),
        "{}",
        made.text()
    );
    let body = r#"{"name":"x","width":1e999,"length":1}"#;
    let refused = app
        .send(Method::POST, "/rooms", json(body))
        .await
        .expect(400)
        .json();
    assert_eq!(
        refused["errors"]["width"],
        json!(["Not a valid integer between -2147483648 and 2147483647."])
    );
}

/// SER-41: a `post_load` hook sees and changes the merged draft; the columns' constraints apply to its result.
#[tokio::test]
async fn a_post_load_hook_changes_the_draft_of_every_write() {
    let app = hotel().await;
    let patched = app
        .patch("/rooms/1", json!({"width": 5}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["area"], 15);
    let whole = json!({"name": "Sea", "code": "a", "width": 4, "length": 4, "plan": null});
    let put = app.put("/rooms/1", whole).await.expect(200).json();
    assert_eq!(put["area"], 16);
    let many = app
        .patch("/rooms", json!([{"id": 1, "length": 2}]))
        .await
        .expect(200)
        .json();
    assert_eq!(many[0]["area"], 8);
    let before = stored(&app);
    app.patch("/rooms/1", json!({"width": 90}))
        .await
        .expect_json(400, json!({"errors": {"area": ["Must be at most 100."]}}));
    app.patch("/rooms/1", json!({"width": 13}))
        .await
        .expect_json(400, json!({"errors": {"width": ["No luck."]}}));
    // Validation of the whole object sees the values that the hook has set.
    app.patch("/rooms/1", json!({"width": 7, "length": 7}))
        .await
        .expect_json(400, json!({"errors": {"_schema": ["Not so."]}}));
    app.patch("/rooms", json!([{"id": 1, "width": 13}]))
        .await
        .expect_json(400, json!({"errors": {"0": {"width": ["No luck."]}}}));
    assert_eq!(stored(&app), before);
}

/// SER-41: a `post_load` hook runs again on the row as it is at the time of the write.
#[tokio::test]
async fn a_post_load_hook_runs_again_if_the_row_has_changed() {
    let app = hotel().await;
    let patched = app
        .patch("/raced/1", json!({"width": 4}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        json!([patched["width"], patched["length"], patched["area"]]),
        json!([4, 10, 40])
    );
    let before = stored(&app);
    app.patch("/raced/1", json!({"width": 11}))
        .await
        .expect_json(400, json!({"errors": {"area": ["Must be at most 100."]}}));
    assert_eq!(stored(&app), before);
}
