//! Group commit: the writes that wait become permanent together, and each is answered for itself.

use rusqlite::Connection;

use super::begin_commit::{begin, end};
use super::queue::TaskReceiver;
use super::task::{Task, WriteJob};
use crate::error::Error;

/// So many writes at most become permanent together.
const MAX_GROUP: usize = 128;

/// Runs a write and those that wait behind it in one transaction, and answers them when it is permanent.
///
/// A write that fails undoes itself alone, since it is one statement. If the whole transaction is undone, by a rule of
/// the schema or at its commit, each write gets a transaction of its own, so that none fails for another's fault.
/// Gives the first task back that is no write.
pub(super) fn commit(
    connection: &Connection,
    first: Box<dyn WriteJob>,
    waiting: &TaskReceiver<Task>,
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
    match (end(connection), writes.len()) {
        (Err(_), 2..) => writes
            .into_iter()
            .for_each(|write| commit_alone(connection, write)),
        (outcome, _) => writes.into_iter().for_each(|write| write.answer(outcome.clone())),
    }
    next
}

fn commit_alone(connection: &Connection, mut write: Box<dyn WriteJob>) {
    let outcome = begin(connection).and_then(|()| {
        write.run(connection);
        end(connection)
    });
    write.answer(outcome);
}

/// Tells all that wait by now: each would wait as long again for the lock that this one did not get.
pub(super) fn fail(first: Box<dyn WriteJob>, error: &Error, waiting: &TaskReceiver<Task>) -> Option<Task> {
    let (mut writes, mut next) = (Vec::new(), Some(Task::Write(first)));
    while let Some(Task::Write(write)) = next {
        writes.push(write);
        next = waiting.next_now();
    }
    writes
        .into_iter()
        .for_each(|write| write.answer(Err(error.clone())));
    next
}
