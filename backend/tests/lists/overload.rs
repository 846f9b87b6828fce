//! Requests that are short and ask for too much: each is a rejection that says so, and never a fault of the server.

use ::http::Method;

use crate::support::{Log, TestApp, execute};

/// LST-11: a path into a document has few steps, since the statement repeats each of them for every value.
#[tokio::test]
async fn deep_paths_into_documents_are_no_fault_of_the_server() {
    let app = TestApp::start().await;
    for query in [
        format!("extra{}=1", ".a".repeat(1000)),
        format!("extra{}[in]={}", ".a".repeat(500), ["1"; 200].join(",")),
        format!("extra{}=1", ".a".repeat(9)),
        format!("or=(extra{}=1)", ".a".repeat(9)),
    ] {
        let refused = app.get(&format!("/api/v1/samples?{query}")).await.expect(400);
        assert!(
            refused.text().contains("8 steps into a document"),
            "{}",
            refused.text()
        );
    }
}

/// LST-11: all filters of a query have so many values that both databases take them, wherever they are looked for.
#[tokio::test]
async fn many_lists_of_values_are_no_fault_of_the_server() {
    let app = TestApp::start().await;
    let list = |values: usize| format!("extra{}[in]={}", ".a".repeat(8), vec!["1"; values].join(","));
    let queries = [
        vec![list(195); 15].join("&"),
        [vec![list(200); 5], vec![list(1)]].concat().join("&"),
        format!(
            "or=({})",
            vec![format!("extra.a[nin]=\"{}\"", ["1"; 195].join(",")); 10].join(",")
        ),
    ];
    for query in queries {
        let query = query.replace('"', "%22");
        let refused = app.get(&format!("/api/v1/samples?{query}")).await.expect(400);
        assert!(
            refused.text().contains("more than 1000 values"),
            "{}",
            refused.text()
        );
    }
    let most = vec![list(200); 5].join("&");
    app.get(&format!("/api/v1/samples?{most}")).await.expect(200);
}

#[tokio::test]
async fn a_long_statement_is_cut_in_the_log() {
    let log = Log::start();
    let app = TestApp::start().await;
    execute(&app.database(), "DROP TABLE samples");
    let query = format!("or=({})", ["extra.first.second[ne]=1"; 40].join(","));
    app.get(&format!("/api/v1/samples?{query}")).await.expect(500);
    let lines = log.lines_with(&app.database().missing("samples"));
    assert!(!lines.is_empty(), "{}", log.text());
    assert!(lines.iter().all(|line| line.len() < 1500), "{lines:?}");
}

/// BLK-1: a body of too many objects is not read to its end, in whatever format they stand in it.
#[tokio::test]
async fn a_million_objects_are_rejected_after_the_first_too_many() {
    let app = TestApp::start().await;
    for (content_type, body) in [
        ("application/json", format!("[{}1 and no JSON", "1,".repeat(1000))),
        ("application/json", format!("[{}1]", "1,".repeat(1_000_000))),
        ("application/x-ndjson", "x\n".repeat(1_000_000)),
        ("text/csv", format!("id\n{}\"not closed", "1\n".repeat(1001))),
        ("text/csv", format!("id\n{}", "1\n".repeat(1_000_000))),
    ] {
        let refused = app
            .send(
                Method::PATCH,
                "/api/v1/articles",
                Some((content_type, body.into())),
            )
            .await
            .expect(400);
        let text = refused.text();
        assert!(
            text.contains("about more than 1000 objects"),
            "{content_type}: {text}"
        );
    }
}

/// LST-11: what is looked for in texts is short, since it is compared at every place of them.
#[tokio::test]
async fn long_texts_are_not_looked_for_in_others() {
    let app = TestApp::start().await;
    let (longest, long) = ("é".repeat(256), "a".repeat(257));
    for operator in ["contains", "icontains", "startswith", "endswith", "like", "ilike"] {
        let search = |text: &str| format!("title[{operator}]={}", text.replace('é', "%C3%A9"));
        assert!(app.articles(&search(&longest)).await.is_empty());
        app.refuses(&search(&long), "more than 256 characters").await;
    }
    app.refuses(&format!("q={long}"), "more than 256 characters")
        .await;
    assert!(app.articles(&format!("title={long}")).await.is_empty());
}
