//! Import of CSV and NDJSON.

use ::http::Method;
use serde_json::{Value, json};
use test_support::Response;

use crate::sample_articles::app_with_articles;
use crate::support::BackendApp;

const SAMPLES: &str = "/api/v1/samples";
const ARTICLES: &str = "/api/v1/articles";
const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

async fn import(
    app: &BackendApp,
    method: Method,
    url: &str,
    media: &str,
    file: impl Into<Vec<u8>>,
) -> Response {
    app.send(method, url, Some((media, file.into().into()))).await
}

fn sample(text: &str, maybe: Value) -> Value {
    json!({
        "flag": true, "small": -1, "number": 2, "big": i64::MAX, "single": 0.5, "ratio": -0.25, "text": text,
        "blob": "aGk=", "amount": "-1.5", "day": "2024-02-29", "clock": "07:08:09", "moment": "2024-05-06T07:08:09Z",
        "token": "67e55044-10b1-426f-9247-bb680e5fe0c8", "extra": {"a": [1, null, "x,\"y\"\n"]}, "color": "red",
        "maybeText": maybe, "maybeExtra": "a text",
    })
}

/// Returns the objects of a list without their generated values.
fn without_ids(list: &Value) -> Vec<Value> {
    let mut objects = list.as_array().unwrap().clone();
    for object in &mut objects {
        let members = object.as_object_mut().unwrap();
        for own in ["id", "createdAt", "updatedAt"] {
            members.remove(own);
        }
    }
    objects.sort_by_key(|object| object["text"].to_string());
    objects
}

/// IMP-1: an export can be imported with the same values, of every type.
#[tokio::test]
async fn an_export_can_be_imported() {
    for (format, media) in [("csv", CSV), ("ndjson", NDJSON)] {
        let app = BackendApp::start().await;
        let samples = [
            sample("plain", json!(null)),
            sample("=1+1", json!("")),
            sample("'=1", json!("'quoted'")),
            sample("a,\"b\"\r\nc", json!(" spaced ")),
        ];
        app.post(SAMPLES, json!(samples)).await.expect(201);
        let exported = app.get(SAMPLES).await.expect(200).json();
        let file = app.get(&format!("{SAMPLES}?format={format}")).await.expect(200);
        let deleted: Vec<String> = exported
            .as_array()
            .unwrap()
            .iter()
            .map(|one| format!("id={}", one["id"].as_str().unwrap()))
            .collect();
        app.delete(&format!("{SAMPLES}?{}", deleted.join("&")))
            .await
            .expect(204);

        let made = import(&app, Method::POST, SAMPLES, media, file.body.to_vec())
            .await
            .expect(201);
        assert_eq!(without_ids(&made.json()), without_ids(&exported));
        let listed = app.get(SAMPLES).await.expect(200).json();
        assert_eq!(without_ids(&listed), without_ids(&exported));
    }
}

#[tokio::test]
async fn a_table_changes_objects_by_their_keys() {
    let app = app_with_articles().await;
    let file = "id,summary,published\r\n1,short,FALSE\r\n3,,true\r\n";
    let changed = import(&app, Method::PATCH, ARTICLES, CSV, file)
        .await
        .expect(200)
        .json();
    assert_eq!(
        (
            &changed[0]["summary"],
            &changed[0]["published"],
            &changed[0]["title"]
        ),
        (&json!("short"), &json!(false), &json!("Alpha"))
    );
    assert_eq!(
        (&changed[1]["summary"], &changed[1]["published"]),
        (&json!(null), &json!(true))
    );
}

/// An empty cell is null for a nullable column; other columns get their default.
#[tokio::test]
async fn an_empty_cell_is_null_or_the_default() {
    let app = BackendApp::start().await;
    let file = "\u{feff}title,body,summary,published\na,b,,\nc,\"\",\"\",True\n";
    let made = import(&app, Method::POST, ARTICLES, CSV, file)
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&made[0]["summary"], &made[0]["published"]),
        (&json!(null), &json!(false))
    );
    assert_eq!(
        (&made[1]["summary"], &made[1]["published"]),
        (&json!(""), &json!(true))
    );
}

/// IMP-2: each rejected line is reported by its number, and nothing is written.
#[tokio::test]
async fn every_rejected_line_is_reported_by_its_number() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    let file = [
        "body,title,rating,price,published",
        "b,fine,1,1.50,true",
        "",
        "b,\"two\nlines\",x,1.50,maybe",
        "b,,1,1,true",
        "b,short,1",
    ];
    let file = file.join("\n");
    import(&app, Method::POST, ARTICLES, CSV, file).await.expect_json(
        400,
        json!({"errors": {
            "4": {"rating": ["Not a valid number."], "published": ["Not a valid boolean."]},
            "6": {"title": ["Title is required."]},
            "7": {"_schema": ["Expected 5 cells, found 3."]},
        }}),
    );
    let lines =
        "{\"title\":\"a\",\"body\":\"b\"}\n\n{\"title\":\n[]\n{\"title\":\"a\",\"body\":\"b\",\"nope\":1}\n";
    import(&app, Method::POST, ARTICLES, NDJSON, lines)
        .await
        .expect_json(
            400,
            json!({"errors": {
                "3": {"_schema": ["Malformed JSON at column 9."]},
                "4": {"_schema": ["Expected a JSON object."]},
                "5": {"nope": ["Unknown field."]},
            }}),
        );
    assert_eq!(app.database().rows(), before);
}

/// IMP-2: a file with ambiguous columns or cells is rejected as a whole.
#[tokio::test]
async fn an_ambiguous_file_is_rejected_as_a_whole() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    for (file, expected) in [
        (
            "titel,body\na,b\n",
            "Unknown column \\\"titel\\\"; did you mean \\\"title\\\"?",
        ),
        ("title;body\na;b\n", "must be separated by commas"),
        ("title\tbody\na\tb\n", "must be separated by commas"),
        ("title,title\na,b\n", "occurs twice"),
        ("title,body\na,\"b\n", "not closed on line 2"),
        ("title,body\na,b\"c\"\n", "on line 2"),
        ("title,body\n", "at least one"),
        ("", "is empty"),
        ("passwordHash\nx\n", "Unknown column"),
    ] {
        let text = import(&app, Method::POST, ARTICLES, CSV, file)
            .await
            .expect(400)
            .text();
        assert!(text.contains(expected), "{file:?}: {text}");
    }
    let text = import(
        &app,
        Method::POST,
        ARTICLES,
        CSV,
        b"title,body\na,\xff\n".to_vec(),
    )
    .await
    .expect(400)
    .text();
    assert!(
        text.contains("Malformed CSV: invalid UTF-8 at line 2 column 3"),
        "{text}"
    );
    import(
        &app,
        Method::POST,
        ARTICLES,
        "text/csv; charset=utf-16",
        "title\na\n",
    )
    .await
    .expect(415);
    import(&app, Method::POST, ARTICLES, "text/plain", "title\na\n")
        .await
        .expect(415);
    import(&app, Method::POST, "/api/v1/categories", CSV, "name\na\n")
        .await
        .expect(415);
    import(
        &app,
        Method::POST,
        "/api/v1/categories",
        NDJSON,
        "{\"name\":\"a\"}\n",
    )
    .await
    .expect(415);
    assert_eq!(app.database().rows(), before);
}

/// A string that looks like more JSON stays a string.
#[tokio::test]
async fn no_cell_and_no_line_is_injected_into_others() {
    let app = BackendApp::start().await;
    let file = "name\n\"x\"\",\"\"id\"\":9}\"\n";
    let made = import(&app, Method::POST, "/api/v1/tags", CSV, file)
        .await
        .expect(201)
        .json();
    assert_eq!(made["tags"][0]["name"], "x\",\"id\":9}");
    let line = "{\"name\":\"a\"},\"tag\":{\"name\":\"b\"}\n";
    import(&app, Method::POST, "/api/v1/tags", NDJSON, line)
        .await
        .expect(400);
}

/// IMP-1: empty bytes are distinguished from null.
#[tokio::test]
async fn empty_bytes_are_imported_and_are_not_null() {
    let app = BackendApp::start().await;
    let mut empty = sample("empty", json!(null));
    empty["blob"] = json!("");
    empty["maybeBlob"] = json!("");
    let none = sample("none", json!(null));
    app.post(SAMPLES, json!([empty, none])).await.expect(201);
    let before = app.get(SAMPLES).await.expect(200).json();
    let file = app.get(&format!("{SAMPLES}?format=csv")).await.expect(200).body;
    for object in before.as_array().unwrap() {
        let url = format!("{SAMPLES}/{}", object["id"].as_str().unwrap());
        let other = json!({"blob": "aGk=", "maybeBlob": "aGk="});
        app.patch(&url, other).await.expect(200);
    }
    import(&app, Method::PATCH, SAMPLES, CSV, file).await.expect(200);
    let after = app.get(SAMPLES).await.expect(200).json();
    assert_eq!(without_ids(&after), without_ids(&before));
}
