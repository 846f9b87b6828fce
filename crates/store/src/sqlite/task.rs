//! What is asked of a thread, and how it answers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;

use super::queue::{Queue, Responder};
use crate::error::{Error, Result};

/// What is asked of a thread.
pub(super) enum Task {
    /// Something that changes nothing.
    Read(Box<dyn FnOnce(&Connection) + Send>),
    /// Something that changes rows and is answered when that is permanent.
    Write(Box<dyn WriteJob>),
    /// Something with transactions of its own, such as migrations.
    Exclusive(ExclusiveJob),
    /// To serve nothing but the queue that is the answer, in one transaction.
    Begin(Responder<Queue<Task>>),
    /// To make that transaction permanent.
    Commit(Responder<()>),
    /// To undo it.
    Rollback(Option<Responder<()>>),
}

/// Work that is given the whole connection, or the reason why it is not.
type ExclusiveJob = Box<dyn FnOnce(Result<&mut Connection>) + Send>;

/// A change of rows. It runs again if what it did was undone together with the changes of others.
pub(super) trait WriteJob: Send {
    fn run(&mut self, connection: &Connection);
    /// Tells whoever asked, once it is known whether the change is permanent.
    fn answer(self: Box<Self>, committed: Result<()>);
}

impl Task {
    pub(super) fn read<T, F>(work: F, reply: Responder<T>) -> Self
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        Self::Read(Box::new(move |connection| {
            if !reply.is_closed() {
                reply.send(guarded(|| work(connection))).ok();
            }
        }))
    }

    pub(super) fn write<T, F>(work: F, reply: Responder<T>) -> Self
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        Self::Write(Box::new(PendingWrite {
            work,
            result: None,
            reply,
        }))
    }

    pub(super) fn exclusive<T, F>(work: F, reply: Responder<T>) -> Self
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        Self::Exclusive(Box::new(move |connection| {
            reply.send(guarded(|| work(connection?))).ok();
        }))
    }
}

struct PendingWrite<T, F> {
    work: F,
    result: Option<Result<T>>,
    reply: Responder<T>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T> + Send> WriteJob for PendingWrite<T, F> {
    fn run(&mut self, connection: &Connection) {
        // A change that has not begun and that nobody waits for is not begun: its client was told that it took too long.
        if !self.reply.is_closed() || self.result.is_some() {
            self.result = Some(guarded(|| (self.work)(connection)));
        }
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let result = match (self.result, committed) {
            (Some(result), committed) => result.and_then(|value| committed.map(|()| value)),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(Error::Failed("the change was not tried".to_owned())),
        };
        self.reply.send(result).ok();
    }
}

/// A panic in someone's work is that one's failure; the thread goes on.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::panicked(panic.as_ref())))
}
