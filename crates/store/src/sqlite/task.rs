//! Tasks of the threads, and their results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use rusqlite::Connection;

use super::queue::{Queue, QueuedTask, Responder};
use crate::error::{Error, Result};

/// A task for a thread.
pub(super) enum Task {
    /// Reads, without changes.
    Read(ReadJob),
    /// Changes rows; answered after the commit.
    Write(Box<dyn WriteJob>),
    /// Manages its own transactions, such as migrations.
    Exclusive(ExclusiveJob),
    /// Polls a future on the thread, between its statements.
    Drive(DrivenFuture),
    /// Polls the driven future again.
    Wake,
    /// Begins a transaction. The result is the queue that the thread serves exclusively until its end.
    Begin(Responder<Queue<Task>>),
    /// Commits that transaction.
    Commit(Responder<()>),
    /// Rolls that transaction back.
    Rollback(Option<Responder<()>>),
}

/// A read that gets the connection, or the reason why it cannot.
type ReadJob = Box<dyn FnOnce(Result<&Connection>) + Send>;

/// Work that gets the whole connection, or the reason why it cannot.
type ExclusiveJob = Box<dyn FnOnce(Result<&mut Connection>) + Send>;

/// A future that sends its own result.
pub(super) type DrivenFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A change of rows. Runs again if its group commit was rolled back.
pub(super) trait WriteJob: Send {
    fn run(&mut self, connection: &Connection);
    /// Answers the caller once the outcome of the commit is known.
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
                reply.send(guarded(|| work(connection?))).ok();
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

impl QueuedTask for Task {
    /// Migrations wait as long as it takes, and the end of a transaction is never left out.
    fn expires(&self) -> bool {
        match self {
            Self::Read(_) | Self::Write(_) | Self::Begin(_) => true,
            Self::Exclusive(_) | Self::Drive(_) | Self::Wake | Self::Commit(_) | Self::Rollback(_) => false,
        }
    }

    fn refuse(self, error: Error) {
        match self {
            Self::Read(work) => work(Err(error)),
            Self::Write(write) => write.answer(Err(error)),
            Self::Exclusive(work) => work(Err(error)),
            Self::Begin(reply) => drop(reply.send(Err(error))),
            Self::Commit(reply) | Self::Rollback(Some(reply)) => drop(reply.send(Err(error))),
            // The caller of the future learns that it was dropped.
            Self::Drive(_) | Self::Wake | Self::Rollback(None) => {}
        }
    }
}

struct PendingWrite<T, F> {
    work: F,
    result: Option<Result<T>>,
    reply: Responder<T>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T> + Send> WriteJob for PendingWrite<T, F> {
    fn run(&mut self, connection: &Connection) {
        // A change that has not begun is skipped if its caller is gone: the client was already answered with a
        // timeout.
        if !self.reply.is_closed() || self.result.is_some() {
            self.result = Some(guarded(|| (self.work)(connection)));
        }
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let result = match (self.result, committed) {
            (Some(result), committed) => result.and_then(|value| committed.map(|()| value)),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Err(Error::Failed("the write was not attempted".to_owned())),
        };
        self.reply.send(result).ok();
    }
}

/// Catches panics: they fail one task, and the thread continues.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::panicked(panic.as_ref())))
}
