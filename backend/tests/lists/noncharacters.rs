//! Characters that a database may confuse.

use serde_json::json;

use crate::support::BackendApp;

/// LST-1: characters that SQLite's patterns treat alike are distinguished.
#[tokio::test]
async fn replacement_and_noncharacters_are_not_confused() {
    let app = BackendApp::start().await;
    for character in ['\u{fffd}', '\u{fffe}', '\u{ffff}', 'x'] {
        let body = json!({"title": format!("A{character}b"), "body": format!("{character}")});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    for (number, escaped) in [(1, "%EF%BF%BD"), (2, "%EF%BF%BE"), (3, "%EF%BF%BF")] {
        for test in [
            "title[contains]=*",
            "title[contains]=*b",
            "title[icontains]=a*B",
            "title[startswith]=A*",
            "title[endswith]=*b",
            "title[like]=%25*%25",
            "title[like]=A*b",
            "title[ilike]=a*%25",
            "title[ilike]=%25*B",
            "body[startswith]=*",
            "body[endswith]=*",
        ] {
            let query = test.replace('*', escaped);
            assert_eq!(app.articles(&query).await, [number], "{query}");
        }
        for test in [
            "title[startswith]=*",
            "title[endswith]=*",
            "title[contains]=a*",
            "title[like]=*",
        ] {
            let query = test.replace('*', escaped);
            assert!(app.articles(&query).await.is_empty(), "{query}");
        }
    }
}
