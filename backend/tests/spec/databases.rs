//! Databases.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use test_support::{Process, TestDatabase, dedicated_server};

use crate::operations::readiness;
use crate::serve;
use crate::support::BackendApp;

/// DB-1: `seed` fills the database at the URL, and `serve` serves it.
#[tokio::test]
async fn the_url_selects_the_database_to_fill_and_serve() {
    let database = TestDatabase::create();
    for _ in 0..2 {
        let seed = Command::new(env!("CARGO_BIN_EXE_backend"))
            .args(["seed", "--articles", "20", "--database", &database.url()])
            .output()
            .unwrap();
        assert!(seed.status.success(), "{}", String::from_utf8_lossy(&seed.stderr));
    }
    let process = serve::start(&database);
    let admin = serve::admin(&process, &database.url()).await;
    let articles = admin.get("/api/v1/articles").await.expect(200).json();
    assert_eq!(articles.as_array().unwrap().len(), 40);
    assert_eq!(articles[39]["title"], articles[19]["title"]);
    let stored: usize = database.value("SELECT count(*) FROM articles");
    assert_eq!(stored, 40);
    let seen = process
        .client
        .get("/api/v1/articles?expand=comments")
        .await
        .expect(200)
        .json();
    let seen = seen.as_array().unwrap();
    assert_eq!(seen.len(), 32, "the others are drafts");
    assert!(seen.iter().any(|article| article["comments"] != json!([])));
}

/// DB-2: the migrations create exactly the columns that the models describe.
#[tokio::test]
async fn the_migrations_create_exactly_the_columns_of_the_models() {
    let app = BackendApp::start().await;
    let mut expected: Vec<String> = backend::app::APPLICATION
        .tables()
        .to_vec()
        .iter()
        .flat_map(|table| {
            let column = |name: &str| format!("{}.{name}", table.name);
            table.columns.iter().map(move |found| column(found.name))
        })
        .collect();
    expected.sort();
    let found = app.database().columns();
    assert_eq!(found, expected);
}

/// DB-3: while the server is stopped, requests are 503; after its restart they succeed without intervention.
#[tokio::test]
async fn while_the_server_is_away_requests_are_503_and_then_answered_again() {
    // SQLite has no server to stop.
    let Some(server) = dedicated_server(Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
        return;
    };
    let process = Process::start(&mut serve::command(server.url()));
    let client = serve::admin(&process, server.url()).await;
    let mut names = Vec::new();
    for round in 0..2 {
        let name = format!("Before {round}");
        client
            .post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
        names.push(name);
        server.stop().unwrap();
        let meanwhile = json!({"name": "Meanwhile"});
        for answer in [
            client.get("/api/v1/categories").await,
            client.get("/api/v1/categories/1").await,
            client.post("/api/v1/categories", meanwhile.clone()).await,
            client.patch("/api/v1/categories/1", meanwhile).await,
            client.delete("/api/v1/categories/1").await,
            readiness(&client, 503).await,
        ] {
            assert_eq!(answer.expect(503).header("retry-after"), "1");
        }
        server.resume().unwrap();
        readiness(&client, 200).await;
        let categories = client.get("/api/v1/categories").await.expect(200).json();
        let stored: Vec<&str> = categories
            .as_array()
            .unwrap()
            .iter()
            .map(|category| category["name"].as_str().unwrap())
            .collect();
        assert_eq!(stored, names);
    }
    client
        .patch("/api/v1/categories/1", json!({"name": "After"}))
        .await
        .expect(200);
}

/// LOAD-63: the first start on an empty database has no errors, and a missing table has one line for each change of its state.
#[tokio::test]
async fn a_missing_table_is_logged_once_and_a_first_start_logs_no_error() {
    let database = TestDatabase::create();
    if !database.is_postgres() {
        return;
    }
    let mut process = serve::start(&database);
    let admin = serve::admin(&process, &database.url()).await;
    for (from, to, status) in [("tags", "hidden", 503), ("hidden", "tags", 200)] {
        database.execute(&format!("ALTER TABLE {from} RENAME TO {to}"));
        for _ in 0..3 {
            admin.get("/api/v1/tags").await.expect(status);
            admin.get("/api/v1/categories").await.expect(200);
        }
    }
    process.signal("TERM");
    let (_, log) = process.wait();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("table")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines[0].contains("ERROR") && lines[0].contains("a table of the database is missing"),
        "{log}"
    );
    assert!(
        lines[0].contains("relation") && lines[0].contains("42P01"),
        "{log}"
    );
    assert!(
        lines[1].contains("INFO") && lines[1].contains("available again"),
        "{log}"
    );
    assert!(!log.contains("database cannot"), "{log}");
}
