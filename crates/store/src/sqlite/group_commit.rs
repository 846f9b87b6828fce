//! Group commit: queued writes share one transaction, and each gets its own result.

use rusqlite::Connection;

use super::begin_commit::begin;
use super::counters::Counters;
use super::foreign_commits::OwnCommits;
use super::queue::TaskReceiver;
use super::task::{Task, WriteJob};
use crate::error::Error;

/// Maximum writes per group commit.
const MAX_GROUP: usize = 128;

/// Runs a write and the writes queued behind it in one transaction, and answers them after its commit.
///
/// A failing write undoes only itself, since it is one statement. If the whole transaction is rolled back, by a
/// schema constraint or at its commit, each write is retried in a separate transaction, so that no write fails
/// because of another. Returns the first task that is not a write.
pub(super) fn commit(
    connection: &Connection,
    commits: &OwnCommits<'_>,
    first: Box<dyn WriteJob>,
    waiting: &TaskReceiver<Task>,
    counters: &Counters,
) -> Option<Task> {
    if let Err(error) = begin(connection) {
        return fail(first, &error, waiting);
    }
    let (mut writes, mut next) = (Vec::new(), Some(Task::Write(first)));
    while let Some(Task::Write(mut write)) = next {
        write.run(connection);
        writes.push(write);
        let enough = writes.len() == MAX_GROUP || connection.is_autocommit();
        next = if enough { None } else { waiting.next_now() };
    }
    counters.groups.count(writes.len());
    match (commits.commit(connection), writes.len()) {
        (Err(_), 2..) => writes
            .into_iter()
            .for_each(|write| commit_alone(connection, commits, write)),
        (outcome, _) => writes.into_iter().for_each(|write| write.answer(outcome.clone())),
    }
    next
}

fn commit_alone(connection: &Connection, commits: &OwnCommits<'_>, mut write: Box<dyn WriteJob>) {
    let outcome = begin(connection).and_then(|()| {
        write.run(connection);
        commits.commit(connection)
    });
    write.answer(outcome);
}

/// Fails a write and those that are queued.
pub(super) fn fail(first: Box<dyn WriteJob>, error: &Error, waiting: &TaskReceiver<Task>) -> Option<Task> {
    first.answer(Err(error.clone()));
    fail_queued(error, waiting)
}

/// Fails all queued writes and transactions: each would otherwise wait as long again for the same lock. Returns the first
/// task that is neither.
pub(super) fn fail_queued(error: &Error, waiting: &TaskReceiver<Task>) -> Option<Task> {
    // No more than are queued now: callers that repeat a write at once would otherwise keep this going.
    for _ in 0..waiting.count() {
        match waiting.next_now()? {
            Task::Write(write) => write.answer(Err(error.clone())),
            Task::Begin(reply) => {
                reply.send(Err(error.clone())).ok();
            }
            other => return Some(other),
        }
    }
    None
}
