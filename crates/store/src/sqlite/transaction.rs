//! Open transactions: the writer thread serves one of them exclusively until it ends.

use std::time::Duration;

use rusqlite::Connection;

use super::begin_commit::{begin, undo};
use super::drive::Driver;
use super::foreign_commits::OwnCommits;
use super::queue::{Queue, RecvError, Responder};
use super::task::Task;
use crate::error::{Error, Result};

/// Maximum idle time of an open transaction.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// Begins a transaction, answers with its queue, and serves that queue until the transaction ends. Fails if it cannot
/// begin, after the answer.
pub(super) fn serve(
    connection: &Connection,
    commits: &OwnCommits<'_>,
    reply: Responder<Queue<Task>>,
) -> Result<()> {
    if reply.is_closed() {
        return Ok(());
    }
    if let Err(error) = begin(connection) {
        reply.send(Err(error.clone())).ok();
        return Err(error);
    }
    let (queue, waiting) = Queue::new();
    let mut driver = Driver::new(&queue);
    reply.send(Ok(queue)).ok();
    let reason = loop {
        match waiting.next_within(IDLE_TIMEOUT) {
            Ok(Task::Commit(reply)) => {
                reply.send(commits.commit(connection)).ok();
                break ended();
            }
            Ok(Task::Rollback(reply)) => {
                undo(connection);
                reply.map(|reply| reply.send(Ok(())));
                break ended();
            }
            Ok(Task::Drive(future)) => driver.start(future),
            Ok(Task::Wake) => driver.poll(),
            Ok(task) => run(connection, task),
            Err(RecvError::TimedOut) => {
                tracing::warn!(
                    "rolled back a transaction that was idle for {} s",
                    IDLE_TIMEOUT.as_secs()
                );
                break Error::Unavailable("the transaction timed out".to_owned());
            }
            Err(RecvError::Disconnected) => break ended(),
        }
        if connection.is_autocommit() {
            break Error::Failed("the database rolled the transaction back".to_owned());
        }
    };
    undo(connection);
    waiting.end(reason);
    // After the end, so that its calls fail with the reason.
    drop(driver);
    Ok(())
}

/// Runs a task inside of a transaction, apart from those that end it.
pub(super) fn run(connection: &Connection, task: Task) {
    match task {
        Task::Read(work) => work(Ok(connection)),
        Task::Write(mut write) => {
            write.run(connection);
            write.answer(Ok(()));
        }
        Task::Exclusive(work) => work(Err(Error::Failed(
            "migrations and new tables manage their own transactions: run them outside of this one"
                .to_owned(),
        ))),
        Task::Begin(reply) => reject(reply, "a transaction is open already"),
        Task::Drive(_) | Task::Wake | Task::Commit(_) | Task::Rollback(_) => {}
    }
}

/// Error for a call after the transaction has ended: a bug in the program, which a retry does not fix.
pub(super) fn ended() -> Error {
    Error::Failed("the transaction has ended".to_owned())
}

/// Rejects a task that is invalid in this state.
pub(super) fn reject<T>(reply: Responder<T>, reason: &str) {
    let rejection: Result<T> = Err(Error::Failed(reason.to_owned()));
    reply.send(rejection).ok();
}
