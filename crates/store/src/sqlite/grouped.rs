//! Transactions that share their commit with other writes.

use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;
use tokio::runtime::Handle;

use super::begin_commit::{self, savepoint};
use super::database::SqliteDatabase;
use super::drive::{Driven, Driver};
use super::queue::{Queue, RecvError, Responder, WeakQueue};
use super::raw;
use super::task::{Task, WriteJob};
use super::transaction::{self, IDLE_TIMEOUT};
use crate::database_wait::DatabaseWait;
use crate::error::{Error, Result};
use crate::raw_sql::Sql;
use crate::savepoint::Savepoint;

impl SqliteDatabase {
    /// Runs work in a transaction that shares its commit with other writes, and on the thread that writes.
    /// `begin` gets the database inside the transaction. Commits if the work succeeds, after a last statement, or else undoes
    /// it.
    pub(crate) async fn run_grouped<T, E>(
        &self,
        begin: impl FnOnce(Self) + Send + 'static,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
        last: impl FnOnce() -> Option<Sql> + Send + 'static,
        undo: Undo,
    ) -> Result<Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let (outside, caller) = (self.clone(), WakeOnDrop::default());
        let wake = caller.queue();
        let begin = move |queue: Queue<Task>| {
            wake.set(queue.downgrade()).ok();
            begin(outside.inside(queue, None));
        };
        let wait = DatabaseWait::begin();
        let ended = self
            .writes()
            .ask(|reply| {
                let transaction = GroupedTransaction::new(begin, work, last, undo, reply);
                Task::Write(Box::new(transaction))
            })
            .await;
        wait.end();
        drop(caller);
        ended?.map_err(|panic| resume_unwind(panic))
    }
}

/// How work that fails is undone.
pub(crate) enum Undo {
    /// By a savepoint, for which SQLite copies each page before its change.
    Savepoint,
    /// With the writes that share its commit, which are then repeated. For work that can hardly fail once it has written.
    Group {
        /// Query for the response that the work is to store. If there is one, the work does not begin.
        response: Option<Sql>,
    },
}

/// Work of a transaction.
type Work<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// Result of the work, or its panic.
type Ended<T, E> = std::thread::Result<Result<T, E>>;

/// Work that runs on the thread that writes, as one of the writes of a group commit.
///
/// It runs once: if its group is rolled back, it fails with [`Error::Aborted`].
pub(super) struct GroupedTransaction<T, E, B, L> {
    /// Beginning of the transaction, with its queue, and the work.
    pending: Option<(B, Work<T, E>)>,
    /// Last statement of the transaction.
    last: Option<L>,
    undo: Undo,
    runtime: Handle,
    ended: Result<Ended<T, E>>,
    reply: Responder<Ended<T, E>>,
}

impl<T, E, B, L> GroupedTransaction<T, E, B, L>
where
    T: Send + 'static,
    E: Send + 'static,
    B: FnOnce(Queue<Task>) + Send,
    L: FnOnce() -> Option<Sql> + Send,
{
    pub(super) fn new(
        begin: B,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
        last: L,
        undo: Undo,
        reply: Responder<Ended<T, E>>,
    ) -> Self {
        Self {
            pending: Some((begin, Box::pin(work))),
            last: Some(last),
            undo,
            runtime: Handle::current(),
            ended: Err(Error::Failed("the transaction was not attempted".to_owned())),
            reply,
        }
    }

    /// Runs the work, and undoes it if it fails.
    fn attempt(&mut self, connection: &Connection, begin: B, work: Work<T, E>) -> Result<Ended<T, E>> {
        match &self.undo {
            Undo::Savepoint => savepoint(connection, Savepoint::Begin)?,
            Undo::Group {
                response: Some(response),
            } if raw::finds_any(connection, response)? => return Err(Error::Repeated),
            Undo::Group { .. } => {}
        }
        let changes_before = connection.total_changes();
        let has_written = || connection.total_changes() != changes_before;
        let mut ended = self.drive(connection, begin, work, has_written);
        if let (Ok(Ok(Ok(_))), Some(last)) = (&ended, self.last.take())
            && !connection.is_autocommit()
            && let Some(sql) = last()
            && let Err(error) = raw::execute(connection, &sql)
        {
            ended = Err(error.of_response());
        }
        if connection.is_autocommit() {
            let rolled_back = || Error::Aborted("the database rolled the transaction back".to_owned());
            return Err(ended.err().unwrap_or_else(rolled_back));
        }
        match (&self.undo, &ended) {
            (Undo::Savepoint, Ok(Ok(Ok(_)))) => savepoint(connection, Savepoint::Release)?,
            (Undo::Savepoint, _) => savepoint(connection, Savepoint::Undo)?,
            (Undo::Group { .. }, Ok(Ok(Ok(_)))) => {}
            // The group commit finds the transaction ended.
            (Undo::Group { .. }, _) if has_written() => begin_commit::undo(connection),
            (Undo::Group { .. }, _) => {}
        }
        ended
    }

    /// Polls the work to its end and runs its statements.
    fn drive(
        &self,
        connection: &Connection,
        begin: B,
        work: Work<T, E>,
        has_written: impl Fn() -> bool,
    ) -> Result<Ended<T, E>> {
        let (queue, waiting) = Queue::new();
        let mut driver = Driver::new(&queue);
        begin(queue);
        let (driven, mut answer) = Driven::new(work, self.runtime.clone());
        driver.start(Box::pin(driven));
        let mut reason = transaction::ended();
        // Without a savepoint, work that has written is not cancelled with its caller.
        let is_kept = || matches!(self.undo, Undo::Group { .. }) && has_written();
        let is_cancelled = || self.reply.is_closed() && !is_kept();
        while !driver.is_idle() && !connection.is_autocommit() && !is_cancelled() {
            match waiting.next_within(IDLE_TIMEOUT) {
                Ok(Task::Wake) => driver.poll(),
                Ok(task) => transaction::run(connection, task),
                Err(RecvError::TimedOut) => {
                    reason = Error::Unavailable("the transaction timed out".to_owned());
                    break;
                }
                Err(RecvError::Disconnected) => break,
            }
        }
        // A savepoint that was dropped is still to be undone.
        while let Some(task) = waiting.next_now() {
            transaction::run(connection, task);
        }
        waiting.end(reason.clone());
        // After the end, so that its calls fail with the reason.
        drop(driver);
        answer.try_recv().map_err(|_| reason)
    }
}

impl<T, E, B, L> WriteJob for GroupedTransaction<T, E, B, L>
where
    T: Send + 'static,
    E: Send + 'static,
    B: FnOnce(Queue<Task>) + Send,
    L: FnOnce() -> Option<Sql> + Send,
{
    fn run(&mut self, connection: &Connection) {
        match self.pending.take() {
            Some(_) if self.reply.is_closed() => {}
            Some((begin, work)) => self.ended = self.attempt(connection, begin, work),
            None if matches!(self.ended, Ok(Ok(Ok(_)))) => {
                self.ended = Err(Error::Aborted("the group commit was rolled back".to_owned()));
            }
            None => {}
        }
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let ended = match (self.ended, committed) {
            (Ok(Ok(Ok(_))), Err(error)) => Err(error),
            (ended, _) => ended,
        };
        self.reply.send(ended).ok();
    }
}

/// Wakes the thread of a transaction when its caller is gone, so that it ends at once.
#[derive(Default)]
pub(super) struct WakeOnDrop(Arc<OnceLock<WeakQueue<Task>>>);

impl WakeOnDrop {
    /// Cell for the queue of the transaction.
    pub(super) fn queue(&self) -> Arc<OnceLock<WeakQueue<Task>>> {
        Arc::clone(&self.0)
    }
}

impl Drop for WakeOnDrop {
    fn drop(&mut self) {
        if let Some(queue) = self.0.get() {
            queue.send(Task::Wake);
        }
    }
}
