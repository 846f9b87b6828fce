//! Throw-away databases on a PostgreSQL server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use private_postgres::{Cluster, ClusterSettings, Programs};

use crate::environment::DATABASE;
use crate::postgres_session::PostgresSession;

/// Prefix of the names of all test databases. The second of their creation follows.
const PREFIX: &str = "model_resource_test_";

/// Age in seconds after which a database is taken for a leftover of a killed run.
const OLD: u64 = 60 * 60;

/// Time to connect in seconds. The default of the store is short, so that an application leaves a hung server soon.
const CONNECT_SECONDS: u32 = 30;

/// A new database, dropped together with this value.
pub(crate) struct ScratchDatabase {
    name: String,
}

impl ScratchDatabase {
    pub(crate) fn create() -> Self {
        static SWEPT: Once = Once::new();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        SWEPT.call_once(sweep);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}_{}_{count}", now(), std::process::id());
        PostgresSession::open(server()).query(&format!("CREATE DATABASE {name}"));
        Self { name }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn url(&self) -> String {
        self.url_at(server())
    }

    pub(crate) fn url_at(&self, address: &str) -> String {
        url_of(address, &self.name)
    }
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        // A store or a server that the test left running may still be connected.
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        if let Err(error) = PostgresSession::open(server()).try_query(&sql) {
            eprintln!("{} is left over: {error}", self.name);
        }
    }
}

/// Drops leftover databases.
fn sweep() {
    let sql = format!("SELECT datname FROM pg_database WHERE starts_with(datname, '{PREFIX}')");
    let session = PostgresSession::open(server());
    for name in session.query(&sql).into_iter().flatten().flatten() {
        if is_old(&name) {
            // Another run may drop it at the same time.
            let _ = session.try_query(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}

fn is_old(name: &str) -> bool {
    let second = name.strip_prefix(PREFIX).and_then(|rest| rest.split('_').next());
    let made: Option<u64> = second.and_then(|second| second.parse().ok());
    made.is_some_and(|made| made + OLD < now())
}

fn now() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    since_1970.map_or(0, |elapsed| elapsed.as_secs())
}

/// URL of the server on which databases are created.
fn server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| named_server(|name| std::env::var(name).ok()).unwrap_or_else(own_server))
}

/// URL of the server that the environment names.
fn named_server(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(url) = variable("TEST_POSTGRES_URL") {
        return Some(url);
    }
    if let Some(url) = variable(DATABASE).filter(|value| value.contains("://")) {
        return Some(url);
    }
    let host = variable("PGHOST")?.replace('/', "%2F");
    let encoded = |text: String| utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
    let user = variable("PGUSER").map_or_else(|| "postgres".to_owned(), encoded);
    let password = variable("PGPASSWORD").map_or(String::new(), |password| format!(":{}", encoded(password)));
    let port = variable("PGPORT").map_or(String::new(), |port| format!(":{port}"));
    let database = variable("PGDATABASE").map_or_else(|| "postgres".to_owned(), encoded);
    Some(format!("postgres://{user}{password}@{host}{port}/{database}"))
}

/// Starts a server that ends with this process, and returns its URL.
fn own_server() -> String {
    static OWN: OnceLock<Cluster> = OnceLock::new();
    let start = || {
        let programs = Programs::find().expect(
            "tests on PostgreSQL need a server in TEST_POSTGRES_URL or PGHOST, or the programs to start one: \
             install PostgreSQL (on Debian the package `postgresql`)",
        );
        let started = Cluster::start(&std::env::temp_dir(), &programs, &ClusterSettings::default());
        started.unwrap_or_else(|error| panic!("cannot start a PostgreSQL server: {error}"))
    };
    OWN.get_or_init(start).url().to_owned()
}

/// Returns the URL of another database on the same server, with a time to connect that is enough beside many tests.
fn url_of(server: &str, database: &str) -> String {
    let (address, mut options) = match server.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (server, String::new()),
    };
    if !options.contains("connect_timeout=") {
        let separator = if options.is_empty() { '?' } else { '&' };
        options = format!("{options}{separator}connect_timeout={CONNECT_SECONDS}");
    }
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |at| authority + at);
    format!("{}/{database}{options}", &address[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(variables: &[(&str, &str)]) -> Option<String> {
        named_server(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_server_is_that_of_the_environment_if_it_names_one() {
        assert_eq!(named(&[]), None);
        assert_eq!(named(&[("TEST_DATABASE", "postgres")]), None);
        let both = [("TEST_DATABASE", "postgres://a@b/c"), ("PGHOST", "d")];
        assert_eq!(named(&both).as_deref(), Some("postgres://a@b/c"));
        let own = [("TEST_POSTGRES_URL", "postgres://e@f/g"), both[0], both[1]];
        assert_eq!(named(&own).as_deref(), Some("postgres://e@f/g"));
        assert_eq!(
            named(&[("PGHOST", "/run/postgresql")]).as_deref(),
            Some("postgres://postgres@%2Frun%2Fpostgresql/postgres")
        );
        let all = [
            ("PGHOST", "db"),
            ("PGPORT", "5433"),
            ("PGUSER", "ann"),
            ("PGPASSWORD", "a/b@c"),
            ("PGDATABASE", "d"),
        ];
        assert_eq!(named(&all).as_deref(), Some("postgres://ann:a%2Fb%40c@db:5433/d"));
    }

    #[test]
    fn a_database_is_another_one_on_the_same_server() {
        assert_eq!(
            url_of("postgres://a@b:1/c?sslmode=disable", "d"),
            "postgres://a@b:1/d?sslmode=disable&connect_timeout=30"
        );
        assert_eq!(
            url_of("postgres://a@b", "d"),
            "postgres://a@b/d?connect_timeout=30"
        );
        let chosen = "postgres://a@b/d?connect_timeout=2";
        assert_eq!(url_of(chosen, "d"), chosen);
    }

    #[test]
    fn only_old_databases_of_tests_are_swept() {
        assert!(is_old("model_resource_test_1000_1_0"));
        assert!(!is_old(&format!("model_resource_test_{}_1_0", now())));
        assert!(!is_old("model_resource_test_") && !is_old("customers_1000"));
    }
}
