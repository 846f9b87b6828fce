//! Short requests with a large cost: each is rejected with a message, and is never a 500.

use ::http::Method;
use backend::app::{APPLICATION, Settings};
use model_resource::Server;
use serde_json::json;
use test_support::Log;

use crate::support::BackendApp;

/// LOAD-98: the price of a query is limited by a setting, and for administrators by ten times as much.
#[tokio::test]
async fn administrators_have_a_larger_budget() {
    let settings = Settings {
        query_budget: Some(1),
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    let fill = async |names: &[&str]| {
        for name in names {
            app.post("/api/v1/tags", json!({"tag": {"name": name}}))
                .await
                .expect(201);
        }
        app.database().execute("ANALYZE");
        app.store.refresh_statistics(APPLICATION.tables()).await.unwrap();
    };
    let path = "/api/v1/tags?name[contains]=x";
    fill(&["a", "b", "c"]).await;
    let refused = app.anonymous.get(path).await.expect(400);
    assert!(refused.text().contains("the budget is 1:"), "{}", refused.text());
    app.get(path).await.expect(200);
    fill(&["d"]).await;
    let refused = app.get(path).await.expect(400);
    assert!(refused.text().contains("the budget is 10:"), "{}", refused.text());
    let page = app.with_header("accept", "text/html").get(path).await.expect(400);
    assert!(page.text().contains("the budget is 10:"), "{}", page.text());
}

/// LST-11: the depth of a path into a document is limited, since the statement repeats it for every value.
#[tokio::test]
async fn deep_paths_into_documents_are_not_a_500() {
    let app = BackendApp::start().await;
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

/// LST-11: the total number of values in a query is limited, so that both databases accept the statement.
#[tokio::test]
async fn many_lists_of_values_are_not_a_500() {
    let app = BackendApp::start().await;
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
async fn a_long_statement_is_truncated_in_the_log() {
    let log = Log::start();
    let app = BackendApp::start().await;
    app.database().execute("DROP TABLE samples");
    let query = format!("or=({})", ["extra.first.second[ne]=1"; 40].join(","));
    app.get(&format!("/api/v1/samples?{query}")).await.expect(503);
    let lines = log.lines_with(&app.database().missing_table_message("samples"));
    assert!(!lines.is_empty(), "{}", log.text());
    assert!(lines.iter().all(|line| line.len() < 1500), "{lines:?}");
}

/// BLK-1: a body with too many objects is not read to its end, in any format.
#[tokio::test]
async fn a_million_objects_are_rejected_without_reading_all_of_them() {
    let app = BackendApp::start().await;
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

/// LST-11: the length of a search text is limited, since it is compared at every position of a value.
#[tokio::test]
async fn long_search_texts_are_rejected() {
    let app = BackendApp::start().await;
    let (longest, long) = ("é".repeat(256), "a".repeat(257));
    for operator in ["contains", "icontains", "startswith", "endswith", "like", "ilike"] {
        let search = |text: &str| format!("title[{operator}]={}", text.replace('é', "%C3%A9"));
        assert!(app.articles(&search(&longest)).await.is_empty());
        app.rejects(&search(&long), "more than 256 characters").await;
    }
    app.rejects(&format!("q={long}"), "more than 256 characters")
        .await;
    assert!(app.articles(&format!("title={long}")).await.is_empty());
}
