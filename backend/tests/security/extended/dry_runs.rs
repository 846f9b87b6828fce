//! Dry runs.

use serde_json::json;

use super::{extended_blog, refused_writes};
use crate::sample_blog::ARTICLES;

/// SEC-27, SEC-28: a dry run of a write that is refused is answered like the write, and a permitted one writes nothing.
#[tokio::test]
async fn a_dry_run_reveals_and_writes_no_more_than_the_write() {
    let blog = extended_blog().await;
    let before = blog.rows();
    let writes = refused_writes(&blog);
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
