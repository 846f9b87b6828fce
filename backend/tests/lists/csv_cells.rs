//! Contents of CSV cells.

use serde_json::{Value, json};

use crate::csv_reader::read_csv;
use crate::formats::{read_ndjson, table_of};
use crate::support::BackendApp;

/// Returns the unparsed cell of a column of the only sample.
async fn raw_cell(app: &BackendApp, field: &str) -> String {
    let list = app
        .get(&format!("/api/v1/samples?format=csv&fields={field}"))
        .await
        .expect(200);
    let text = list.text();
    let cell = text.strip_prefix(&format!("{field}\r\n")).unwrap();
    cell.strip_suffix("\r\n").unwrap().to_owned()
}

/// Returns a body with every required column of a sample.
fn sample(text: &str, extra: &str) -> String {
    let object = json!({
        "flag": true, "small": -7, "number": 70_000, "big": 9_007_199_254_740_993_i64, "single": 0.5, "ratio": -0.1,
        "text": text, "blob": "+AECAw==", "amount": "-12.5000", "day": "2024-02-29", "clock": "23:59:59",
        "moment": "2024-05-06T07:08:09Z", "token": "0191d5f0-c0de-7000-8000-00000000abcd", "color": "red",
    });
    let object = object.to_string();
    format!("{},\"extra\":{extra}}}", object.strip_suffix('}').unwrap())
}

async fn add_sample(app: &BackendApp, text: &str, extra: &str) -> Value {
    let body = Some(("application/json", sample(text, extra).into()));
    let added = app.send(http::Method::POST, "/api/v1/samples", body).await;
    added.expect(201).json()
}

#[tokio::test]
async fn every_column_type_has_a_csv_cell() {
    let app = BackendApp::start().await;
    let made = add_sample(&app, "Grüße, \"世界\" 🦀\r\n", "{\"a\":\n [1, \"b,c\"]}").await;
    let list = app.get("/api/v1/samples?format=csv").await.expect(200).text();
    let lines = read_csv(&list);
    let mut expected = table_of(&json!([made]));
    let extra = expected[0].iter().position(|name| name == "extra").unwrap();
    expected[1][extra] = "{\"a\":\n [1, \"b,c\"]}".to_owned();
    assert_eq!(lines, expected);
    for (field, cell) in [
        ("flag", "true"),
        ("small", "-7"),
        ("big", "9007199254740993"),
        ("ratio", "-0.1"),
        ("amount", "-12.5000"),
        ("blob", "+AECAw=="),
        ("day", "2024-02-29"),
        ("moment", "2024-05-06T07:08:09Z"),
        ("color", "red"),
        ("maybeText", "\"\""),
        ("text", "\"Grüße, \"\"世界\"\" 🦀\r\n\""),
    ] {
        assert_eq!(raw_cell(&app, field).await, cell, "{field}");
    }
    let ndjson = app.get("/api/v1/samples?format=ndjson").await.expect(200);
    assert_eq!(ndjson.text().matches('\n').count(), 1);
    assert_eq!(read_ndjson(&ndjson), [made]);
}

#[tokio::test]
async fn formulas_are_escaped() {
    let app = BackendApp::start().await;
    for (text, cell) in [
        ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
        ("+1", "'+1"),
        ("-3", "'-3"),
        ("@cmd", "'@cmd"),
        ("\t=1", "'\t=1"),
        ("\r=1", "\"'\r=1\""),
        ("'=1", "''=1"),
        (" =1", "\" =1\""),
        ("a=1", "a=1"),
        ("'s", "'s"),
    ] {
        let made = add_sample(&app, text, "\"=1\"").await;
        let key = made["id"].as_str().unwrap();
        assert_eq!(raw_cell(&app, "text").await, cell, "{text:?}");
        assert_eq!(raw_cell(&app, "extra").await, "\"\"\"=1\"\"\"");
        app.delete(&format!("/api/v1/samples/{key}")).await.expect(204);
    }
}

#[tokio::test]
async fn empty_strings_and_nulls_are_distinguished() {
    let app = BackendApp::start().await;
    for summary in [json!(""), Value::Null] {
        let body = json!({"title": "T", "body": "B", "summary": summary});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    let csv = app
        .get("/api/v1/articles?format=csv&fields=id,summary")
        .await
        .expect(200);
    assert_eq!(csv.text(), "id,summary\r\n1,\"\"\r\n2,\r\n");
}
