//! `backend explain`.

use std::process::Command;

use crate::sample_articles::app_with_articles;
use crate::support::BackendApp;
use crate::support::accounts::TEST_ADMIN;

/// Returns the program's output for an admin's list, and whether it succeeded.
fn explain(app: &BackendApp, url: &str) -> (bool, String) {
    explain_to(app, url, &["--user", TEST_ADMIN])
}

fn explain_to(app: &BackendApp, url: &str, whom: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    let command = command.args(["explain", url, "--database", &app.database().url()]);
    let command = command.args(whom);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.success(), text.concat())
}

/// LST-12: the explanation has the SQL, the query plan and the columns without an index.
#[tokio::test]
async fn a_list_is_explained_with_its_sql_its_plan_and_missing_indexes() {
    let app = app_with_articles().await;
    for (url, lacking) in [
        ("/api/v1/articles", None),
        ("/api/v1/articles?id[gt]=3&sort=-id&limit=2", None),
        ("/api/v1/articles?categoryId=1", None),
        ("/api/v1/articles?categoryId[isnull]=true", None),
        ("/api/v1/articles?categoryId[in]=1,2&body=x", None),
        ("/api/v1/articles?or=(id=1,rating[gt]=3)", None),
        ("/api/v1/articles?category.name=Rust", None),
        ("/api/v1/articles?comments.name=Ann", Some(": comments.name\n")),
        (
            "/api/v1/articles?category.name[isnull]=true",
            Some(": categories.name\n"),
        ),
        ("/api/v1/articles?id[ne]=3", Some(": id\n")),
        ("/api/v1/articles?id[nin]=3", Some(": id\n")),
        (
            "/api/v1/articles?categoryId[isnull]=false",
            Some(": category_id\n"),
        ),
        (
            "/api/v1/articles?not=(id=3,rating=4)&price=1",
            Some(": id, rating, price\n"),
        ),
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
        let (succeeded, text) = explain(&app, url);
        assert!(succeeded && text.starts_with("SELECT "), "{url}: {text}");
        match lacking {
            None => assert!(text.contains("nothing lacks an index"), "{url}: {text}"),
            Some(lacking) => assert!(text.contains(lacking), "{url}: {text}"),
        }
        // The query plan of PostgreSQL is not compared.
        let statement = text.lines().next().unwrap();
        assert!(!statement.contains("Rust"), "{statement}");
    }
    for (url, expected) in [
        ("/api/v1/articles?titel=x", "did you mean"),
        ("/api/v1/articles/1", "cannot explain"),
        ("/nowhere", "cannot explain"),
    ] {
        let (succeeded, text) = explain(&app, url);
        assert!(!succeeded && text.contains(expected), "{url}: {text}");
    }
}

/// LST-12: the explanation includes the policies of the chosen caller.
#[tokio::test]
async fn a_list_is_explained_for_its_caller() {
    let app = app_with_articles().await;
    app.user("ann").await;
    let asked = |url: &str, whom: &[&str]| explain_to(&app, &format!("/api/v1/{url}"), whom);
    let where_of = |whom: &[&str]| {
        let (succeeded, text) = asked("articles", whom);
        assert!(succeeded, "{text}");
        let (_, conditions) = text.lines().next().unwrap().split_once(" WHERE ").unwrap();
        conditions.to_owned()
    };
    let anyone = where_of(&[]);
    assert!(
        anyone.contains("published") && !anyone.contains("author_id"),
        "{anyone}"
    );
    let ann = where_of(&["--user", "Ann@example.com"]);
    assert!(ann.contains("published") && ann.contains("author_id"), "{ann}");
    let admin = where_of(&["--user", TEST_ADMIN]);
    assert!(
        !admin.contains("published") && !admin.contains("author_id"),
        "{admin}"
    );

    for whom in [&[][..], &["--user", "ann"]] {
        let (_, text) = asked("articles?sort=-rating", whom);
        assert!(text.contains("nothing lacks an index"), "{text}");
        // A likely condition must not cause a sort.
        assert!(!text.contains("TEMP B-TREE"), "{text}");
        let (_, text) = asked("articles?price[gt]=3", whom);
        assert!(text.contains("to begin with: price\n"), "{text}");
    }

    let (succeeded, text) = asked("auth/users", &[]);
    assert!(!succeeded && text.contains("401"), "{text}");
    assert!(asked("auth/users", &["--user", TEST_ADMIN]).0);
    let (succeeded, text) = asked("articles", &["--user", "nobody"]);
    assert!(!succeeded && text.contains("there is no user"), "{text}");
    app.database()
        .execute("UPDATE users SET is_active = false WHERE username = 'ann'");
    let (succeeded, text) = asked("articles", &["--user", "ann"]);
    assert!(!succeeded && text.contains("ann is disabled"), "{text}");
}

/// LST-12: on SQLite, the few referenced rows that match are found before the rows that reference them.
#[tokio::test]
async fn few_referenced_rows_are_found_first() {
    let app = app_with_articles().await;
    let (_, text) = explain(&app, "/api/v1/articles?category.name=Rust");
    assert!(text.contains("nothing lacks an index"), "{text}");
    let (_, many) = explain(&app, "/api/v1/articles?comments.name=Ann");
    if !app.database().is_postgres() {
        assert!(
            text.contains("IN (SELECT") && text.contains("SEARCH articles USING"),
            "{text}"
        );
        assert!(many.contains("EXISTS ("), "{many}");
    }
}

/// LST-12: only an index that the list can use counts.
#[tokio::test]
async fn an_index_that_the_list_cannot_use_is_reported_as_missing() {
    let app = app_with_articles().await;
    let is_indexed = |query: &str| {
        let (succeeded, text) = explain(&app, &format!("/api/v1/articles?{query}"));
        assert!(succeeded, "{text}");
        text.contains("nothing lacks an index")
    };
    let (other, plain) = if app.database().is_postgres() {
        ("\"body\"", "\"body\" COLLATE \"C\"")
    } else {
        ("\"body\" COLLATE NOCASE", "\"body\"")
    };
    for (columns, counts) in [
        ("lower(\"body\"), \"body\"", false),
        ("\"price\", \"body\"", false),
        (other, false),
        (plain, true),
    ] {
        let sql = format!("CREATE INDEX \"tried\" ON \"articles\" ({columns})");
        app.database().execute(&sql);
        for query in ["body=x", "body[in]=x,y", "sort=body"] {
            assert_eq!(is_indexed(query), counts, "{columns}: {query}");
        }
        app.database().execute("DROP INDEX \"tried\"");
    }
    let part = "CREATE INDEX \"tried\" ON \"articles\" (\"price\") WHERE \"price\" > 3";
    app.database().execute(part);
    assert!(!is_indexed("price=1"));
}
