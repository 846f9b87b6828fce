//! Reader threads, the part of the connection pool that serves reads.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::begin_commit::{begin_reading, undo};
use super::connection;
use super::counters::{Counters, ThreadCounter};
use super::files::DatabaseFiles;
use super::queue::{Queue, QueueWatch, TaskReceiver};
use super::task::Task;
use super::url::SqliteUrl;
use crate::error::{Error, Result};

/// Maximum reads that share a transaction.
const MAX_SHARED_READS: usize = 16;
/// Maximum searches that wait; further ones are refused.
const MAX_WAITING_SEARCHES: usize = 64;

/// Kind of reads that a thread serves. Short reads never wait for searches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReaderKind {
    /// Reads that take about as long as finding a row by its key.
    Short,
    /// All others, one at a time.
    Search,
}

impl ReaderKind {
    fn threads(self, location: &SqliteUrl) -> usize {
        match self {
            Self::Short => location.readers,
            Self::Search => location.searches,
        }
    }

    fn thread_name(self, number: usize) -> String {
        match self {
            Self::Short => format!("store-reader-{number}"),
            Self::Search => format!("store-search-{number}"),
        }
    }

    fn counter(self, counters: &Counters) -> &ThreadCounter {
        match self {
            Self::Short => &counters.readers,
            Self::Search => &counters.searchers,
        }
    }
}

/// Queue, location and counters of the threads of one kind.
#[derive(Clone)]
struct Reader {
    kind: ReaderKind,
    location: SqliteUrl,
    files: Option<DatabaseFiles>,
    waiting: TaskReceiver<Task>,
    counters: Arc<Counters>,
    /// Held so that the writer ends last: the last connection to close cleans up the write-ahead log, which a
    /// read-only connection cannot do.
    _writer: Queue<Task>,
}

/// Starts the threads of a kind, each with its own connection. They end when the queue is dropped.
pub(super) async fn start(
    kind: ReaderKind,
    location: &SqliteUrl,
    files: &Option<DatabaseFiles>,
    writer: &Queue<Task>,
    counters: &Arc<Counters>,
) -> Result<(Queue<Task>, QueueWatch<Task>)> {
    let (queue, waiting) = match kind {
        ReaderKind::Short => Queue::new(),
        ReaderKind::Search => Queue::refusing(MAX_WAITING_SEARCHES),
    };
    let watch = QueueWatch::new(&queue, &waiting);
    let reader = Reader {
        kind,
        location: location.clone(),
        files: files.clone(),
        waiting,
        counters: Arc::clone(counters),
        _writer: writer.clone(),
    };
    for number in 0..kind.threads(location) {
        reader.clone().start(number).await?;
    }
    Ok((queue, watch))
}

impl Reader {
    async fn start(self, number: usize) -> Result<()> {
        let (ready, opened) = oneshot::channel();
        let thread = std::thread::Builder::new().name(self.kind.thread_name(number));
        let spawned = thread.spawn(move || match connection::open_reader(&self.location) {
            Ok(connection) => {
                ready.send(Ok(())).ok();
                self.run(connection);
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

    /// Serves the queue until it is closed. The connection is closed before the writer's queue is dropped with `self`.
    fn run(&self, connection: Connection) {
        if let Some(files) = &self.files {
            files.damage.watch();
        }
        let counter = self.kind.counter(&self.counters);
        let _running = counter.start();
        while let Some(first) = self.waiting.next() {
            let _working = counter.work();
            match self.kind {
                ReaderKind::Short => self.read(&connection, first),
                ReaderKind::Search => read_alone(&connection, first),
            }
        }
        drop(connection);
    }

    /// Runs a read, and in the same transaction a fair share of the queued reads: beginning and ending a transaction
    /// takes as long as finding a row.
    ///
    /// All of them were queued before the transaction began, so each sees everything committed before it was sent.
    fn read(&self, connection: &Connection, first: Task) {
        let share = self.waiting.count().div_ceil(self.location.readers);
        let others = std::iter::from_fn(|| self.waiting.next_now());
        let others: Vec<Task> = others.take(share.min(MAX_SHARED_READS - 1)).collect();
        let is_shared = !others.is_empty() && begin_reading(connection).is_ok();
        for task in std::iter::once(first).chain(others) {
            read_alone(connection, task);
        }
        if is_shared {
            undo(connection);
        }
    }
}

/// Runs a task. Only reads are sent to this queue, and the connection is read-only.
fn read_alone(connection: &Connection, task: Task) {
    if let Task::Read(work) = task {
        work(Ok(connection));
    }
}
