//! Lists as CSV and as NDJSON.

use serde_json::{Value, json};
use test_support::Response;

use crate::csv_reader::read_csv;
use crate::sample_articles::app_with_articles;
use crate::support::BackendApp;

const ARTICLES: &str = "/api/v1/articles";

/// Parses the objects of an NDJSON response.
pub(crate) fn read_ndjson(response: &Response) -> Vec<Value> {
    let text = response.text();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns a list as cells, the header first. Supports plain values that are not formulas.
pub(crate) fn table_of(list: &Value) -> Vec<Vec<String>> {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let list = list.as_array().unwrap();
    let names = list[0].as_object().unwrap().keys().cloned().collect();
    let rows = list
        .iter()
        .map(|object| object.as_object().unwrap().values().map(cell).collect());
    std::iter::once(names).chain(rows).collect()
}

#[tokio::test]
async fn a_list_is_csv_or_ndjson_on_request() {
    let app = app_with_articles().await;
    let json = app.get(ARTICLES).await.expect(200).json();
    for csv in [
        app.get("/api/v1/articles?format=csv").await,
        app.with_header("accept", "text/csv").get(ARTICLES).await,
        app.with_header("accept", "application/json")
            .get("/api/v1/articles?form%61t=csv")
            .await,
    ] {
        let csv = csv.expect(200);
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert_eq!(
            csv.header("content-disposition"),
            "attachment; filename=\"articles.csv\""
        );
        assert_eq!(csv.header("vary"), "accept");
        assert!(
            csv.text()
                .starts_with("id,title,slug,body,summary,published,rating,")
        );
        assert_eq!(read_csv(&csv.text()), table_of(&json));
    }
    for ndjson in [
        app.get("/api/v1/articles?format=ndjson").await,
        app.with_header("accept", "application/x-ndjson")
            .get(ARTICLES)
            .await,
    ] {
        let ndjson = ndjson.expect(200);
        assert_eq!(ndjson.header("content-type"), "application/x-ndjson");
        assert_eq!(ndjson.header("content-disposition"), "");
        assert_eq!(Value::Array(read_ndjson(&ndjson)), json);
    }
    let named = app
        .with_header("accept", "text/csv")
        .get("/api/v1/articles?format=json")
        .await;
    assert_eq!(named.header("content-type"), "application/json");
    named.expect_json(200, json);
}

#[tokio::test]
async fn the_preferred_format_is_chosen_and_json_among_equals() {
    let app = BackendApp::start().await;
    for (accept, expected) in [
        ("*/*", "application/json"),
        ("text/html, */*;q=0.8", "text/html; charset=utf-8"),
        ("image/png, */*;q=0.8", "application/json"),
        ("application/*", "application/json"),
        ("text/*", "application/json"),
        ("text/csv, application/json", "application/json"),
        (
            "text/csv;q=0.9, application/json;q=0.8",
            "text/csv; charset=utf-8",
        ),
        (
            "text/csv;q=0.8, application/x-ndjson;q=0.9",
            "application/x-ndjson",
        ),
        (
            "application/json;q=0, application/x-ndjson;q=0.1",
            "application/x-ndjson",
        ),
        ("text/csv, */*", "text/csv; charset=utf-8"),
        ("text/csv;q=0, image/png", "application/json"),
        ("text/plain, text/*;q=0.9", "application/json"),
        ("application/x-ndjson;q=0.1, text/*", "application/x-ndjson"),
    ] {
        let list = app.with_header("accept", accept).get(ARTICLES).await.expect(200);
        assert_eq!(list.header("content-type"), expected, "{accept}");
    }
}

#[tokio::test]
async fn a_format_that_does_not_exist_is_rejected_by_its_name() {
    let app = app_with_articles().await;
    app.rejects("format=xml", "\"xml\"").await;
    app.rejects("format=", "There is no format \"\"").await;
    app.rejects("format=CSV", "\"CSV\"").await;
    app.rejects("format", "There is no format").await;
    app.rejects("format=%ff", "There is no format").await;
    app.rejects("format=csv&format=json", "\"format\" is given twice")
        .await;
    app.rejects("format=csv&nope=1", "\"nope\"").await;
    app.rejects("format=ndjson&fields=nope", "\"nope\"").await;
}

#[tokio::test]
async fn csv_and_ndjson_are_formats_of_lists_only() {
    let app = app_with_articles().await;
    let csv = app.with_header("accept", "text/csv");
    let one = csv.get("/api/v1/articles/1").await.expect(200);
    assert_eq!(one.header("content-type"), "application/json");
    let body = json!({"title": "T", "body": "B"});
    let made = csv.post(ARTICLES, body.clone()).await.expect(201);
    assert_eq!(made.header("content-type"), "application/json");
    let only = app.with_header("accept", "text/csv, application/json;q=0");
    only.post(ARTICLES, body).await.expect(406);
    only.get("/api/v1/articles/1").await.expect(406);
    only.get(ARTICLES).await.expect(200);
    let any = app.with_header("accept", "text/*, application/json;q=0");
    any.get(ARTICLES).await.expect(406);
    let refused = csv.get("/api/v1/articles?nope=1").await.expect(400);
    assert_eq!(refused.header("content-type"), "application/json");
    assert_eq!(refused.header("content-disposition"), "");
    let one = app.get("/api/v1/articles/1?format=csv").await.expect(200);
    assert_eq!(one.header("content-type"), "application/json");
}

#[tokio::test]
async fn head_has_the_headers_of_get() {
    let app = app_with_articles().await;
    for format in ["csv", "ndjson"] {
        let url = format!("/api/v1/articles?format={format}&page=1&pageSize=2");
        let (get, head) = (app.get(&url).await.expect(200), app.head(&url).await.expect(200));
        assert_eq!(head.text(), "");
        for name in [
            "content-type",
            "content-length",
            "content-disposition",
            "link",
            "x-total-count",
        ] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
        assert_eq!(head.header("content-length"), get.body.len().to_string());
    }
}

#[tokio::test]
async fn an_empty_list_has_only_its_header() {
    let app = BackendApp::start().await;
    let csv = app.get("/api/v1/tags?format=csv").await.expect(200);
    assert_eq!(csv.text(), "id,name\r\n");
    assert_eq!(app.get("/api/v1/tags?format=ndjson").await.expect(200).text(), "");
    app.post("/api/v1/tags", json!({"tag": {"name": "a"}}))
        .await
        .expect(201);
    let csv = app.get("/api/v1/tags?format=csv").await.expect(200);
    assert_eq!(csv.text(), "id,name\r\n1,a\r\n");
    let ndjson = app.get("/api/v1/tags?format=ndjson").await.expect(200);
    assert_eq!(ndjson.text(), "{\"id\":1,\"name\":\"a\"}\n");
}

#[tokio::test]
async fn selected_fields_and_relations_are_cells_too() {
    let app = app_with_articles().await;
    let query = "id[in]=1,3&fields=id,category.name,comments.body&expand=category,comments";
    let csv = app
        .get(&format!("/api/v1/articles?format=csv&{query}"))
        .await
        .expect(200);
    let expected = [
        vec!["id", "category", "comments"],
        vec![
            "1",
            "{\"name\":\"Rust\"}",
            "[{\"body\":\"first\"},{\"body\":\"second\"}]",
        ],
        vec!["3", "", "[]"],
    ];
    assert_eq!(read_csv(&csv.text()), expected);
    let ndjson = app
        .get(&format!("/api/v1/articles?format=ndjson&{query}"))
        .await
        .expect(200);
    let json = app.get(&format!("/api/v1/articles?{query}")).await.expect(200);
    assert_eq!(Value::Array(read_ndjson(&ndjson)), json.json());
}

/// Uses comments, because the fetch size on PostgreSQL adapts to earlier lists of a table, and other tests count the
/// statements of lists of articles.
#[tokio::test]
async fn long_lists_hold_the_same_rows_in_every_format() {
    let app = app_with_articles().await;
    let comments = "/api/v1/articles/2/comments";
    for number in 0..200 {
        let body = json!({"name": format!("n, {number}"), "body": "é\"\n".repeat(660)});
        app.post(comments, body).await.expect(201);
    }
    for query in ["", "&sort=-name&expand=article"] {
        let list = async |format| {
            app.get(&format!("{comments}?format={format}{query}"))
                .await
                .expect(200)
        };
        let (json, csv, ndjson) = (list("json").await, list("csv").await, list("ndjson").await);
        for list in [&json, &csv, &ndjson] {
            assert!(list.body.len() > 2 * 256 * 1024);
            assert_eq!(list.header("content-length"), "");
        }
        assert_eq!(json.json().as_array().unwrap().len(), 200);
        assert_eq!(read_csv(&csv.text()), table_of(&json.json()));
        assert_eq!(Value::Array(read_ndjson(&ndjson)), json.json());
    }
}

#[tokio::test]
async fn pages_have_the_same_headers_in_every_format() {
    let app = app_with_articles().await;
    for query in [
        "page=2&pageSize=2",
        "limit=2&offset=1&count=exact",
        "cursor=&limit=2",
    ] {
        let json = app.get(&format!("/api/v1/articles?{query}")).await.expect(200);
        for (format, lines) in [("csv", 3), ("ndjson", 2)] {
            let url = format!("/api/v1/articles?format={format}&{query}");
            let page = app.get(&url).await.expect(200);
            assert_eq!(page.text().lines().count(), lines);
            for name in ["x-total-count", "content-range"] {
                assert_eq!(page.header(name), json.header(name), "{query}");
            }
            let links = page.header("link").replace(&format!("format={format}&"), "");
            assert_eq!(links, json.header("link"), "{query}");
            let next = page.header("link").split(", ").find(|link| link.contains("next"));
            assert!(next.unwrap().contains(&format!("?format={format}&")));
        }
    }
}
