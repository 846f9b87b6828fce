//! Date-times.

use serde_json::json;

use super::{app_with_sample, expect_refused, stored};
use crate::support::BackendApp;

async fn expect_datetimes(app: &BackendApp, values: &[(&str, &str)]) {
    for (sent, shown) in values {
        let read = stored(app, "moment", &format!("\"{sent}\"")).await;
        assert_eq!(read, [json!(shown), json!(shown)], "{sent}");
    }
}

/// SER-5: a date-time is returned in UTC with a `Z`, regardless of the offset it was sent with.
#[tokio::test]
async fn a_date_time_is_returned_in_utc() {
    let app = BackendApp::start().await;
    expect_datetimes(
        &app,
        &[
            ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"),
            ("2024-05-06T07:08:09+00:00", "2024-05-06T07:08:09Z"),
            ("2024-05-06T09:08:09+02:00", "2024-05-06T07:08:09Z"),
            ("2024-01-01T00:30:00+05:45", "2023-12-31T18:45:00Z"),
            ("2024-02-28T23:00:00-01:30", "2024-02-29T00:30:00Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            ("2024-05-06t07:08:09z", "2024-05-06T07:08:09Z"),
        ],
    )
    .await;
}

/// SER-6: microseconds are kept, finer digits are truncated, and a zero fraction is omitted.
#[tokio::test]
async fn a_date_time_keeps_microseconds_and_no_more() {
    let app = BackendApp::start().await;
    expect_datetimes(
        &app,
        &[
            ("2024-05-06T07:08:09.123456Z", "2024-05-06T07:08:09.123456Z"),
            ("2024-05-06T07:08:09.5Z", "2024-05-06T07:08:09.500000Z"),
            ("2024-05-06T07:08:09.000001Z", "2024-05-06T07:08:09.000001Z"),
            ("2024-05-06T07:08:09.123456789Z", "2024-05-06T07:08:09.123456Z"),
            ("2024-05-06T07:08:09.000000Z", "2024-05-06T07:08:09Z"),
            ("2024-05-06T07:08:09.0000009Z", "2024-05-06T07:08:09Z"),
            ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ],
    )
    .await;
}

/// SER-5: a date-time without an offset, or with any other violation of RFC 3339, is an error of the field.
#[tokio::test]
async fn a_date_time_without_offset_is_an_error_of_its_field() {
    let app = app_with_sample().await;
    for text in [
        "2024-05-06T07:08:09",
        "2024-05-06 07:08:09Z",
        "2024-05-06",
        "2024-05-06T07:08Z",
        "2024-05-06T07:08:09+0200",
        "2024-05-06T07:08:09+24:00",
        "2024-05-06T07:08:09.Z",
        "2024-02-30T07:08:09Z",
        "2024-05-06T24:00:00Z",
        "2016-12-31T23:59:60Z",
        "10000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "1715000000",
        "now",
        "",
    ] {
        let message = "Not a valid date-time; send it as 2024-05-06T07:08:09Z.";
        expect_refused(&app, "moment", &format!("\"{text}\""), message).await;
    }
    for value in ["1715000000", "true", "[]", "{}"] {
        let message = "Not a valid date-time; send it as 2024-05-06T07:08:09Z.";
        expect_refused(&app, "moment", value, message).await;
    }
}
