//! Databases of the examples: SQLite in memory, or PostgreSQL with `TEST_DATABASE=postgres`.

use std::sync::Once;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Prefix of all databases of these tests, followed by the time of creation in seconds.
const PREFIX: &str = "test_examples_";

/// Age in seconds after which a database was left over by a killed run.
const OLD: u64 = 60 * 60;

/// New database for an example.
pub(crate) enum Database {
    Memory,
    /// Name of a database on the server at `TEST_POSTGRES_URL`, dropped with this value.
    Postgres(String),
}

impl Database {
    /// Creates a database for the example of this name.
    pub(crate) fn fresh(example: &str) -> Self {
        match std::env::var("TEST_DATABASE").as_deref() {
            Err(_) | Ok("sqlite") => Self::Memory,
            Ok("postgres") => {
                static SWEPT: Once = Once::new();
                SWEPT.call_once(sweep);
                let name = format!("{PREFIX}{}_{}_{example}", now(), std::process::id());
                ask(&format!("CREATE DATABASE {name}"));
                Self::Postgres(name)
            }
            Ok(other) => panic!("TEST_DATABASE is sqlite or postgres, not {other:?}"),
        }
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Memory => "sqlite::memory:".to_owned(),
            Self::Postgres(name) => {
                let server = server();
                let (place, options) = server.split_once('?').unwrap_or((&server, ""));
                let (place, _) = place.rsplit_once('/').expect("the URL names a database");
                format!("{place}/{name}?{options}")
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres(name) = self {
            ask(&format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

/// Drops the databases that were left over.
fn sweep() {
    let sql = format!("SELECT datname FROM pg_database WHERE starts_with(datname, '{PREFIX}')");
    for name in ask(&sql) {
        let made = name[PREFIX.len()..].split('_').next();
        let made: Option<u64> = made.and_then(|second| second.parse().ok());
        if made.is_some_and(|made| made + OLD < now()) {
            ask(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("it is later than 1970").as_secs()
}

fn server() -> String {
    std::env::var("TEST_POSTGRES_URL").expect(
        "TEST_DATABASE=postgres needs a server in TEST_POSTGRES_URL; \
         `cargo xtask postgres cargo test -p model-resource` starts one",
    )
}

/// Returns the first column of the result.
fn ask(sql: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&server(), NoTls)
            .await
            .expect("the server accepts connections");
        tokio::spawn(connection);
        let messages = client.simple_query(sql).await;
        let messages = messages.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        let rows = messages.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        rows.collect()
    })
}
