//! Dry runs.

use http::Method;
use serde_json::{Value, json};

use super::{AUTHORS, LABELS, extended_blog};
use crate::sample_blog::ARTICLES;

/// SEC-27, SEC-28: a dry run of a write that is refused is answered like the write, and a permitted one writes nothing.
#[tokio::test]
async fn a_dry_run_reveals_and_writes_no_more_than_the_write() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let (own, ann) = (
        format!("{AUTHORS}/{}", blog.bob_id),
        format!("{AUTHORS}/{}", blog.ann_id),
    );
    let writes: Vec<(Method, String, Value)> = vec![
        (Method::PATCH, format!("{ARTICLES}/1"), json!({"title": "Stolen"})),
        (
            Method::PUT,
            format!("{ARTICLES}/1"),
            json!({"title": "Stolen", "body": "x"}),
        ),
        (
            Method::PATCH,
            format!("{ARTICLES}/2"),
            json!({"authorId": blog.bob_id}),
        ),
        (Method::PATCH, format!("{ARTICLES}/2"), json!({"tags": []})),
        (
            Method::PATCH,
            format!("{ARTICLES}/2"),
            json!({"comments": {"remove": [2]}}),
        ),
        (
            Method::POST,
            ARTICLES.to_owned(),
            json!({"title": "x", "body": "x", "authorId": blog.ann_id}),
        ),
        (
            Method::PATCH,
            format!("{LABELS}/1"),
            json!({"articles": {"add": [1]}}),
        ),
        (
            Method::PATCH,
            format!("{LABELS}/1"),
            json!({"articles": {"remove": [2]}}),
        ),
        (
            Method::PATCH,
            own,
            json!({"articles": {"update": [{"id": 1, "title": "Stolen"}]}}),
        ),
        (Method::PATCH, ann, json!({"articles": []})),
        (
            Method::PATCH,
            format!("{ARTICLES}?id[gte]=1"),
            json!({"title": "Stolen"}),
        ),
        (
            Method::PATCH,
            format!("{ARTICLES}?id=1"),
            json!({"title": "Stolen"}),
        ),
    ];
    for client in [&blog.app.anonymous, &blog.bob] {
        for (method, url, body) in &writes {
            let real = client.with_header("prefer", "max-affected=10");
            let dry = client.with_header("prefer", "max-affected=10, dry-run");
            let rehearsed = dry.send_json(method.clone(), url, body.clone()).await;
            assert_eq!(blog.rows(), before, "{method} {url}");
            let refused = real.send_json(method.clone(), url, body.clone()).await;
            assert_eq!(rehearsed.status, refused.status, "{method} {url}");
            assert_eq!(rehearsed.text(), refused.text(), "{method} {url}");
            assert_eq!(blog.rows(), before, "{method} {url}");
        }
    }
    let dry = blog.bob.with_header("prefer", "max-affected=10, dry-run");
    dry.patch(
        &format!("{ARTICLES}/3"),
        json!({"title": "Mine", "tags": [], "comments": []}),
    )
    .await
    .expect(200);
    dry.delete(&format!("{ARTICLES}?published=false"))
        .await
        .expect(204);
    assert_eq!(blog.rows(), before);
}
