//! Versions of the objects of bulk requests.

use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response};

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

async fn send_csv(client: &Client, method: Method, path: &str, file: &str) -> Response {
    let body = Some(("text/csv", file.to_owned().into()));
    client.send(method, path, body).await
}

/// VSN-13: a column of a CSV file has the versions of its objects, whatever the versions of the table are.
#[tokio::test]
async fn the_lines_of_a_csv_file_have_versions() {
    let app = served().await;
    let path = "/guarded-tags";
    let mut tags = Vec::new();
    for name in ["a", "b"] {
        tags.push(tag(&app.post(path, json!({"name": name})).await.expect(201)));
    }
    let before = app.database().rows();
    let bare = tags[0].trim_matches('"').to_owned();
    let old = format!("id,version,name\r\n1,{bare},x\r\n2,other,y\r\n");
    for method in [Method::PATCH, Method::PUT] {
        let refused = send_csv(&app.client, method.clone(), path, &old)
            .await
            .expect(412);
        let errors = refused.json()["errors"].clone();
        assert_eq!(errors["3"]["version"][0], tags[1].trim_matches('"'), "{errors}");
        // A line without a version, and a file without the column.
        for file in [
            format!("id,version,name\r\n1,{bare},x\r\n2,,y\r\n"),
            "id,name\r\n1,x\r\n".to_owned(),
        ] {
            send_csv(&app.client, method.clone(), path, &file)
                .await
                .expect(428);
        }
    }
    // A new object has no version yet.
    let created = send_csv(&app.client, Method::POST, "/tags", "version,name\r\n1,x\r\n").await;
    let created = created.expect(400);
    assert!(created.text().contains("Unknown column"), "{}", created.text());
    assert_eq!(app.database().rows(), before);

    for (method, name) in [(Method::PATCH, "x"), (Method::PUT, "y")] {
        let tags = [
            tag(&app.get("/tags/1").await.expect(200)),
            tag(&app.get("/tags/2").await.expect(200)),
        ];
        let bare = tags[0].trim_matches('"');
        let quoted = tags[1].replace('"', "\"\"");
        let file = format!("version,id,name\r\n{bare},1,{name}\r\n\"{quoted}\",2,{name}\r\n");
        let changed = send_csv(&app.client, method.clone(), path, &file)
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&changed[0]["name"], &changed[1]["name"]),
            (&json!(name), &json!(name))
        );
        send_csv(&app.client, method, path, &file).await.expect(412);
    }
}

/// VSN-13: the versions of a table that counts them are numbers or tags.
#[tokio::test]
async fn the_lines_of_a_csv_file_have_numbers_of_versions() {
    let app = served().await;
    let current = tag(&app.post("/accounts", json!({"name": "a"})).await.expect(201));
    let file = |version: &str, name: &str| format!("id,version,name\r\n1,{version},{name}\r\n");
    for (version, name, status) in [
        ("1", "b", 200),
        ("1", "c", 412),
        ("2", "c", 200),
        (current.trim_matches('"'), "d", 412),
        ("x", "d", 412),
        ("", "d", 200),
    ] {
        let response = send_csv(&app.client, Method::PATCH, "/accounts", &file(version, name)).await;
        assert_eq!(response.status, status, "{version} {}", response.text());
    }
    assert_eq!(app.get("/accounts/1").await.json()["name"], "d");
}
