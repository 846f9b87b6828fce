//! Direct access to PostgreSQL: temporary databases and their contents.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::{Client, NoTls, SimpleQueryMessage, SimpleQueryRow};

/// Prefix of the names of all test databases. The second of their creation follows.
const PREFIX: &str = "test_support_";

/// Age in seconds after which a database is taken for a leftover of a killed run.
const OLD: u64 = 60 * 60;

/// A new database, dropped together with this value.
pub(crate) struct TemporaryDatabase {
    name: String,
    /// Kept open, since connecting takes longer than most statements.
    session: OnceLock<Mutex<PostgresSession>>,
}

impl TemporaryDatabase {
    pub(crate) fn create() -> Self {
        static SWEPT: Once = Once::new();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        SWEPT.call_once(sweep);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}_{}_{count}", now(), std::process::id());
        PostgresSession::open(server()).query(format!("CREATE DATABASE {name}"));
        Self {
            name,
            session: OnceLock::new(),
        }
    }

    /// Returns the URL for programs: that of the pooler, if the tests have one.
    pub(crate) fn url(&self) -> String {
        match std::env::var("TEST_POOLER_URL") {
            Ok(pooler) => url_of(&pooler, &self.name),
            Err(_) => self.direct_url(),
        }
    }

    /// Returns the URL at the server itself.
    pub(crate) fn direct_url(&self) -> String {
        url_of(&server(), &self.name)
    }

    /// Returns every row of every table as text.
    pub(crate) fn rows(&self) -> Vec<String> {
        let tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
        // The escape format leaves a secret in the bytes readable.
        let mut sql = "SET bytea_output = 'escape';".to_owned();
        for table in self.query(tables) {
            let table = table.get(0).unwrap();
            sql += &format!("SELECT '{table}', * FROM \"{table}\" ORDER BY 2;");
        }
        let text = |row: &SimpleQueryRow| {
            let cells: Vec<String> = (1..row.len())
                .map(|column| format!("{:?}", row.get(column)))
                .collect();
            format!("{}: {}", row.get(0).unwrap(), cells.join(", "))
        };
        self.query(&sql).iter().map(text).collect()
    }

    /// Returns the columns of all tables as `table.column`.
    pub(crate) fn columns(&self) -> Vec<String> {
        let sql = "SELECT table_name || '.' || column_name FROM information_schema.columns \
                   WHERE table_schema = 'public'";
        let name = |row: &SimpleQueryRow| row.get(0).unwrap().to_owned();
        self.query(sql).iter().map(name).collect()
    }

    /// Returns the first column of the first row.
    pub(crate) fn value(&self, sql: &str) -> String {
        self.query(sql)[0].get(0).unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn query(&self, sql: &str) -> Vec<SimpleQueryRow> {
        let session = self
            .session
            .get_or_init(|| Mutex::new(PostgresSession::open(self.direct_url())));
        let session = session.lock().unwrap_or_else(PoisonError::into_inner);
        session.query(sql.to_owned())
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        // A server that the test left running may still be connected.
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        if let Err(error) = PostgresSession::open(server()).try_query(sql) {
            eprintln!("{} is left over: {error:?}", self.name);
        }
    }
}

/// Drops leftover databases.
fn sweep() {
    let sql = format!("SELECT datname FROM pg_database WHERE starts_with(datname, '{PREFIX}')");
    let session = PostgresSession::open(server());
    for row in session.query(sql) {
        let name = row.get(0).unwrap();
        let made: Option<u64> = name[PREFIX.len()..]
            .split('_')
            .next()
            .and_then(|second| second.parse().ok());
        if made.is_some_and(|made| made + OLD < now()) {
            // Another run may drop it at the same time.
            session.query(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Returns the URL of the server on which databases are created.
fn server() -> String {
    std::env::var("TEST_POSTGRES_URL").expect(
        "TEST_DATABASE=postgres needs a server in TEST_POSTGRES_URL; \
         `cargo xtask postgres cargo test -p model-resource` starts one",
    )
}

/// Returns the URL of another database on the same server.
fn url_of(server: &str, database: &str) -> String {
    let (address, options) = match server.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (server, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..]
        .find('/')
        .map_or(address.len(), |at| authority + at);
    format!("{}/{database}{options}", &address[..end])
}

/// A connection on a separate thread, so that it can be used inside a test's runtime.
pub(crate) struct PostgresSession {
    ask: Option<mpsc::Sender<String>>,
    answers: mpsc::Receiver<Result<Vec<SimpleQueryRow>, tokio_postgres::Error>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl PostgresSession {
    pub(crate) fn open(url: String) -> Self {
        let (ask, asked) = mpsc::channel::<String>();
        let (answer, answers) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let client = match connect(&url).await {
                    Ok(client) => client,
                    Err(error) => return answer.send(Err(error)).unwrap(),
                };
                for sql in asked {
                    let _ = answer.send(run(&client, &sql).await);
                }
            });
        });
        Self {
            ask: Some(ask),
            answers,
            thread: Some(thread),
        }
    }

    #[track_caller]
    pub(crate) fn query(&self, sql: String) -> Vec<SimpleQueryRow> {
        let answer = self.try_query(sql.clone());
        answer.unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    }

    fn try_query(&self, sql: String) -> Result<Vec<SimpleQueryRow>, tokio_postgres::Error> {
        // A thread that failed to connect has ended, and its reply has the reason.
        let _ = self.ask.as_ref().unwrap().send(sql);
        self.answers.recv().unwrap()
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        drop(self.ask.take());
        let _ = self.thread.take().unwrap().join();
    }
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn run(client: &Client, sql: &str) -> Result<Vec<SimpleQueryRow>, tokio_postgres::Error> {
    let messages = client.simple_query(sql).await?;
    let rows = messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    Ok(rows.collect())
}
