//! Types that are strings in JSON: dates, times, UUIDs, bytes, enums and decimals.

use serde_json::json;

use super::{SAMPLES, app_with_sample, expect_refused, stored};
use crate::support::BackendApp;

/// SER-7: these types use their standard notation in input and output.
#[tokio::test]
async fn dates_times_uuids_bytes_and_enums_are_strings() {
    let app = BackendApp::start().await;
    for (field, sent, shown) in [
        ("day", "2024-02-29", "2024-02-29"),
        ("day", "0001-01-01", "0001-01-01"),
        ("day", "9999-12-31", "9999-12-31"),
        ("clock", "00:00:00", "00:00:00"),
        ("clock", "23:59:59.25", "23:59:59.250000"),
        ("clock", "12:00:00.000", "12:00:00"),
        (
            "token",
            "0191D5F0-C0DE-7000-8000-00000000ABCD",
            "0191d5f0-c0de-7000-8000-00000000abcd",
        ),
        (
            "token",
            "00000000-0000-0000-0000-000000000000",
            "00000000-0000-0000-0000-000000000000",
        ),
        ("blob", "", ""),
        ("blob", "AA==", "AA=="),
        ("blob", "+/8A", "+/8A"),
        ("color", "green", "green"),
        ("color", "blue", "blue"),
    ] {
        let read = stored(&app, field, &format!("\"{sent}\"")).await;
        assert_eq!(read, [json!(shown), json!(shown)], "{field} = {sent}");
    }
}

/// SER-7: any other value is an error of the field.
#[tokio::test]
async fn any_other_string_or_type_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    for (field, message, values) in [
        (
            "day",
            "Not a valid date; send it as YYYY-MM-DD.",
            [
                "\"2023-02-29\"",
                "\"2024-2-9\"",
                "\"0000-01-01\"",
                "\"2024-02-29T00:00:00Z\"",
                "20240229",
                "{}",
            ],
        ),
        (
            "clock",
            "Not a valid time; send it as HH:MM:SS.",
            [
                "\"24:00:00\"",
                "\"24:00\"",
                "\"7:08:09\"",
                "\"07:08:60\"",
                "\"07:08:09Z\"",
                "700",
            ],
        ),
        (
            "token",
            "Not a valid UUID.",
            [
                "\"0191d5f0c0de7000800000000000abcd\"",
                "\"0191d5f0-c0de-7000-8000-00000000abc\"",
                "\"{191d5f0-c0de-7000-8000-00000000abcd}\"",
                "\"\"",
                "1",
                "[]",
            ],
        ),
        (
            "blob",
            "Not a valid base64 string.",
            ["\"A\"", "\"AA\"", "\"-_8A\"", "\"A A=\"", "[0, 1]", "0"],
        ),
        (
            "color",
            "Must be one of: red, green, blue.",
            ["\"pink\"", "\"Red\"", "\"\"", "\" red\"", "0", "[\"red\"]"],
        ),
    ] {
        for value in values {
            expect_refused(&app, field, value, message).await;
        }
    }
}

/// SER-8: a decimal keeps every digit of its precision and scale, and returns all digits of its scale.
#[tokio::test]
async fn a_decimal_keeps_every_digit() {
    let app = BackendApp::start().await;
    for (sent, shown) in [
        ("0", "0.0000"),
        ("0.1", "0.1000"),
        ("-0.0001", "-0.0001"),
        ("99999999.9999", "99999999.9999"),
        ("-99999999.9999", "-99999999.9999"),
        ("12.50000000", "12.5000"),
        ("007.5", "7.5000"),
    ] {
        let read = stored(&app, "amount", &format!("\"{sent}\"")).await;
        assert_eq!(read, [json!(shown), json!(shown)], "{sent}");
    }
}

/// SER-8: a decimal beyond its precision or scale, or not a string, is an error of the field.
#[tokio::test]
async fn a_decimal_beyond_its_digits_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    for value in ["\"100000000\"", "\"-100000000\"", "\"123456789.1\""] {
        expect_refused(
            &app,
            "amount",
            value,
            "At most 8 digits before the decimal point.",
        )
        .await;
    }
    expect_refused(
        &app,
        "amount",
        "\"0.00001\"",
        "At most 4 digits after the decimal point.",
    )
    .await;
    for value in [
        "1.5",
        "1",
        "\"\"",
        "\"1e2\"",
        "\"1,5\"",
        "\"1.\"",
        "\"NaN\"",
        "\"1_000\"",
        "\" 1\"",
        "\"+1\"",
        "true",
    ] {
        let message = "Not a valid decimal; send it as a string such as \"12.50\".";
        expect_refused(&app, "amount", value, message).await;
    }
}

/// SER-30: a time without seconds has second 0, since browsers send it so.
#[tokio::test]
async fn a_time_may_omit_its_seconds() {
    let app = BackendApp::start().await;
    for (sent, shown) in [
        ("12:30", "12:30:00"),
        ("00:00", "00:00:00"),
        ("23:59", "23:59:00"),
    ] {
        let read = stored(&app, "clock", &format!("\"{sent}\"")).await;
        assert_eq!(read, [json!(shown), json!(shown)], "{sent}");
    }
    let found = app
        .get(&format!("{SAMPLES}?clock=12:30"))
        .await
        .expect(200)
        .json();
    assert_eq!(found.as_array().unwrap().len(), 1);
}
