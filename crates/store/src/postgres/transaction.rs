//! Open transactions, each on its own connection.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use model_resource_schema::column::Table;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::AbortHandle;

use super::cancel::{CancelOnDrop, Cancellations};
use super::connection::{OnRow, PostgresConnection};
use super::error::{StatementError, is_lost, map_error};
use super::held_connection::HeldConnection;
use super::intent::Intent;
use super::lending::{Lending, LentInTransaction, still_lent};
use super::open_state::{OpenState, StatementOutcome, interrupted};
use super::pool::{ConnectionPool, Lane};
use super::reset::undo_or_cancel;
use super::statement::PostgresStatement;
use crate::error::{Error, Result};
use crate::savepoint::Savepoint;

/// Maximum idle time of an open transaction.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A transaction that is or was open.
pub(super) struct OpenTransaction {
    state: Mutex<TransactionState>,
    cancellations: Arc<Cancellations>,
    pool: Arc<ConnectionPool>,
    /// Table that the transaction is about, if it is about one.
    table: Option<&'static str>,
    /// Set as soon as the caller ends the transaction, even from `drop`, which cannot wait.
    ended: AtomicBool,
    /// Number of open savepoints that are to be undone before the next statement, from the last one on.
    undo: AtomicUsize,
    /// Clients that are lent to the application's own code.
    lending: Lending,
    runtime: Handle,
    watcher: AbortHandle,
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

enum TransactionState {
    Open(Box<OpenState>),
    Over(Error),
}

impl OpenTransaction {
    /// Prepares a transaction on a pooled connection, about one table only if one is named. It begins with its first
    /// statement.
    pub(super) async fn begin(
        pool: &Arc<ConnectionPool>,
        table: Option<&'static Table>,
        cancellations: &Arc<Cancellations>,
    ) -> Result<Arc<Self>> {
        let table = table.map(|table| table.name);
        let connection = pool.acquire(Lane::Transactions, table).await?;
        Ok(Arc::new_cyclic(|transaction| Self {
            state: Mutex::new(TransactionState::Open(Box::new(OpenState::new(connection)))),
            cancellations: Arc::clone(cancellations),
            pool: Arc::clone(pool),
            table,
            ended: AtomicBool::new(false),
            undo: AtomicUsize::new(0),
            lending: Lending::default(),
            runtime: Handle::current(),
            watcher: tokio::spawn(watch(Weak::clone(transaction))).abort_handle(),
        }))
    }

    /// Runs a statement and passes its rows to the callback until it breaks. A failing write undoes only itself.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        intent: Intent,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(ended().into());
        }
        let mut state = self.state.lock().await;
        let mut ran = self.attempt(&mut state, statement, intent, take).await;
        if let StatementOutcome::Unbegun(error) = ran {
            // The connection was lost, as while it was idle in the pool, or its statement is outdated.
            *state = TransactionState::Over(map_error(&error));
            *state = TransactionState::Open(self.connect().await?);
            ran = self.attempt(&mut state, statement, intent, take).await;
        }
        match ran {
            StatementOutcome::Done(Ok(count)) => {
                self.pool.server().succeeded(statement.table(), intent);
                Ok(count)
            }
            StatementOutcome::Done(Err(error)) => {
                self.pool.server().failed(&error, intent);
                Err(error.into())
            }
            StatementOutcome::Unbegun(error) => {
                *state = TransactionState::Over(map_error(&error));
                Err(error.into())
            }
            StatementOutcome::Broken(error) => {
                *state = TransactionState::Over(error.clone());
                Err(error.into())
            }
        }
    }

    async fn attempt(
        &self,
        state: &mut TransactionState,
        statement: &PostgresStatement<'_>,
        intent: Intent,
        take: &mut OnRow<'_>,
    ) -> StatementOutcome {
        let open = match state {
            TransactionState::Over(error) => return StatementOutcome::Broken(error.clone()),
            TransactionState::Open(open) => open,
        };
        open.last_asked = Instant::now();
        let ran = match self.undo_abandoned(open).await {
            Ok(()) => open.run(statement, intent, take).await,
            Err(error) => StatementOutcome::Broken(error),
        };
        open.last_asked = Instant::now();
        ran
    }

    /// Returns the state of a transaction on another connection.
    async fn connect(&self) -> Result<Box<OpenState>> {
        let connection = self.pool.acquire(Lane::Transactions, self.table).await?;
        Ok(Box::new(OpenState::new(connection)))
    }

    /// Begins a transaction that no statement has begun.
    async fn begin_now(&self, mut open: Box<OpenState>) -> Result<Box<OpenState>> {
        let begun = match open.begin().await {
            Err(error) if is_lost(&error) => {
                // Before another connection is asked for, since their number is limited.
                drop(open);
                open = self.connect().await?;
                open.begin().await
            }
            begun => begun,
        };
        begun.map(|()| open).map_err(|error| map_error(&error))
    }

    /// Begins or ends a savepoint.
    pub(super) async fn savepoint(&self, step: Savepoint) -> Result<()> {
        self.take_step(Step::Savepoint(step)).await.map(drop)
    }

    /// Lends the driver's client, in the transaction, to the application's own code.
    pub(super) async fn lend(&self) -> Result<LentInTransaction> {
        let state = self.take_step(Step::Lend).await?;
        match &*state {
            TransactionState::Open(open) => Ok(self.lending.lend(open.client())),
            TransactionState::Over(error) => Err(error.clone()),
        }
    }

    async fn take_step(&self, step: Step) -> Result<MutexGuard<'_, TransactionState>> {
        if self.ended.load(Ordering::Acquire) {
            return Err(ended());
        }
        let mut state = self.state.lock().await;
        // Over, if this future is dropped.
        let open = close(&mut state, interrupted())?;
        match self.take_step_of(open, step).await {
            Ok(open) => {
                *state = TransactionState::Open(open);
                Ok(state)
            }
            Err(error) => {
                *state = TransactionState::Over(error.clone());
                Err(error)
            }
        }
    }

    async fn take_step_of(&self, mut open: Box<OpenState>, step: Step) -> Result<Box<OpenState>> {
        self.undo_abandoned(&mut open).await?;
        open = self.begin_now(open).await?;
        match step {
            Step::Savepoint(step) => open.savepoint(step).await?,
            Step::Lend => open.prepare_lending(&self.cancellations).await?,
        }
        open.last_asked = Instant::now();
        Ok(open)
    }

    /// Undoes the open savepoint before the next statement.
    pub(super) fn abandon_savepoint(&self) {
        self.lending.abandon_savepoint();
        self.undo.fetch_add(1, Ordering::AcqRel);
    }

    async fn undo_abandoned(&self, open: &mut OpenState) -> Result<()> {
        self.lending.check()?;
        // One by one, since this future may be dropped between two of them.
        let take_one = |count: usize| count.checked_sub(1);
        while self
            .undo
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take_one)
            .is_ok()
        {
            open.savepoint(Savepoint::Undo).await?;
        }
        Ok(())
    }

    /// Commits, or rolls back if that fails.
    pub(super) async fn commit(&self) -> Result<()> {
        let open = self.end_writing().await?;
        if !open.is_begun() {
            return open.undo().await;
        }
        // The server answers COMMIT of a failed transaction with a rollback and no error, and any other statement with one.
        let probe = if open.may_have_failed() { "SELECT 1; " } else { "" };
        let running = CancelOnDrop::new(open.into_connection(), &self.cancellations);
        let sql = format!("{probe}{}", running.connection().commit_sql());
        let committed = running.connection().batch(&sql).await;
        let held = HeldConnection::new(running.end());
        match committed {
            Ok(()) => {
                drop(held.into_connection());
                Ok(())
            }
            Err(error) => {
                held.undo().await.ok();
                Err(map_error(&error))
            }
        }
    }

    /// Runs a last write and commits, in one round trip. If either fails, all is rolled back.
    pub(super) async fn commit_with(&self, statement: &PostgresStatement<'_>) -> Result<(), FailedCommit> {
        let open = self.end_writing().await.map_err(FailedCommit::Commit)?;
        let open = self.begin_now(open).await.map_err(FailedCommit::Commit)?;
        let running = CancelOnDrop::new(open.into_connection(), &self.cancellations);
        let ran = write_and_commit(running.connection(), statement).await;
        let held = HeldConnection::new(running.end());
        match ran {
            Ok(()) => drop(held.into_connection()),
            Err(_) => drop(held.undo().await),
        }
        ran
    }

    /// Ends the transaction for its callers.
    async fn end_writing(&self) -> Result<Box<OpenState>> {
        let mut open = self.end().await?;
        if open.is_writing() {
            return Err(interrupted());
        }
        if open.is_lent() {
            return Err(still_lent());
        }
        self.undo_abandoned(&mut open).await?;
        Ok(open)
    }

    /// Rolls the transaction back.
    pub(super) async fn rollback(&self) -> Result<()> {
        self.end().await?.undo().await
    }

    /// Rolls the transaction back if it is still open, without waiting.
    pub(super) fn abandon(self: &Arc<Self>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let transaction = Arc::clone(self);
        self.runtime.spawn(async move {
            match close(&mut transaction.state.lock().await, ended()) {
                // The write may wait for a lock and block others meanwhile.
                Ok(open) if open.is_writing() => drop(CancelOnDrop::new(
                    open.into_connection(),
                    &transaction.cancellations,
                )),
                Ok(open) if open.was_lent() && !open.is_lent() => {
                    undo_or_cancel(open.into_connection(), &transaction.cancellations).await;
                }
                Ok(open) => drop(open.undo().await),
                Err(_) => {}
            }
        });
    }

    async fn end(&self) -> Result<Box<OpenState>> {
        if self.ended.swap(true, Ordering::AcqRel) {
            return Err(ended());
        }
        close(&mut self.state.lock().await, ended())
    }
}

/// Step of a transaction that is neither a statement nor its end.
enum Step {
    Savepoint(Savepoint),
    Lend,
}

/// Failure of a last write with its commit.
pub(super) enum FailedCommit {
    Write(StatementError),
    Commit(Error),
}

/// Runs a write and commits its transaction. Both are pipelined.
async fn write_and_commit(
    connection: &PostgresConnection,
    statement: &PostgresStatement<'_>,
) -> Result<(), FailedCommit> {
    let write_failed = |error: tokio_postgres::Error| FailedCommit::Write(error.into());
    // Before the others are sent, since nothing may run after the end of the transaction.
    let prepared = connection.prepare(statement).await.map_err(write_failed)?;
    let write = async {
        let mut ignore = |_| ControlFlow::Continue(());
        connection
            .run(&prepared, statement, &mut ignore)
            .await
            .map_err(|error| {
                connection.forget_outdated(statement.sql(), &error);
                write_failed(error)
            })
    };
    let commit = async {
        let committed = connection.batch(connection.commit_sql()).await;
        committed.map_err(|error| FailedCommit::Commit(map_error(&error)))
    };
    // A value that cannot be encoded fails before COMMIT is sent. The server answers COMMIT of a failed transaction with a
    // rollback and no error.
    tokio::try_join!(write, commit).map(|_| ())
}

/// Rolls back a transaction that stays idle too long, so that its locks block nobody.
async fn watch(transaction: Weak<OpenTransaction>) {
    let mut wait = IDLE_TIMEOUT;
    loop {
        tokio::time::sleep(wait).await;
        let Some(transaction) = transaction.upgrade() else {
            return;
        };
        let mut state = transaction.state.lock().await;
        let TransactionState::Open(open) = &*state else {
            return;
        };
        // The server ends a transaction that is idle while its client is lent.
        let idle = transaction.lending.idle(open.last_asked);
        if idle >= IDLE_TIMEOUT {
            let timed_out = Error::Unavailable("the transaction timed out".to_owned());
            if let Ok(open) = close(&mut state, timed_out) {
                tracing::warn!(
                    "rolled back a transaction that was idle for {} s",
                    IDLE_TIMEOUT.as_secs()
                );
                open.undo().await.ok();
            }
            return;
        }
        wait = IDLE_TIMEOUT - idle;
    }
}

/// Closes the transaction; later calls fail with `reason`.
fn close(state: &mut MutexGuard<'_, TransactionState>, reason: Error) -> Result<Box<OpenState>> {
    match std::mem::replace(&mut **state, TransactionState::Over(reason)) {
        TransactionState::Open(open) => Ok(open),
        TransactionState::Over(earlier) => {
            **state = TransactionState::Over(earlier.clone());
            Err(earlier)
        }
    }
}

/// Error for a call after the transaction has ended: a bug in the program, which a retry does not fix.
fn ended() -> Error {
    Error::Failed("the transaction has ended".to_owned())
}
