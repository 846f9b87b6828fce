use serde_json::{Value, json};

use super::{json_patch, served};

/// Returns the operations below the member `document`.
fn below_document(patch: &Value) -> Value {
    let mut patch = patch.clone();
    for operation in patch.as_array_mut().unwrap() {
        for name in ["path", "from"] {
            if let Some(path) = operation.get_mut(name) {
                *path = json!(format!("/document{}", path.as_str().unwrap()));
            }
        }
    }
    patch
}

/// PAT-1: the cases of appendix A of RFC 6902, each as the document of an object.
#[tokio::test]
async fn the_published_cases_of_json_patch_give_their_results() {
    let cases = [
        (
            "A.1",
            json!({"foo": "bar"}),
            json!([{"op": "add", "path": "/baz", "value": "qux"}]),
            Some(json!({"baz": "qux", "foo": "bar"})),
        ),
        (
            "A.2",
            json!({"foo": ["bar", "baz"]}),
            json!([{"op": "add", "path": "/foo/1", "value": "qux"}]),
            Some(json!({"foo": ["bar", "qux", "baz"]})),
        ),
        (
            "A.3",
            json!({"baz": "qux", "foo": "bar"}),
            json!([{"op": "remove", "path": "/baz"}]),
            Some(json!({"foo": "bar"})),
        ),
        (
            "A.4",
            json!({"foo": ["bar", "qux", "baz"]}),
            json!([{"op": "remove", "path": "/foo/1"}]),
            Some(json!({"foo": ["bar", "baz"]})),
        ),
        (
            "A.5",
            json!({"baz": "qux", "foo": "bar"}),
            json!([{"op": "replace", "path": "/baz", "value": "boo"}]),
            Some(json!({"baz": "boo", "foo": "bar"})),
        ),
        (
            "A.6",
            json!({"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}}),
            json!([{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}]),
            Some(json!({"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}})),
        ),
        (
            "A.7",
            json!({"foo": ["all", "grass", "cows", "eat"]}),
            json!([{"op": "move", "from": "/foo/1", "path": "/foo/3"}]),
            Some(json!({"foo": ["all", "cows", "eat", "grass"]})),
        ),
        (
            "A.8",
            json!({"baz": "qux", "foo": ["a", 2, "c"]}),
            json!([{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}]),
            Some(json!({"baz": "qux", "foo": ["a", 2, "c"]})),
        ),
        (
            "A.9",
            json!({"baz": "qux"}),
            json!([{"op": "test", "path": "/baz", "value": "bar"}]),
            None,
        ),
        (
            "A.10",
            json!({"foo": "bar"}),
            json!([{"op": "add", "path": "/child", "value": {"grandchild": {}}}]),
            Some(json!({"foo": "bar", "child": {"grandchild": {}}})),
        ),
        (
            "A.11",
            json!({"foo": "bar"}),
            json!([{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}]),
            Some(json!({"foo": "bar", "baz": "qux"})),
        ),
        (
            "A.12",
            json!({"foo": "bar"}),
            json!([{"op": "add", "path": "/baz/bat", "value": "qux"}]),
            None,
        ),
        (
            "A.14",
            json!({"/": 9, "~1": 10}),
            json!([{"op": "test", "path": "/~01", "value": 10}]),
            Some(json!({"/": 9, "~1": 10})),
        ),
        (
            "A.15",
            json!({"/": 9, "~1": 10}),
            json!([{"op": "test", "path": "/~01", "value": "10"}]),
            None,
        ),
        (
            "A.16",
            json!({"foo": ["bar"]}),
            json!([{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}]),
            Some(json!({"foo": ["bar", ["abc", "def"]]})),
        ),
    ];
    let app = served().await;
    for (name, document, patch, expected) in cases {
        app.patch("/pages/1", json!({"document": document}))
            .await
            .expect(200);
        let response = json_patch(&app, "/pages/1", below_document(&patch)).await;
        let stored = app.get("/pages/1").await.json()["document"].clone();
        match expected {
            Some(expected) => {
                assert_eq!(response.status, 200, "{name}: {}", response.text());
                assert_eq!(stored, expected, "{name}");
            }
            None => {
                assert_eq!(response.status, 409, "{name}: {}", response.text());
                assert_eq!(stored, document, "{name}");
            }
        }
    }
}

/// PAT-1: A.13, a document that is not a JSON Patch.
#[tokio::test]
async fn an_invalid_json_patch_is_rejected() {
    let app = served().await;
    let before = app.database().rows();
    for text in [
        r#"[{"op": "add", "path": "/document/baz", "value": "qux", "op": "remove"}]"#,
        r#"[{"op": "grow", "path": "/title"}]"#,
        r#"[{"op": "add", "path": "/title"}]"#,
        r#"[{"op": "add", "path": "title", "value": "x"}]"#,
        r#"[{"op": "move", "path": "/title"}]"#,
        r#"{"title": "x"}"#,
        "[",
        "",
    ] {
        let body = Some(("application/json-patch+json", text.to_owned().into()));
        let response = app.send(http::Method::PATCH, "/pages/1", body).await;
        assert_eq!(response.status, 400, "{text}: {}", response.text());
    }
    assert_eq!(app.database().rows(), before);
}
