//! Databases.

use std::process::Command;

use crate::support::{Database, Process, TestApp, value};

/// DB-1: `seed` fills the database that the URL names, and `serve` answers from it.
#[tokio::test]
async fn the_url_decides_which_database_is_filled_and_served() {
    let database = Database::fresh();
    for _ in 0..2 {
        let seed = Command::new(env!("CARGO_BIN_EXE_backend"))
            .args(["seed", "--articles", "20", "--database", &database.url()])
            .output()
            .unwrap();
        assert!(seed.status.success(), "{}", String::from_utf8_lossy(&seed.stderr));
    }
    let process = Process::start(&database);
    let articles = process.client.get("/api/v1/articles").await.expect(200).json();
    assert_eq!(articles.as_array().unwrap().len(), 40);
    assert_eq!(articles[39]["title"], articles[19]["title"]);
    let stored: usize = value(&database, "SELECT count(*) FROM articles");
    assert_eq!(stored, 40);
}

/// DB-2: what the migrations make is what the models describe, no column less and none more.
#[tokio::test]
async fn the_migrations_give_the_columns_of_the_models_and_no_others() {
    let app = TestApp::start().await;
    let mut expected: Vec<String> = backend::models::tables()
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
