//! Whole lists as files, of resources whose lists are pages.

use backend::api::{Api, ModelResource, ModelSerializer};
use model_resource::{Model, model_resource, serializer};
use serde_json::json;

use crate::support::{Client, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "sheets")]
struct Sheet {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct SheetSerializer;

#[serializer]
impl ModelSerializer for SheetSerializer {
    type Model = Sheet;
}

/// A page of two by default.
struct PagedResource;

#[model_resource(Sheet, "/paged")]
impl ModelResource for PagedResource {
    const PAGE_SIZE: Option<u64> = Some(2);
}

/// Variant of the list with at most three rows.
struct LimitedResource;

#[model_resource(Sheet, "/limited")]
impl ModelResource for LimitedResource {
    const PAGE_SIZE: Option<u64> = Some(2);
    const MAX_ROWS: Option<u64> = Some(3);
}

/// A server with so many sheets.
async fn sheets(count: usize) -> TestApp {
    let api = Api::new("api")
        .serializer::<SheetSerializer>()
        .model_resource::<PagedResource>()
        .model_resource::<LimitedResource>();
    let app = TestApp::with_api(api).await;
    for number in 0..count {
        let body = json!({"name": format!("{number}")});
        app.post("/paged", body).await.expect(201);
    }
    app
}

/// The number of lines of a file, and whether it says that there is more.
async fn lines(client: &Client, url: &str) -> (u16, usize, bool) {
    let file = client.get(url).await;
    let has_next = file.header("link").contains("rel=\"next\"");
    (file.status.as_u16(), file.text().lines().count(), has_next)
}

/// LST-13: a file has all rows where the list in JSON is a page, by `format` and by `Accept`.
#[tokio::test]
async fn a_file_has_all_rows_where_the_list_is_a_page() {
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

/// LST-13: whoever asks for a page gets one as a file too, of the resource's size.
#[tokio::test]
async fn a_page_that_is_asked_for_is_a_page_in_a_file_too() {
    let app = sheets(5).await;
    assert_eq!(lines(&app, "/paged?format=ndjson&page=1").await, (200, 2, true));
    assert_eq!(lines(&app, "/paged?format=ndjson&limit=3").await, (200, 3, true));
    assert_eq!(lines(&app, "/paged?format=ndjson&cursor=").await, (200, 2, true));
    let refused = app.get("/paged?format=csv&count=exact").await;
    assert!(refused.expect(400).text().contains("It needs a page"));
}

/// LST-13: `MAX_ROWS` limits files too, which then say that there is more.
#[tokio::test]
async fn a_limit_of_rows_holds_for_files() {
    let app = sheets(5).await;
    assert_eq!(lines(&app, "/limited?format=ndjson").await, (206, 2, true));
    assert_eq!(
        lines(&app, "/limited?format=ndjson&limit=9").await,
        (206, 3, true)
    );
}
