//! How lists are read, as the program explains it.

use std::process::Command;

use crate::shelf::shelf;

/// LST-12: a list is explained with its sql its plan and what lacks an index.
#[tokio::test]
async fn a_list_is_explained_with_its_sql_its_plan_and_what_lacks_an_index() {
    let app = shelf().await;
    let explain = |url: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
        let command = command.args(["explain", url, "--database", &app.database().url()]);
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.success(), text.concat())
    };
    for (url, lacking) in [
        ("/api/v1/articles", None),
        ("/api/v1/articles?id[gt]=3&sort=-id&limit=2", None),
        ("/api/v1/articles?categoryId=1", None),
        ("/api/v1/articles?category.name=Rust", None),
        ("/api/v1/articles/1/comments?body=x", None),
        ("/api/v1/articles?published=true&sort=-createdAt", None),
        ("/api/v1/articles?rating[gt]=3&sort=-rating", None),
        (
            "/api/v1/articles?price[gt]=3",
            Some("the filters have no index on table articles"),
        ),
        (
            "/api/v1/articles?or=(id=1,price=3)",
            Some("the filters have no index"),
        ),
        (
            "/api/v1/articles?title[contains]=x",
            Some("the filters have no index"),
        ),
        (
            "/api/v1/articles?sort=price",
            Some("no index on table articles that begins with price"),
        ),
    ] {
        let (succeeded, text) = explain(url);
        assert!(succeeded && text.starts_with("SELECT "), "{url}: {text}");
        match lacking {
            None => assert!(text.contains("nothing lacks an index"), "{url}: {text}"),
            Some(lacking) => assert!(text.contains(lacking), "{url}: {text}"),
        }
        // What a server's plan says is its own.
        let statement = text.lines().next().unwrap();
        assert!(!statement.contains("Rust"), "{statement}");
    }
    for (url, told) in [
        ("/api/v1/articles?titel=x", "did you mean"),
        ("/api/v1/articles/1", "cannot explain"),
        ("/nowhere", "cannot explain"),
    ] {
        let (succeeded, text) = explain(url);
        assert!(!succeeded && text.contains(told), "{url}: {text}");
    }
}

#[tokio::test]
async fn no_client_can_ask_for_an_explanation() {
    let app = shelf().await;
    let client = app
        .client
        .with_header("explain", "1")
        .with_header("x-explain", "true");
    let list = client.get("/api/v1/articles?sort=title").await.expect(200).json();
    assert!(list.is_array());
}
