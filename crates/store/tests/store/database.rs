//! Databases that are removed with the test, and assertions on errors.

use std::time::{SystemTime, UNIX_EPOCH};

use model_resource_schema::model::Model;
use model_resource_store::{Store, StoreError};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_postgres::NoTls;

use crate::models::{Article, Category, SAMPLES};

/// Prefix of all test databases; the second of their creation follows.
const PREFIX: &str = "test_store_";

/// Age in seconds after which a test database counts as abandoned.
const OLD: u64 = 60 * 60;

/// Opens a store in a file; the folder must outlive the store.
pub(crate) async fn in_file() -> (Store, TempDir) {
    let folder = TempDir::new().unwrap();
    let store = Store::open(&url(&folder)).await.unwrap();
    create(&store).await;
    (store, folder)
}

/// Opens a store in memory.
pub(crate) async fn in_memory() -> Store {
    let store = Store::open("sqlite::memory:").await.unwrap();
    create(&store).await;
    store
}

/// A database on the server that `TEST_POSTGRES_URL` names, dropped with this value.
pub(crate) struct Postgres {
    pub(crate) store: Store,
    pub(crate) url: String,
    _fresh: Fresh,
}

/// Opens a store on a new database; `None` if the tests run without PostgreSQL.
pub(crate) async fn postgres() -> Option<Postgres> {
    if is_left_out() {
        return None;
    }
    static SWEPT: OnceCell<()> = OnceCell::const_new();
    SWEPT.get_or_init(sweep).await;
    let name = format!("{PREFIX}{}_{}", now(), uuid::Uuid::now_v7().simple());
    let fresh = Fresh(name);
    ask(&server(), &format!("CREATE DATABASE {}", fresh.0)).await;
    let url = url_of(&server(), &fresh.0);
    let store = Store::open(&url).await.unwrap();
    create(&store).await;
    Some(Postgres {
        store,
        url,
        _fresh: fresh,
    })
}

/// Whether the tests run without PostgreSQL.
pub(crate) fn is_left_out() -> bool {
    std::env::var("TEST_SQLITE_ONLY").is_ok_and(|value| value == "1")
}

/// Drops databases abandoned by a killed run.
async fn sweep() {
    let (client, connection) = tokio_postgres::connect(&server(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = "SELECT datname::text FROM pg_database WHERE starts_with(datname, $1)";
    for row in client.query(sql, &[&PREFIX]).await.unwrap() {
        let name: String = row.get(0);
        let made = name[PREFIX.len()..].split('_').next();
        let made: Option<u64> = made.and_then(|second| second.parse().ok());
        if made.is_some_and(|made| made + OLD < now()) {
            // Another run may sweep at the same time.
            let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            client.batch_execute(&sql).await.unwrap();
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Name of a database, which is dropped with this value.
struct Fresh(String);

impl Drop for Fresh {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.0);
        // On its own thread, since a panic may drop this value, and `drop` cannot await.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(ask(&server(), &sql));
        });
        dropped.join().ok();
    }
}

/// URL of the server, with its initial database.
fn server() -> String {
    std::env::var("TEST_POSTGRES_URL").unwrap_or_else(|_| {
        panic!(
            "these tests need a PostgreSQL server: set TEST_POSTGRES_URL to something like \
             postgres://user@localhost/postgres, whose user may create databases, or set TEST_SQLITE_ONLY=1 to do without"
        )
    })
}

/// URL of another database on the same server.
fn url_of(server: &str, database: &str) -> String {
    let (address, options) = server.split_once('?').unwrap_or((server, ""));
    let (address, _) = address.rsplit_once('/').unwrap();
    format!("{address}/{database}?{options}")
}

/// Runs SQL without the store.
pub(crate) async fn ask(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().ok();
}

/// Generates a test for each database from one function.
macro_rules! on {
    ($test:ident: $($database:ident),+) => {
        mod $test {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $database() {
                    $crate::database::on!(@$database $test);
                }
            )+
        }
    };
    (@in_memory $test:ident) => { super::$test($crate::database::in_memory().await).await };
    (@in_file $test:ident) => {
        let (store, _folder) = $crate::database::in_file().await;
        super::$test(store).await
    };
    (@postgres $test:ident) => {
        if let Some(database) = $crate::database::postgres().await {
            super::$test(database.store.clone()).await
        }
    };
}
pub(crate) use on;

pub(crate) fn url(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("test.db").display())
}

async fn create(store: &Store) {
    store
        .create_tables(&[Category::table(), Article::table(), &SAMPLES])
        .await
        .unwrap();
}

/// Field errors of a rejected write.
#[track_caller]
pub(crate) fn field_errors<T: std::fmt::Debug>(result: Result<T, StoreError>) -> Json {
    match result {
        Err(StoreError::Invalid(errors)) => json!(errors),
        other => panic!("expected field errors, got {other:?}"),
    }
}

#[track_caller]
pub(crate) fn unavailable<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(StoreError::Unavailable(cause)) => cause,
        other => panic!("expected an unavailable database, got {other:?}"),
    }
}

#[track_caller]
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result {
        Err(StoreError::Failed(cause)) => cause,
        other => panic!("expected a failure, got {other:?}"),
    }
}
