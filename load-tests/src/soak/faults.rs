//! Faults of the database.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::json;
use tokio::time::Instant;

use crate::client::Client;
use crate::database::{Database, DatabaseKind};
use crate::failure::Failure;
use crate::soak::answers::FaultWindow;

/// Maximum time from the end of a fault until requests succeed again.
const MAX_RECOVERY: Duration = Duration::from_secs(10);
/// Rounds of requests that must succeed in a row.
const SUCCESSES: u32 = 3;
/// Interval between these rounds.
const PROBE_INTERVAL: Duration = Duration::from_millis(100);

/// A fault that another program causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// All processes of the database server are suspended.
    Freeze,
    /// The database server ends all connections.
    Terminate,
    /// A transaction locks the comments against reads and writes; on SQLite the database against writes.
    Lock,
    /// The database server crashes and starts again.
    Crash,
    /// A transaction that reads for long, so that no checkpoint can reset the log of SQLite.
    LongRead,
}

impl Fault {
    fn of(kind: DatabaseKind) -> &'static [Self] {
        match kind {
            DatabaseKind::Sqlite => &[Self::Lock, Self::LongRead],
            DatabaseKind::Postgres => &[Self::Freeze, Self::Terminate, Self::Lock, Self::Crash],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Freeze => "frozen database",
            Self::Terminate => "ended connections",
            Self::Lock => "lock",
            Self::Crash => "crash of the database",
            Self::LongRead => "long read",
        }
    }

    /// Causes the fault for a time.
    async fn cause(self, database: &Arc<Database>, time: Duration) -> Result<(), Failure> {
        match self {
            Self::Freeze => {
                if let Database::Postgres(cluster) = &**database {
                    let _frozen = cluster.freeze()?;
                    tokio::time::sleep(time).await;
                }
            }
            Self::Terminate => database.terminate_connections().await?,
            Self::Lock => {
                let _lock = database.lock_comments().await?;
                tokio::time::sleep(time).await;
            }
            Self::Crash => {
                let database = Arc::clone(database);
                tokio::task::spawn_blocking(move || database.crash()).await??;
            }
            Self::LongRead => {
                let _read = database.read_for_long()?;
                tokio::time::sleep(time).await;
            }
        }
        Ok(())
    }
}

/// Causes faults at random times, each kind equally often, until the end of the load.
pub(crate) async fn cause_faults(
    kind: DatabaseKind,
    database: &Arc<Database>,
    client: &Client,
    random: &mut StdRng,
    time: Duration,
) -> Result<Vec<FaultWindow>, Failure> {
    let end = Instant::now() + time;
    // Half of a short run is free of faults, and much more of a long one.
    let pause = (time / 10).clamp(Duration::from_secs(2), Duration::from_secs(20));
    let mut windows = Vec::new();
    let mut faults = Vec::new();
    loop {
        tokio::time::sleep(pause.mul_f64(random.random_range(0.5..1.5))).await;
        let length = Duration::from_millis(random.random_range(1000..4000));
        if Instant::now() + length + pause > end {
            tokio::time::sleep_until(end).await;
            return Ok(windows);
        }
        if faults.is_empty() {
            faults = Fault::of(kind).to_vec();
            faults.shuffle(random);
        }
        if let Some(fault) = faults.pop() {
            let window = watch(fault, database, client, length).await?;
            eprintln!(
                "{}: {}, recovery {:?}",
                kind.name(),
                window.fault,
                window.recovery()
            );
            windows.push(window);
        }
    }
}

/// Causes a fault and waits for the recovery.
async fn watch(
    fault: Fault,
    database: &Arc<Database>,
    client: &Client,
    length: Duration,
) -> Result<FaultWindow, Failure> {
    let begin = Instant::now();
    fault.cause(database, length).await?;
    let end = Instant::now();
    let (mut successes, mut recovered) = (0, end);
    while successes < SUCCESSES && end.elapsed() < MAX_RECOVERY {
        if works(client).await {
            if successes == 0 {
                recovered = Instant::now();
            }
            successes += 1;
        } else {
            successes = 0;
        }
        tokio::time::sleep(PROBE_INTERVAL).await;
    }
    Ok(FaultWindow {
        fault: fault.name(),
        begin,
        end,
        recovered: (successes == SUCCESSES).then_some(recovered),
    })
}

/// Whether a short read, a search and a write succeed.
async fn works(client: &Client) -> bool {
    let body = json!({"summary": "A summary"});
    let read = client.get("/api/v1/articles/1").await;
    let search = client
        .get("/api/v1/articles/1/comments?body[contains]=comment")
        .await;
    let write = client.send_json(Method::PATCH, "/api/v1/articles/1", body).await;
    [read, search, write]
        .iter()
        .all(|response| matches!(response, Ok((200, _))))
}
