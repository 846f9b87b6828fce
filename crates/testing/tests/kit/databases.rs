//! Databases, applications, sockets and fixtures.

use axum::Router;
use model_resource::{Server, Store};
use model_resource_cli::Manage;
use model_resource_testing::{TemporaryDatabase, TestApp, TestApplication};
use serde_json::json;

use crate::library::{Book, book, failure, open_api};

fn has_postgres() -> bool {
    TemporaryDatabase::from_environment().is_postgres()
}

/// TST-1
#[tokio::test]
async fn each_application_has_an_empty_database_of_its_own() {
    let mut databases = vec![
        TemporaryDatabase::from_environment(),
        TemporaryDatabase::sqlite(),
        TemporaryDatabase::sqlite_file(),
    ];
    if has_postgres() {
        databases.push(TemporaryDatabase::postgres());
    }
    for database in databases {
        let app = TestApp::builder(open_api()).database(database).start().await;
        assert_eq!(app.all::<Book>().await, []);
        let created = app.create(book("Emma")).await;
        assert_eq!(created.id, 1);
        app.get("/books/1")
            .await
            .assert_status(200)
            .assert_json(json!({"title": "Emma"}));
        assert_eq!(app.all::<Book>().await, [created]);
    }
}

/// TST-1
#[tokio::test]
async fn a_database_is_dropped_with_its_application() {
    let file = TemporaryDatabase::sqlite_file();
    let path = file.url().trim_start_matches("sqlite:").to_owned();
    let app = TestApp::builder(open_api()).database(file).start().await;
    app.create(book("Emma")).await;
    assert!(std::fs::exists(&path).unwrap());
    drop(app);
    assert!(!std::fs::exists(&path).unwrap());
    if !has_postgres() {
        return;
    }
    let app = TestApp::builder(open_api())
        .database(TemporaryDatabase::postgres())
        .start()
        .await;
    let url = app.database().url();
    assert!(Store::open(&url).await.is_ok());
    drop(app);
    let gone = Store::open(&url).await.err().unwrap().to_string();
    assert!(gone.contains("does not exist"), "{gone}");
}

/// TST-2
#[tokio::test]
async fn requests_in_the_process_and_over_a_socket_get_the_same_responses() {
    let inside = TestApp::builder(open_api())
        .time("2026-03-01T12:00:00Z")
        .start()
        .await;
    let server = TestApp::builder(open_api())
        .time("2026-03-01T12:00:00Z")
        .over_socket()
        .start()
        .await;
    for app in [&inside, &server] {
        app.create(book("Emma")).await;
    }
    for path in ["/books", "/books/1", "/books/2", "/nothing"] {
        let (one, other) = (inside.get(path).await, server.get(path).await);
        assert_eq!((one.status, one.text()), (other.status, other.text()), "{path}");
    }
    let message = failure(|| inside.address());
    assert!(message.contains("over_socket()"), "{message}");
    let elsewhere = TestApp::builder(open_api())
        .server(Server::default())
        .start()
        .await;
    assert_ne!(elsewhere.address(), server.address());
}

/// TST-10
#[tokio::test]
async fn an_application_is_an_api_a_program_a_router_or_an_open_service() {
    let manage = Manage::new("library", open_api);
    TestApp::new(manage)
        .await
        .get("/books")
        .await
        .assert_json_exact(json!([]));

    let router = |store: Store| open_api().store(store).init_app(Router::new());
    let application = TestApplication::router(&open_api().tables(), router);
    let app = TestApp::builder(application).start().await;
    app.create(book("Emma")).await;
    app.get("/books").await.assert_json(json!([{"id": 1}]));
    let message = failure(|| app.as_caller(model_resource::Caller::of(1_i64)));
    assert!(
        message.contains("start the test with the `Api` itself"),
        "{message}"
    );

    let database = TemporaryDatabase::from_environment();
    let store = Store::open(&database.url()).await.unwrap();
    store.create_tables(&open_api().tables()).await.unwrap();
    let service = open_api().store(store.clone()).into_service();
    let app = TestApp::builder(TestApplication::opened(store, service))
        .database(database)
        .start()
        .await;
    app.create(book("Emma")).await;
    app.get("/books/1").await.assert_status(200);
}

/// TST-10
#[tokio::test]
async fn the_api_can_be_changed_for_a_test() {
    let app = TestApp::builder(open_api())
        .api(|api| api.prefix("/v2"))
        .start()
        .await;
    app.get("/books").await.assert_status(404);
    app.get("/v2/books").await.assert_status(200);
}
