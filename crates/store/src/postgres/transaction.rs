//! Open transactions, each on its own connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use model_resource_schema::column::Table;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::AbortHandle;

use super::cancel::{CancelOnDrop, Cancellations};
use super::connection::{Ended, OnRow};
use super::error::{StatementError, is_lost, is_outdated, map_error};
use super::intent::Intent;
use super::pool::{ConnectionPool, Lane, PooledConnection};
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
    /// Set as soon as the caller ends the transaction, even from `drop`, which cannot wait.
    ended: AtomicBool,
    /// Set if the open savepoint is to be undone before the next statement.
    undo: AtomicBool,
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

struct OpenState {
    held: HeldConnection,
    last_asked: Instant,
    /// Whether a savepoint exists.
    saved: bool,
    /// Whether a write has begun and not ended.
    writing: bool,
}

/// A connection that returns to the pool only after its transaction ended properly.
struct HeldConnection(Option<PooledConnection>);

impl HeldConnection {
    fn connection(&self) -> &PooledConnection {
        self.0
            .as_ref()
            .expect("only `into_connection` and `drop` take the connection, and both end `self`")
    }

    fn into_connection(mut self) -> PooledConnection {
        self.0
            .take()
            .expect("only `into_connection` and `drop` take the connection, and both end `self`")
    }
}

impl Drop for HeldConnection {
    fn drop(&mut self) {
        // Closing the connection is the most reliable way to roll back.
        if let Some(connection) = self.0.take() {
            connection.close();
        }
    }
}

impl OpenTransaction {
    /// Begins a transaction on a pooled connection, about one table only if one is named.
    pub(super) async fn begin(
        pool: &Arc<ConnectionPool>,
        table: Option<&'static Table>,
        cancellations: &Arc<Cancellations>,
    ) -> Result<Arc<Self>> {
        let held = match Self::open(pool, table).await {
            // The connection was lost while it was idle in the pool.
            Err(StatementError::Database(error)) if is_lost(&error) => Self::open(pool, table).await?,
            held => held?,
        };
        Ok(Arc::new_cyclic(|transaction| Self {
            state: Mutex::new(TransactionState::Open(Box::new(OpenState {
                held,
                last_asked: Instant::now(),
                saved: false,
                writing: false,
            }))),
            cancellations: Arc::clone(cancellations),
            pool: Arc::clone(pool),
            ended: AtomicBool::new(false),
            undo: AtomicBool::new(false),
            runtime: Handle::current(),
            watcher: tokio::spawn(watch(Weak::clone(transaction))).abort_handle(),
        }))
    }

    async fn open(
        pool: &Arc<ConnectionPool>,
        table: Option<&'static Table>,
    ) -> Result<HeldConnection, StatementError> {
        let table = table.map(|table| table.name);
        let connection = pool.acquire(Lane::Transactions, table).await?;
        let held = HeldConnection(Some(connection));
        let connection = held.connection();
        connection.batch(connection.begin_sql()).await?;
        Ok(held)
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
        let open = match &mut *state {
            TransactionState::Over(error) => return Err(error.clone().into()),
            TransactionState::Open(open) => open,
        };
        open.last_asked = Instant::now();
        let ran = match (self.undo_abandoned(open).await, intent) {
            (Err(error), _) => Outcome::Broken(error),
            (Ok(()), Intent::Read | Intent::ReadOnly) => open.read(statement, take).await,
            (Ok(()), Intent::Write) => open.write(statement, take).await,
        };
        open.last_asked = Instant::now();
        match ran {
            Outcome::Done(Ok(count)) => {
                self.pool.server().succeeded(intent);
                Ok(count)
            }
            Outcome::Done(Err(error)) => {
                self.pool.server().failed(&error, intent);
                Err(error.into())
            }
            Outcome::Broken(error) => {
                *state = TransactionState::Over(error.clone());
                Err(error.into())
            }
        }
    }

    /// Begins or ends a savepoint.
    pub(super) async fn savepoint(&self, step: Savepoint) -> Result<()> {
        if self.ended.load(Ordering::Acquire) {
            return Err(ended());
        }
        let mut state = self.state.lock().await;
        let open = match &mut *state {
            TransactionState::Over(error) => return Err(error.clone()),
            TransactionState::Open(open) => open,
        };
        open.last_asked = Instant::now();
        let set = match self.undo_abandoned(open).await {
            Ok(()) => open.savepoint(step).await,
            abandoned => abandoned,
        };
        if let Err(error) = &set {
            *state = TransactionState::Over(error.clone());
        }
        set
    }

    /// Undoes the open savepoint before the next statement.
    pub(super) fn abandon_savepoint(&self) {
        self.undo.store(true, Ordering::Release);
    }

    async fn undo_abandoned(&self, open: &mut OpenState) -> Result<()> {
        if self.undo.swap(false, Ordering::AcqRel) {
            return open.savepoint(Savepoint::Undo).await;
        }
        Ok(())
    }

    /// Commits, or rolls back if that fails.
    pub(super) async fn commit(&self) -> Result<()> {
        let mut open = self.end().await?;
        if open.writing {
            return Err(timed_out());
        }
        self.undo_abandoned(&mut open).await?;
        // The server answers COMMIT of a failed transaction with a rollback and no error.
        let running = CancelOnDrop::new(open.held.into_connection(), &self.cancellations);
        let sql = format!("SELECT 1; {}", running.connection().commit_sql());
        let committed = running.connection().batch(&sql).await;
        let held = HeldConnection(Some(running.end()));
        match committed {
            Ok(()) => {
                drop(held.into_connection());
                Ok(())
            }
            Err(error) => {
                undo(held).await.ok();
                Err(map_error(&error))
            }
        }
    }

    /// Rolls the transaction back.
    pub(super) async fn rollback(&self) -> Result<()> {
        undo(self.end().await?.held).await
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
                Ok(open) if open.writing => drop(CancelOnDrop::new(
                    open.held.into_connection(),
                    &transaction.cancellations,
                )),
                Ok(open) => drop(undo(open.held).await),
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

/// Outcome of a statement.
enum Outcome {
    Done(Result<u64, tokio_postgres::Error>),
    /// The transaction cannot continue.
    Broken(Error),
}

impl OpenState {
    /// Runs a read. A failure breaks the transaction: it is a bug in the program or a lost connection.
    async fn read(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Outcome {
        match self.held.connection().each(statement, take).await {
            Ok(ended) => Outcome::Done(Ok(ended.count())),
            Err(failed) => Outcome::Broken(map_error(&failed.error)),
        }
    }

    /// Begins or ends a savepoint that the caller names by its step. A failure breaks the transaction.
    async fn savepoint(&mut self, step: Savepoint) -> Result<()> {
        let sql = match (step, self.saved) {
            // The savepoint of the last write would otherwise be released with this one.
            (Savepoint::Begin, true) => "RELEASE SAVEPOINT write; SAVEPOINT nested",
            (Savepoint::Begin, false) => "SAVEPOINT nested",
            (Savepoint::Release, _) => "RELEASE SAVEPOINT nested",
            (Savepoint::Undo, _) => "ROLLBACK TO SAVEPOINT nested; RELEASE SAVEPOINT nested",
        };
        self.saved = false;
        let connection = self.held.connection();
        connection.batch(sql).await.map_err(|error| map_error(&error))
    }

    async fn write(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Outcome {
        if std::mem::replace(&mut self.writing, true) {
            return Outcome::Broken(timed_out());
        }
        let connection = self.held.connection();
        let prepared = match connection.prepare(statement).await {
            Ok(prepared) => prepared,
            Err(error) => return Outcome::Broken(map_error(&error)),
        };
        let save = if self.saved {
            "RELEASE SAVEPOINT write; SAVEPOINT write"
        } else {
            "SAVEPOINT write"
        };
        // Both are pipelined.
        let (saved, ran) = tokio::join!(connection.batch(save), connection.run(&prepared, statement, take));
        if let Err(error) = saved {
            return Outcome::Broken(map_error(&error));
        }
        self.saved = true;
        if let Ok(Ended::Broken) = ran {
            // The server may send rows without end; closing the connection stops it.
            return Outcome::Broken(Error::TooLarge);
        }
        if let Err(error) = &ran {
            connection.forget_outdated(statement.sql(), error);
            if is_lost(error) || is_outdated(error) {
                return Outcome::Broken(map_error(error));
            }
            if let Err(error) = connection.batch("ROLLBACK TO SAVEPOINT write").await {
                return Outcome::Broken(map_error(&error));
            }
        }
        self.writing = false;
        Outcome::Done(ran.map(Ended::count))
    }
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
        let idle = open.last_asked.elapsed();
        if idle >= IDLE_TIMEOUT {
            let timed_out = Error::Unavailable("the transaction timed out".to_owned());
            if let Ok(open) = close(&mut state, timed_out) {
                tracing::warn!(
                    "rolled back a transaction that was idle for {} s",
                    IDLE_TIMEOUT.as_secs()
                );
                undo(open.held).await.ok();
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

async fn undo(held: HeldConnection) -> Result<()> {
    let connection = held.connection();
    match connection.batch(connection.rollback_sql()).await {
        Ok(()) => {
            drop(held.into_connection());
            Ok(())
        }
        // The server also rolls back when the connection is lost.
        Err(error) if is_lost(&error) => Ok(()),
        Err(error) => Err(map_error(&error)),
    }
}

/// Error for a call after the transaction has ended: a bug in the program, which a retry does not fix.
fn ended() -> Error {
    Error::Failed("the transaction has ended".to_owned())
}

fn timed_out() -> Error {
    Error::Failed("a write inside the transaction was cancelled before it ended".to_owned())
}
