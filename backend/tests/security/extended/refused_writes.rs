//! Refused writes with preconditions and with the keys of others.

use http::Method;
use model_resource::Model;
use serde_json::{Value, json};
use test_support::{Client, Response, TestDatabase};

use super::resources::{ArticleLabel, Pin, api};
use super::{AUTHORS, LABELS, NOBODY, extended_blog_of, refused_writes};
use crate::kept_rows::KeptRows;
use crate::sample_blog::Blog;
use crate::shown::{shown, shown_alike};

/// A write that is refused to Bob and to anonymous callers.
struct Write {
    method: Method,
    url: String,
    body: Option<Value>,
    /// Status and text of the answer to a precondition in a header, if that is another one than without it.
    conditional: Option<(u16, &'static str)>,
}

impl Write {
    async fn send(&self, client: &Client) -> Response {
        // Refused, if not applied, by writes without these preferences.
        let client = client.with_header("prefer", "max-affected=10, resolution=merge-duplicates");
        let body = self.body.as_ref().map(Value::to_string);
        let body = body.map(|body| ("application/json", body.into()));
        client.send(self.method.clone(), &self.url, body).await
    }

    /// Whether this is the answer to a precondition, of which `plain` is the one without it.
    fn is_expected(&self, header: &str, is_current: bool, plain: &Response, answer: &Response) -> bool {
        // Everybody may change a label, and so learns its version. The articles of others are refused after that.
        let holds = is_current == (header == "if-match");
        if self.url.starts_with(LABELS) && plain.status != 400 && self.method == Method::PATCH && !holds {
            return answer.status == 412;
        }
        let is_as_told = match self.conditional {
            Some((status, text)) if status == 400 || header == "if-match" => {
                answer.status == status && answer.text().contains(text)
            }
            _ => shown(answer) == shown(plain),
        };
        is_as_told && !answer.headers.contains_key("etag")
    }
}

/// All refused writes: of single and several objects, with related ones, by filters, and as upserts.
fn all_writes(blog: &Blog) -> Vec<Write> {
    let bulk = Some((400, "are about one object"));
    let upsert = Some((400, "merge-duplicates changes an object whose version is unknown"));
    let creating = Some((412, "the object does not exist"));
    let own = format!("{AUTHORS}/{}", blog.bob_id);
    let comment = json!({"comments": {"update": [{"id": 2, "body": "Forged"}]}});
    let stolen = json!({"articles": [{"id": 2, "title": "Stolen", "body": "x"}]});
    let label = |article: i64| json!({"articleId": article, "tagId": 1, "note": "Stolen"});
    let article = |id: i64| json!({"id": id, "title": "Stolen"});
    let mut writes: Vec<_> = refused_writes(blog)
        .into_iter()
        .map(|(method, url, body)| {
            let conditional = url.contains('?').then_some(bulk).flatten();
            (method, url, Some(body), conditional)
        })
        .collect();
    for (method, url, body, conditional) in [
        (Method::DELETE, "/articles/1", None, None),
        (Method::DELETE, "/articles/2", None, None),
        (Method::DELETE, "/articles/4", None, None),
        (Method::DELETE, "/articles?id=2", None, bulk),
        (Method::DELETE, "/articles?id=1&id=2", None, bulk),
        (Method::DELETE, "/articles?published=true", None, bulk),
        (Method::DELETE, "/articles?id[gte]=1", None, bulk),
        (Method::PATCH, "/articles", Some(json!([article(2)])), bulk),
        (
            Method::PATCH,
            "/articles",
            Some(json!([article(1), article(3)])),
            bulk,
        ),
        (Method::PATCH, "/articles/2", Some(comment), None),
        (
            Method::POST,
            "/labels",
            Some(json!({"name": "new", "articles": [2]})),
            None,
        ),
        (Method::PATCH, "/labels/2", Some(json!({"articles": []})), None),
        (Method::POST, "/article-labels", Some(label(1)), upsert),
        (Method::POST, "/article-labels", Some(label(2)), upsert),
        (
            Method::PATCH,
            "/article-labels/3",
            Some(json!({"note": "Stolen"})),
            None,
        ),
        (Method::DELETE, "/article-labels/3", None, None),
        (Method::PUT, "/pins/1", Some(json!({"note": "Stolen"})), creating),
        (Method::PUT, "/pins/2", Some(json!({"note": "Stolen"})), None),
        (Method::PUT, "/pins/4", Some(json!({"note": "Stolen"})), creating),
        (Method::DELETE, "/pins/1", None, None),
        (Method::DELETE, "/pins/2", None, None),
    ] {
        writes.push((method, format!("/api/v1{url}"), body, conditional));
    }
    writes.push((Method::PATCH, own, Some(stolen), None));
    writes.push((
        Method::PUT,
        format!("/api/v1/pins/{NOBODY}"),
        Some(json!({"note": "x"})),
        creating,
    ));
    let write = |(method, url, body, conditional)| Write {
        method,
        url,
        body,
        conditional,
    };
    writes.into_iter().map(write).collect()
}

/// Starts the extended application with pins of Ann's articles.
async fn pinned_blog() -> Blog {
    let blog = extended_blog_of(api().anonymous_write_rate(None)).await;
    for article in [1, 2] {
        let url = format!("/api/v1/pins/{article}");
        blog.ann.put(&url, json!({"note": "Mine"})).await.expect(201);
    }
    blog
}

/// SEC-27, SEC-28, VSN-6: whether a precondition holds changes nothing in the answer to a refused write, which has no tag.
#[tokio::test]
async fn preconditions_of_refused_writes_tell_nothing() {
    let blog = pinned_blog().await;
    let before = blog.rows();
    let mut tags = vec!["\"other\"".to_owned(), "*".to_owned()];
    for url in [
        "articles/1",
        "articles/2",
        "labels/1",
        "labels/2",
        "pins/1",
        "pins/2",
        "article-labels/3",
    ] {
        let shown = blog.app.get(&format!("/api/v1/{url}")).await.expect(200);
        tags.push(shown.header("etag").to_owned());
    }
    let mut wrong = Vec::new();
    for write in all_writes(&blog) {
        let current = blog.app.get(&write.url).await.header("etag").to_owned();
        for (caller, client) in [("anonymous", &blog.app.anonymous), ("bob", &blog.bob)] {
            let plain = write.send(client).await;
            // A filter that selects none of the caller's own objects is no error.
            let is_refused = plain.status.is_client_error() || plain.text() == "[]";
            assert!(is_refused, "{} {}: {}", write.method, write.url, plain.text());
            for header in ["if-match", "if-none-match"] {
                for tag in &tags {
                    let answer = write.send(&client.with_header(header, tag)).await;
                    let is_current = tag == "*" || *tag == current;
                    if !write.is_expected(header, is_current, &plain, &answer) {
                        let (method, url, text) = (&write.method, &write.url, shown(&answer));
                        let plain = shown(&plain);
                        wrong.push(format!(
                            "{method} {url} as {caller} with {header}: {tag}: {text}, not {plain}"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(blog.rows(), before);
}

/// SEC-27, SEC-28, IDM-6: a refused write with a key that another caller has used for the same, with success, is answered
/// as without the key, and not remembered. Only a write that succeeds because it finds no row is.
#[tokio::test]
async fn keys_of_others_tell_nothing_about_refused_writes() {
    let blog = pinned_blog().await;
    let database = blog.app.database();
    let own = [ArticleLabel::table(), Pin::table()];
    let kept = KeptRows::of(&database, backend::app::APPLICATION.tables().iter().chain(&own));
    let (mut used, mut wrong) = (0, Vec::new());
    for (number, write) in all_writes(&blog).into_iter().enumerate() {
        let key = format!("key-{number}");
        let keyed = |client: &Client| client.with_header("idempotency-key", &key);
        for first in [&blog.ann, &blog.app.client] {
            let answer = write.send(&keyed(first)).await;
            used += usize::from(answer.status.is_success());
            kept.restore(&database);
        }
        let (stored, responses) = rows_and_responses(&database);
        let mut remembered = 0;
        for (caller, client) in [("anonymous", &blog.app.anonymous), ("bob", &blog.bob)] {
            let plain = write.send(client).await;
            let other = write.send(&keyed(client)).await;
            remembered += usize::from(other.status.is_success());
            if shown_alike(&other) != shown_alike(&plain) {
                let (method, url, text) = (&write.method, &write.url, shown_alike(&other));
                let plain = shown_alike(&plain);
                wrong.push(format!(
                    "{method} {url} as {caller}: {text}\nand without the key: {plain}"
                ));
            }
        }
        let after = rows_and_responses(&database);
        let expected = (stored, responses + remembered);
        assert_eq!(after, expected, "{} {}", write.method, write.url);
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(used > 30, "{used} keys were used");
}

/// Rows of all tables but that of the stored responses, and the number of these.
fn rows_and_responses(database: &TestDatabase) -> (Vec<String>, usize) {
    let is_response = |row: &String| row.starts_with("model_resource_responses:");
    let (responses, rows): (Vec<_>, Vec<_>) = database.rows().into_iter().partition(is_response);
    (rows, responses.len())
}
