//! Slow searches: they are bounded in number and in time, and nothing else waits for them.

use std::time::Duration;

use backend::app::Settings;
use backend::models::Article;
use model_resource::{Model as _, Server, Sql, Store};
use serde_json::json;
use test_support::{TestApp, TestDatabase};
use tokio::task::JoinHandle;

use crate::support::BackendApp;
use crate::support::accounts::{LOGIN, admin_token};

/// A search that never ends by itself.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// Starts the application on a SQLite database whose URL has these options; `None` if the tests run on PostgreSQL.
async fn start(options: &str) -> Option<BackendApp> {
    let database = TestDatabase::create();
    if database.is_postgres() {
        return None;
    }
    let store = backend::app::APPLICATION
        .open(&format!("{}?{options}", database.url()))
        .await
        .unwrap();
    let token = admin_token(&store).await;
    let app = backend::app::APPLICATION.service(store.clone(), &Settings::unlimited());
    let mut app = TestApp::serve(database, store, app, Server::default()).await;
    app.client = app.anonymous.with_token(&token);
    Some(BackendApp(app))
}

/// Starts this number of endless searches one by one, and waits until each runs or waits.
///
/// The searches of the store itself, such as its count of the rows of each table, end first: they would be counted too.
async fn start_searches(store: &Store, count: usize) -> Vec<JoinHandle<()>> {
    wait_for_searches(store, 0).await;
    let mut searches = Vec::new();
    for started in 1..=count {
        let search = store.clone();
        searches.push(tokio::spawn(async move {
            drop(search.fetch(Sql::new(ENDLESS)).await);
        }));
        wait_for_searches(store, started).await;
    }
    searches
}

/// Waits until this number of searches runs or waits.
async fn wait_for_searches(store: &Store, expected: usize) {
    for _ in 0..2000 {
        if running_or_waiting(store) == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!(
        "{} searches run or wait, not {expected}",
        running_or_waiting(store)
    );
}

fn running_or_waiting(store: &Store) -> usize {
    let lanes = store.status().lanes;
    let lane = lanes.iter().find(|lane| lane.name == "searches").unwrap();
    lane.connections - lane.idle + lane.waiting
}

async fn create_articles(app: &BackendApp) {
    for title in ["first", "second"] {
        let article = json!({"title": title, "body": "", "published": true});
        app.post("/api/v1/articles", article).await.expect(201);
    }
}

/// Copies the first article so often that its table is not known to be small.
async fn copy_articles(app: &BackendApp) {
    let columns = "body, published, author_id, created_at, updated_at";
    let copy = format!(
        "INSERT INTO articles (title, slug, {columns}) WITH RECURSIVE n(i) AS \
         (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
         SELECT 'copy ' || i, 'copy-' || i, {columns} FROM articles, n WHERE id = 1"
    );
    app.store.execute(Sql::new(copy)).await.unwrap();
    app.store.refresh_statistics(&[Article::table()]).await.unwrap();
}

/// LOAD-101: neither do lists of the rows that a policy lets a caller see, and those below a parent, of a large table.
#[tokio::test(flavor = "multi_thread")]
async fn lists_under_a_policy_do_not_wait_for_searches() {
    let Some(app) = start("readers=1&searches=2&search_timeout=600").await else {
        return;
    };
    create_articles(&app).await;
    copy_articles(&app).await;
    let comment = json!({"name": "Ann", "body": "a comment"});
    app.anonymous
        .post("/api/v1/articles/1/comments", comment)
        .await
        .expect(201);
    let searches = start_searches(&app.store, 10).await;
    // More than the searches that one caller may run at the same time.
    for _ in 0..10 {
        let page = app.anonymous.get("/api/v1/articles?limit=20").await.expect(200);
        assert_eq!(page.json().as_array().unwrap().len(), 20);
    }
    let all = app.anonymous.get("/api/v1/articles").await.expect(200);
    assert!(!all.json().as_array().unwrap().is_empty());
    let comments = app.anonymous.get("/api/v1/articles/1/comments").await.expect(200);
    assert_eq!(comments.json().as_array().unwrap().len(), 1);
    assert!(searches.iter().all(|search| !search.is_finished()));
    searches.iter().for_each(JoinHandle::abort);
}

/// LOAD-1: rows found by their keys, lists in the order of the keys, logins, health checks and writes do not wait for
/// searches, however many run and wait.
#[tokio::test(flavor = "multi_thread")]
async fn short_requests_do_not_wait_for_searches() {
    let Some(app) = start("readers=1&searches=2&search_timeout=600").await else {
        return;
    };
    app.user("ann").await;
    create_articles(&app).await;
    let searches = start_searches(&app.store, 10).await;
    let login = json!({"email": "ann@example.com", "password": "correct horse"});
    app.anonymous.post(LOGIN, login).await.expect(200);
    app.anonymous.get("/api/v1/articles/1").await.expect(200);
    app.anonymous.get("/healthz").await.expect(200);
    app.get("/api/v1/articles").await.expect(200);
    app.get("/api/v1/articles?limit=1&offset=1").await.expect(200);
    app.get("/api/v1/articles/1?expand=author").await.expect(200);
    // AGG-7: neither does an aggregate of a small table.
    app.store.refresh_statistics(&[Article::table()]).await.unwrap();
    app.get("/api/v1/articles?group=categoryId&count&rating[isnull]=true")
        .await
        .expect(200);
    let article = json!({"title": "third", "body": ""});
    app.post("/api/v1/articles", article).await.expect(201);
    app.patch("/api/v1/articles/1", json!({"rating": 5.0}))
        .await
        .expect(200);
    app.delete("/api/v1/articles/1").await.expect(204);
    assert!(searches.iter().all(|search| !search.is_finished()));
    searches.iter().for_each(JoinHandle::abort);
}

/// LOAD-2: a search is refused with 503 and `Retry-After` while 64 others wait, and succeeds afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_searches_are_refused_at_once() {
    let Some(app) = start("searches=1&search_timeout=600").await else {
        return;
    };
    create_articles(&app).await;
    let searches = start_searches(&app.store, 65).await;
    let refused = app
        .get("/api/v1/articles?title[contains]=first")
        .await
        .expect(503);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(app.store.status().refused_searches, 1);
    app.get("/api/v1/articles/1").await.expect(200);
    searches.iter().for_each(JoinHandle::abort);
    // Their places are free as soon as the thread has skipped them.
    wait_for_searches(&app.store, 0).await;
    let found = app
        .get("/api/v1/articles?title[contains]=first")
        .await
        .expect(200);
    assert_eq!(found.json().as_array().unwrap().len(), 1);
}

/// LOAD-3: a search that waits for five seconds without beginning is a 503.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_does_not_wait_without_end() {
    let Some(app) = start("searches=1&search_timeout=600").await else {
        return;
    };
    create_articles(&app).await;
    let searches = start_searches(&app.store, 1).await;
    let refused = app
        .get("/api/v1/articles?title[contains]=first")
        .await
        .expect(503);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(app.store.status().refused_searches, 1);
    assert!(!searches[0].is_finished());
    searches[0].abort();
    app.get("/api/v1/articles?title[contains]=first")
        .await
        .expect(200);
}

/// LOAD-4: a search that takes longer than its time limit is a 400 that says so, with filters as well as with an order
/// without an index and with a count. AGG-7: and so is an aggregate.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_search_is_interrupted_with_400() {
    let Some(app) = start("search_timeout=1").await else {
        return;
    };
    app.database().execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         INSERT INTO articles (title, slug, body, published, created_at, updated_at)
         SELECT i, i, replace(hex(zeroblob(60000)), '0', 'a'), 1, 0, 0 FROM n",
    );
    let texts: Vec<String> = (0..40)
        .map(|number| format!("body[icontains]=aaaab{number}"))
        .collect();
    let filters = format!("or=({})", texts.join(","));
    for query in [
        filters.clone(),
        format!("{filters}&sort=title"),
        format!("{filters}&count=exact&limit=1"),
        format!("{filters}&group=categoryId&count"),
    ] {
        let refused = app.get(&format!("/api/v1/articles?{query}")).await.expect(400);
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("took longer than 1 s"), "{message}");
        assert!(message.contains("indexed field"), "{message}");
    }
    assert_eq!(app.store.status().slow_searches, 4);
    let found = app.get("/api/v1/articles?title=7").await.expect(200);
    assert_eq!(found.json().as_array().unwrap().len(), 1);
}

/// LOAD-5: a write that waits for five seconds behind a transaction is a 503, and writes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_does_not_wait_without_end() {
    let Some(app) = start("").await else { return };
    create_articles(&app).await;
    let transaction = app.store.begin().await.unwrap();
    let holder = tokio::spawn(async move {
        // Not idle, so that it is not rolled back.
        loop {
            transaction.fetch(Sql::new("SELECT 1")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let late = json!({"title": "late", "body": ""});
    let refused = app.post("/api/v1/articles", late.clone()).await.expect(503);
    assert_eq!(refused.header("retry-after"), "1");
    app.get("/api/v1/articles/1").await.expect(200);
    holder.abort();
    holder.await.unwrap_err();
    app.post("/api/v1/articles", late).await.expect(201);
    let count: i64 = app.database().value("SELECT count(*) FROM articles");
    assert_eq!(count, 3);
}
