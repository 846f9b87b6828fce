//! The writer thread, the only one of the connection pool that writes.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::counters::Counters;
use super::files::DatabaseFiles;
use super::foreign_commits::{ForeignCommits, OwnCommits};
use super::queue::{Queue, QueueWatch, TaskReceiver};
use super::task::Task;
use super::url::SqliteUrl;
use super::{checkpoint, connection, group_commit, transaction};
use crate::error::{Error, Result};

/// The started thread.
pub(super) struct StartedWriter {
    pub(super) queue: Queue<Task>,
    pub(super) watch: QueueWatch<Task>,
    /// Commits of other processes, if they can be noticed.
    pub(super) foreign_commits: Option<Arc<ForeignCommits>>,
    /// Files of the database, unless it is in memory.
    pub(super) files: Option<DatabaseFiles>,
}

/// Starts the thread, which opens the database. It ends when the queue is dropped and empty.
pub(super) async fn start(location: &SqliteUrl, counters: &Arc<Counters>) -> Result<StartedWriter> {
    let (queue, waiting) = Queue::new();
    let watch = QueueWatch::new(&queue, &waiting);
    let counters = Arc::clone(counters);
    let (ready, opened) = oneshot::channel();
    let location = location.clone();
    let thread = std::thread::Builder::new().name("store-writer".to_owned());
    let spawned = thread.spawn(move || match connection::open_writer(&location) {
        Ok(connection) => {
            let file = location.file.as_deref();
            let foreign = ForeignCommits::open(file).map(Arc::new);
            let files = file.map(DatabaseFiles::of);
            if let Some(files) = &files {
                files.damage.watch();
            }
            ready.send(Ok((foreign.clone(), files.clone()))).ok();
            let files = FileCheck {
                files,
                is_reported: false,
            };
            run(connection, &waiting, files, foreign.as_deref(), &counters);
        }
        Err(error) => {
            ready.send(Err(error)).ok();
        }
    });
    spawned.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
    let (foreign_commits, files) = opened
        .await
        .map_err(|_| Error::Failed("the writer ended while it opened the database".to_owned()))??;
    Ok(StartedWriter {
        queue,
        watch,
        foreign_commits,
        files,
    })
}

fn run(
    mut connection: Connection,
    waiting: &TaskReceiver<Task>,
    mut files: FileCheck,
    foreign: Option<&ForeignCommits>,
    counters: &Counters,
) {
    let _running = counters.writer.start();
    let commits = OwnCommits::new(&connection, foreign);
    let mut next = None;
    while let Some(task) = next.take().or_else(|| waiting.next()) {
        let _working = counters.writer.work();
        match task {
            Task::Read(work) => work(Ok(&connection)),
            Task::Write(write) => {
                next = match files.check(&connection) {
                    Ok(()) => group_commit::commit(&connection, &commits, write, waiting, counters),
                    Err(gone) => group_commit::fail(write, &gone, waiting),
                }
            }
            Task::Exclusive(work) => {
                // Not refused: it may be the one that copies the log to the file.
                files.check(&connection).ok();
                work(Ok(&mut connection));
                commits.record(&connection);
            }
            Task::Begin(reply) => match files.check(&connection) {
                Ok(()) => {
                    if let Err(error) = transaction::serve(&connection, &commits, reply) {
                        next = group_commit::fail_queued(&error, waiting);
                    }
                }
                Err(gone) => {
                    reply.send(Err(gone)).ok();
                }
            },
            // Only transactions drive futures.
            Task::Drive(_) | Task::Wake => {}
            Task::Commit(reply) => transaction::reject(reply, "no transaction is open"),
            Task::Rollback(reply) => reply
                .into_iter()
                .for_each(|reply| transaction::reject(reply, "no transaction is open")),
        }
    }
    if let Some(files) = &files.files {
        checkpoint::set_log_aside(&files.identity);
    }
    // Closed while the thread still counts as running, so that its end can be awaited.
    drop(connection);
}

/// Check of the database's files before each write and each exclusive task.
struct FileCheck {
    files: Option<DatabaseFiles>,
    is_reported: bool,
}

impl FileCheck {
    fn check(&mut self, connection: &Connection) -> Result<()> {
        let Some(DatabaseFiles { identity, damage }) = &self.files else {
            return Ok(());
        };
        let checked = identity.check();
        if let Err(cause) = &checked {
            if !self.is_reported {
                checkpoint::report_changed_files(connection, identity, cause);
                self.is_reported = true;
            }
            checkpoint::set_log_aside(identity);
        }
        checked.and_then(|()| damage.check())
    }
}
