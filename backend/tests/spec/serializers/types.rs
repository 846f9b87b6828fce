//! Booleans, numbers, strings and JSON documents.

use serde_json::json;

use super::{SAMPLES, app_with_sample, expect_refused, maybe, sample, stored};
use crate::support::BackendApp;

/// SER-3: values are returned as sent, also at the limits of every type's range.
#[tokio::test]
async fn simple_values_are_returned_as_sent() {
    let app = BackendApp::start().await;
    for (field, values) in [
        ("flag", vec!["true", "false"]),
        ("small", vec!["0", "-32768", "32767"]),
        ("number", vec!["0", "-2147483648", "2147483647"]),
        (
            "big",
            vec!["-9223372036854775808", "9223372036854775807", "9007199254740993"],
        ),
        ("single", vec!["0.5", "-1.25", "3.4028235e38", "1e-45", "0.1"]),
        (
            "ratio",
            vec![
                "0.1",
                "-2.5",
                "1.7976931348623157e308",
                "5e-324",
                "0.30000000000000004",
            ],
        ),
        (
            "text",
            vec![
                r#""""#,
                r#""a\"b\\c\n\t\u001f""#,
                r#""1""#,
                r#""🦀 ΑΩ""#,
                r#"" a ""#,
            ],
        ),
    ] {
        for value in values {
            let expected: serde_json::Value = serde_json::from_str(value).unwrap();
            let [required, nullable] = stored(&app, field, value).await;
            assert_eq!(required, nullable, "{field} = {value}");
            if field == "single" {
                let (sent, read) = (expected.as_f64().unwrap(), required.as_f64().unwrap());
                assert_eq!(sent as f32, read as f32, "{field} = {value}");
            } else {
                assert_eq!(required, expected, "{field} = {value}");
            }
        }
    }
}

/// SER-3: a floating-point column accepts an integer and returns an equal number.
#[tokio::test]
async fn a_floating_point_column_accepts_an_integer() {
    let app = BackendApp::start().await;
    for field in ["single", "ratio"] {
        for read in stored(&app, field, "3").await {
            assert_eq!(read.as_f64(), Some(3.0), "{field}");
        }
    }
}

/// SER-3: a body with every column set is returned as a whole, as an object and in the list.
#[tokio::test]
async fn an_object_of_all_types_is_returned_as_a_whole() {
    let app = BackendApp::start().await;
    let mut body = sample();
    for (field, value) in sample().as_object().unwrap() {
        body[maybe(field)] = value.clone();
    }
    let created = app.post(SAMPLES, body.clone()).await.expect(201).json();
    body["id"] = created["id"].clone();
    assert_eq!(created, body);
    let item = format!("{SAMPLES}/{}", created["id"].as_str().unwrap());
    app.get(&item).await.expect_json(200, body.clone());
    app.get(SAMPLES).await.expect_json(200, json!([body]));
}

/// SER-4: a value of another JSON type is an error of its field.
#[tokio::test]
async fn a_value_of_another_json_type_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    let small = "Not a valid integer between -32768 and 32767.";
    let number = "Not a valid integer between -2147483648 and 2147483647.";
    let big = "Not a valid integer between -9223372036854775808 and 9223372036854775807.";
    for (field, message, values) in [
        (
            "flag",
            "Not a valid boolean.",
            ["1", "0", "\"true\"", "\"\"", "[]", "{}"],
        ),
        ("small", small, ["\"1\"", "1.5", "1.0", "true", "[1]", "{}"]),
        ("number", number, ["\"1\"", "1.9", "1e2", "false", "[]", "{}"]),
        ("big", big, ["\"1\"", "0.5", "-0.0", "true", "[]", "{}"]),
        (
            "single",
            "Not a valid number.",
            ["\"1\"", "\"NaN\"", "\"\"", "true", "[1.5]", "{}"],
        ),
        (
            "ratio",
            "Not a valid number.",
            ["\"1.5\"", "\"Infinity\"", "\"-1\"", "false", "[]", "{}"],
        ),
        (
            "text",
            "Not a valid string.",
            ["1", "1.5", "true", "[\"a\"]", "{}", "-0"],
        ),
    ] {
        for value in values {
            expect_refused(&app, field, value, message).await;
        }
    }
}

/// SER-4: a number beyond the range of the column's type, or not finite, is an error of its field.
#[tokio::test]
async fn a_number_beyond_the_range_of_its_type_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    for (field, value, message) in [
        ("small", "32768", "Not a valid integer between -32768 and 32767."),
        ("small", "-32769", "Not a valid integer between -32768 and 32767."),
        (
            "number",
            "2147483648",
            "Not a valid integer between -2147483648 and 2147483647.",
        ),
        (
            "big",
            "9223372036854775808",
            "Not a valid integer between -9223372036854775808 and 9223372036854775807.",
        ),
        (
            "big",
            "-9223372036854775809",
            "Not a valid integer between -9223372036854775808 and 9223372036854775807.",
        ),
        ("single", "3.5e38", "Not a valid number."),
        ("single", "-1e39", "Not a valid number."),
        ("ratio", "1e309", "Not a valid number."),
        ("ratio", "-1e400", "Not a valid number."),
    ] {
        expect_refused(&app, field, value, message).await;
    }
}

/// SER-4: NaN and Infinity are not JSON, so the whole body is malformed.
#[tokio::test]
async fn nan_and_infinity_are_not_json() {
    let app = app_with_sample().await;
    let before = app.get(SAMPLES).await.json();
    let item = format!("{SAMPLES}/{}", before[0]["id"].as_str().unwrap());
    for value in ["NaN", "Infinity", "-Infinity", "+1", "01", ".5"] {
        let body = format!("{{\"ratio\": {value}}}");
        let body = Some(("application/json", body.into()));
        let refused = app
            .send(http::Method::PATCH, &item, body)
            .await
            .expect(400)
            .json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("Malformed JSON"), "{value}: {message}");
    }
    app.get(SAMPLES).await.expect_json(200, before);
}

/// SER-9: a JSON column returns its document unchanged, of any type and with any keys.
#[tokio::test]
async fn a_json_column_is_returned_unchanged() {
    let app = BackendApp::start().await;
    for value in [
        r#"{"snake_case": 1, "camelCase": 2, "PascalCase": 3, "with space": {"deep_er": []}}"#,
        r#"[1, 2.50, "three", null, true, {}]"#,
        r#""text""#,
        "17",
        "false",
        "1.5e300",
    ] {
        let expected: serde_json::Value = serde_json::from_str(value).unwrap();
        assert_eq!(
            stored(&app, "extra", value).await,
            [expected.clone(), expected],
            "{value}"
        );
    }
}

/// SER-9: the bytes are kept, so that large numbers and the order of keys survive.
#[tokio::test]
async fn a_json_column_keeps_its_bytes() {
    let app = app_with_sample().await;
    let id = app.get(SAMPLES).await.json()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let item = format!("{SAMPLES}/{id}");
    let document = r#"{"z_z":123456789012345678901234567890,"a":1.10,"é":"\u00e9"}"#;
    let body = format!("{{\"extra\": {document}}}");
    let patched = app
        .send(
            http::Method::PATCH,
            &item,
            Some(("application/json", body.into())),
        )
        .await;
    assert!(patched.expect(200).text().contains(document));
    assert!(app.get(&item).await.text().contains(document));
}

/// SER-9: a document that a database cannot store is an error of the field.
#[tokio::test]
async fn a_document_that_no_database_stores_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    expect_refused(
        &app,
        "extra",
        r#"{"a": 1, "a": 2}"#,
        "Not a valid JSON document: the key \"a\" occurs twice.",
    )
    .await;
    expect_refused(
        &app,
        "extra",
        r#"["\u0000"]"#,
        "Not a valid JSON document: null characters are not allowed.",
    )
    .await;
}
