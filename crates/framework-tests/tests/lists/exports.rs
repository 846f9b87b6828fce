//! Exports of whole lists, also of paginated resources.

use model_resource::{Api, Model, ModelResource, model_resource};
use serde_json::json;
use test_support::{Client, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "sheets")]
struct Sheet {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// A resource with a page size of two.
struct PagedResource;

#[model_resource(Sheet, "/paged")]
impl ModelResource for PagedResource {
    const PAGE_SIZE: Option<u64> = Some(2);
}

/// A resource with at most three rows per list.
struct LimitedResource;

#[model_resource(Sheet, "/limited")]
impl ModelResource for LimitedResource {
    const PAGE_SIZE: Option<u64> = Some(2);
    const MAX_ROWS: Option<u64> = Some(3);
}

/// Starts a server with this number of sheets.
async fn sheets(count: usize) -> TestApp {
    let api = Api::new("api")
        .model_resource::<PagedResource>()
        .model_resource::<LimitedResource>();
    let app = TestApp::with_api(api).await;
    for number in 0..count {
        let body = json!({"name": format!("{number}")});
        app.post("/paged", body).await.expect(201);
    }
    app
}

/// Returns the number of lines of a file, and whether it reports that more rows exist.
async fn lines(client: &Client, url: &str) -> (u16, usize, bool) {
    let file = client.get(url).await;
    let has_next = file.header("link").contains("rel=\"next\"");
    (file.status.as_u16(), file.text().lines().count(), has_next)
}

/// LST-13: an export by `format` or `Accept` has all rows, even if the JSON list is paginated.
#[tokio::test]
async fn an_export_has_all_rows_of_a_paginated_list() {
    let app = sheets(5).await;
    app.get("/paged").await.expect(206);
    assert_eq!(lines(&app, "/paged?format=ndjson").await, (200, 5, false));
    assert_eq!(lines(&app, "/paged?format=csv").await, (200, 6, false));
    assert_eq!(
        lines(&app, "/paged?format=csv&sort=-name&id[gt]=1").await,
        (200, 5, false)
    );
    let csv = app.with_header("accept", "text/csv");
    assert_eq!(lines(&csv, "/paged").await, (200, 6, false));
    let ndjson = app.with_header("accept", "application/x-ndjson");
    assert_eq!(lines(&ndjson, "/paged").await, (200, 5, false));
    let json = ndjson.get("/paged?format=json").await.expect(206).json();
    assert_eq!(json.as_array().unwrap().len(), 2);
}

/// LST-13: an explicitly requested page is a page in an export too, of the resource's size.
#[tokio::test]
async fn a_requested_page_is_a_page_in_an_export_too() {
    let app = sheets(5).await;
    assert_eq!(lines(&app, "/paged?format=ndjson&page=1").await, (200, 2, true));
    assert_eq!(lines(&app, "/paged?format=ndjson&limit=3").await, (200, 3, true));
    assert_eq!(lines(&app, "/paged?format=ndjson&cursor=").await, (200, 2, true));
    let refused = app.get("/paged?format=csv&count=exact").await;
    assert!(refused.expect(400).text().contains("It needs a page"));
}

/// LST-13: `MAX_ROWS` limits exports too, which then report that more rows exist.
#[tokio::test]
async fn a_limit_of_rows_applies_to_exports() {
    let app = sheets(5).await;
    assert_eq!(lines(&app, "/limited?format=ndjson").await, (206, 2, true));
    assert_eq!(
        lines(&app, "/limited?format=ndjson&limit=9").await,
        (206, 3, true)
    );
}
