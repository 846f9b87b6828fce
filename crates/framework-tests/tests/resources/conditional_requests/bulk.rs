//! Versions of the objects of bulk requests.

use serde_json::{Value, json};

use super::{if_match, if_none_match, served, tag};

/// VSN-7
#[tokio::test]
async fn headers_of_a_bulk_request_are_refused() {
    let app = served().await;
    let created = app.post("/accounts", json!({"name": "a"})).await.expect(201);
    for client in [
        if_match(&app.client, &tag(&created)),
        if_none_match(&app.client, "*"),
    ] {
        let rejected = client
            .patch("/accounts", json!([{"id": 1, "name": "b"}]))
            .await
            .expect(400);
        assert!(rejected.text().contains("one object"), "{}", rejected.text());
    }
    let changed = app
        .patch("/accounts", json!([{"id": 1, "name": "b"}]))
        .await
        .expect(200);
    assert!(!changed.headers.contains_key("etag"));
    assert_eq!(changed.json()[0]["version"], 2);
}

/// VSN-7: each object of a bulk request has its own version.
#[tokio::test]
async fn objects_of_a_bulk_request_have_versions() {
    let app = served().await;
    for name in ["a", "b"] {
        app.post("/accounts", json!({"name": name})).await.expect(201);
    }
    let first = tag(&app.get("/accounts/1").await.expect(200));
    let first = first.trim_matches('"');
    let second = tag(&app.get("/accounts/2").await.expect(200));
    let before = app.database().rows();
    for old in [
        json!(2),
        json!("other"),
        json!(second.trim_matches('"')),
        json!(format!("W/{second}")),
    ] {
        let objects = json!([{"id": 2, "name": "x", "version": 1}, {"id": 1, "name": "x", "version": old}]);
        let refused = app.patch("/accounts", objects).await.expect(412).json();
        let errors = refused["errors"].as_object().unwrap();
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["1"], "{refused}");
        assert_eq!(errors["1"]["version"], json!([first]), "{refused}");
    }
    for invalid in [json!(null), json!(1.5), json!([1])] {
        let objects = json!([{"id": 1, "name": "x", "version": invalid}]);
        app.patch("/accounts", objects).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
    let objects = json!([
        {"id": 1, "name": "x", "version": 1},
        {"id": 2, "name": "y", "version": second.trim_matches('"')},
    ]);
    let changed = app.patch("/accounts", objects).await.expect(200).json();
    assert_eq!(
        (&changed[0]["version"], &changed[1]["version"]),
        (&json!(2), &json!(2))
    );

    // Tables without numbers have tags.
    let created = app.post("/guarded-tags", json!({"name": "a"})).await.expect(201);
    let current = tag(&created);
    let change = |version: Value| json!([{"id": 1, "name": "b", "version": version}]);
    app.patch("/guarded-tags", json!([{"id": 1, "name": "b"}]))
        .await
        .expect(428);
    let numbered = app.patch("/guarded-tags", change(json!(1))).await.expect(400);
    assert!(numbered.text().contains("ETag"), "{}", numbered.text());
    let refused = app.put("/guarded-tags", change(json!("other"))).await.expect(412);
    // The error has the version with which the change can be repeated.
    let repeated = refused.json()["errors"]["0"]["version"][0].clone();
    assert_eq!(repeated, current.trim_matches('"'));
    app.patch("/guarded-tags", change(repeated)).await.expect(200);
    app.patch("/guarded-tags", change(json!(current)))
        .await
        .expect(412);
}

/// VSN-7: for programs that read problem details, the current version of a rejected object has a code.
#[tokio::test]
async fn problem_details_name_the_current_version() {
    let app = served().await;
    let current = tag(&app.post("/tags", json!({"name": "a"})).await.expect(201));
    let client = app.client.with_header("accept", "application/problem+json");
    let objects = json!([{"id": 1, "name": "b", "version": "other"}]);
    let problem = client.patch("/guarded-tags", objects).await.expect(412).json();
    let version = json!([{"message": current.trim_matches('"'), "code": "current_version"}]);
    assert_eq!(problem["errors"]["0"]["version"], version, "{problem}");
    assert_eq!(
        problem["errors"]["0"]["_schema"][0]["code"],
        "precondition_failed"
    );
}
