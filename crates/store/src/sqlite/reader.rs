//! Reader threads, the part of the connection pool that serves reads.

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::begin_commit::{begin_reading, undo};
use super::connection;
use super::queue::{Queue, TaskReceiver};
use super::task::Task;
use super::url::SqliteUrl;
use crate::error::{Error, Result};

/// Maximum reads that share a transaction.
const MAX_SHARED_READS: usize = 16;

/// Starts the threads, each with its own connection. They end when the queue is dropped.
///
/// Each thread holds the writer's queue, so that the writer ends last: the last connection to close cleans up the
/// write-ahead log, which a read-only connection cannot do.
pub(super) async fn start(location: &SqliteUrl, writer: &Queue<Task>) -> Result<Queue<Task>> {
    let (queue, waiting) = Queue::new();
    let count = std::thread::available_parallelism().map_or(2, |count| count.get().max(2));
    for number in 0..count {
        start_one(location.clone(), number, waiting.clone(), count, writer.clone()).await?;
    }
    Ok(queue)
}

async fn start_one(
    location: SqliteUrl,
    number: usize,
    waiting: TaskReceiver<Task>,
    count: usize,
    writer: Queue<Task>,
) -> Result<()> {
    let (ready, opened) = oneshot::channel();
    let thread = std::thread::Builder::new().name(format!("store-reader-{number}"));
    let spawned = thread.spawn(move || match connection::open_reader(&location) {
        Ok(connection) => {
            ready.send(Ok(())).ok();
            while let Some(first) = waiting.next() {
                read(&connection, first, &waiting, count);
            }
            drop(connection);
            drop(writer);
        }
        Err(error) => {
            ready.send(Err(error)).ok();
        }
    });
    spawned.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
    opened
        .await
        .map_err(|_| Error::Failed("a reader ended while it opened the database".to_owned()))?
}

/// Runs a read, and in the same transaction a fair share of the queued reads: beginning and ending a transaction
/// takes as long as finding a row.
///
/// All of them were queued before the transaction began, so each sees everything committed before it was sent.
fn read(connection: &Connection, first: Task, waiting: &TaskReceiver<Task>, readers: usize) {
    let share = waiting.count().div_ceil(readers).min(MAX_SHARED_READS - 1);
    let others: Vec<Task> = std::iter::from_fn(|| waiting.next_now()).take(share).collect();
    let is_shared = !others.is_empty() && begin_reading(connection).is_ok();
    for task in std::iter::once(first).chain(others) {
        // Only reads are sent to this queue, and the connection is read-only.
        if let Task::Read(work) = task {
            work(connection);
        }
    }
    if is_shared {
        undo(connection);
    }
}
