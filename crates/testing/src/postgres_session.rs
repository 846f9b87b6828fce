//! A connection to PostgreSQL for SQL by hand.

use std::sync::mpsc;
use std::thread;

use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Rows of a statement, whose values are texts, or null.
type Rows = Vec<Vec<Option<String>>>;

/// Connection to PostgreSQL for statements that bypass the application, such as those of another program. It has a thread
/// of its own, so that it works in and outside of a runtime.
pub struct PostgresSession {
    ask: Option<mpsc::Sender<String>>,
    answers: mpsc::Receiver<Result<Rows, String>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl PostgresSession {
    /// Connects to a database.
    pub fn open(url: &str) -> Self {
        let (ask, asked) = mpsc::channel::<String>();
        let (answer, answers) = mpsc::channel();
        let url = url.to_owned();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be built");
            runtime.block_on(async {
                let client = match connect(&url).await {
                    Ok(client) => client,
                    Err(error) => {
                        let _ = answer.send(Err(error));
                        return;
                    }
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

    /// Runs statements and returns their rows.
    ///
    /// # Panics
    /// If a statement fails, or if the connection did.
    #[track_caller]
    pub fn query(&self, sql: &str) -> Rows {
        let answer = self.try_query(sql);
        answer.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Runs statements and returns their rows, or the error of the first that fails.
    pub fn try_query(&self, sql: &str) -> Result<Rows, String> {
        // A thread that failed to connect has ended, and its reply has the reason.
        let _ = self.ask.as_ref().map(|ask| ask.send(sql.to_owned()));
        let answer = self.answers.recv();
        answer.unwrap_or_else(|_| Err("the connection has ended".to_owned()))
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        drop(self.ask.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresSession").finish_non_exhaustive()
    }
}

async fn connect(url: &str) -> Result<Client, String> {
    let connected = tokio_postgres::connect(url, NoTls).await;
    let (client, connection) = connected.map_err(|error| described(&error))?;
    tokio::spawn(connection);
    Ok(client)
}

async fn run(client: &Client, sql: &str) -> Result<Rows, String> {
    let messages = client
        .simple_query(sql)
        .await
        .map_err(|error| described(&error))?;
    let rows = messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            let cells = (0..row.len()).map(|column| row.get(column).map(str::to_owned));
            Some(cells.collect())
        }
        _ => None,
    });
    Ok(rows.collect())
}

fn described(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => error.to_string(),
        None => format!("{error:?}"),
    }
}
