//! A transaction that a caller holds open, on a connection of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use deadpool_postgres::{Object, Pool};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::AbortHandle;

use super::cancel::{CancelOnDrop, Cancellations};
use super::connection::{self, OnRow};
use super::error::{StatementError, is_lost, is_outdated, map_error};
use super::pool::{prepare, unpooled};
use super::statement::PostgresStatement;
use crate::error::{Error, Result};

/// So long a transaction may ask nothing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    /// It reads.
    Read,
    /// It writes, and undoes itself alone if it fails.
    Write,
}

/// A transaction that is or was open.
pub(super) struct OpenTransaction {
    state: Mutex<TransactionState>,
    given_up: Arc<Cancellations>,
    /// Set as soon as the caller ends it, also where nobody can wait.
    ended: AtomicBool,
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
    /// Whether there is a savepoint to go back to.
    saved: bool,
    /// Whether a write has begun and not ended.
    writing: bool,
}

/// A connection that goes back to the pool only when its transaction was ended properly.
struct HeldConnection(Option<Object>);

impl HeldConnection {
    fn client(&self) -> &Object {
        self.0
            .as_ref()
            .expect("only `into_client` and `drop` take the connection, and both end `self`")
    }

    fn into_client(mut self) -> Object {
        self.0
            .take()
            .expect("only `into_client` and `drop` take the connection, and both end `self`")
    }
}

impl Drop for HeldConnection {
    fn drop(&mut self) {
        // Closing the connection is the surest way to undo what is open on it.
        self.0.take().map(Object::take);
    }
}

impl OpenTransaction {
    /// Opens a transaction on a connection of the pool.
    pub(super) async fn begin(pool: &Pool, given_up: &Arc<Cancellations>) -> Result<Arc<Self>> {
        let held = match Self::open(pool).await {
            // The connection was lost while it lay in the pool.
            Err(StatementError::Database(error)) if is_lost(&error) => Self::open(pool).await?,
            held => held?,
        };
        Ok(Arc::new_cyclic(|alone| Self {
            state: Mutex::new(TransactionState::Open(Box::new(OpenState {
                held,
                last_asked: Instant::now(),
                saved: false,
                writing: false,
            }))),
            given_up: Arc::clone(given_up),
            ended: AtomicBool::new(false),
            runtime: Handle::current(),
            watcher: tokio::spawn(watch(Weak::clone(alone))).abort_handle(),
        }))
    }

    async fn open(pool: &Pool) -> Result<HeldConnection, StatementError> {
        let object = pool.get().await.map_err(unpooled)?;
        let held = HeldConnection(Some(object));
        held.client().batch_execute("BEGIN").await?;
        Ok(held)
    }

    /// Runs a statement and gives its rows away until that is enough. A write that fails undoes itself alone.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        intent: Intent,
        take: &mut OnRow<'_>,
    ) -> Result<(), StatementError> {
        if self.ended.load(Ordering::Acquire) {
            return Err(ended().into());
        }
        let mut state = self.state.lock().await;
        let open = match &mut *state {
            TransactionState::Over(error) => return Err(error.clone().into()),
            TransactionState::Open(open) => open,
        };
        open.last_asked = Instant::now();
        let ran = match intent {
            Intent::Read => open.read(statement, take).await,
            Intent::Write => open.write(statement, take).await,
        };
        open.last_asked = Instant::now();
        match ran {
            Outcome::Done(result) => result.map_err(StatementError::Database),
            Outcome::Broken(error) => {
                *state = TransactionState::Over(error.clone());
                Err(error.into())
            }
        }
    }

    /// Makes everything permanent, or undoes it if that fails.
    pub(super) async fn commit(&self) -> Result<()> {
        let open = self.end().await?;
        if open.writing {
            return Err(timed_out());
        }
        // A transaction that failed unnoticed would answer COMMIT with a rollback and no error.
        let running = CancelOnDrop::new(open.held.into_client(), &self.given_up);
        let committed = running.client().batch_execute("SELECT 1; COMMIT").await;
        let held = HeldConnection(Some(running.end()));
        match committed {
            Ok(()) => {
                drop(held.into_client());
                Ok(())
            }
            Err(error) => {
                undo(held).await.ok();
                Err(map_error(&error))
            }
        }
    }

    /// Undoes everything.
    pub(super) async fn rollback(&self) -> Result<()> {
        undo(self.end().await?.held).await
    }

    /// Undoes everything if it is still open, without waiting for that.
    pub(super) fn abandon(self: &Arc<Self>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let alone = Arc::clone(self);
        self.runtime.spawn(async move {
            match close(&mut alone.state.lock().await, ended()) {
                // It may wait for a lock, and keep others waiting meanwhile.
                Ok(open) if open.writing => drop(CancelOnDrop::new(open.held.into_client(), &alone.given_up)),
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

/// What came of a statement.
enum Outcome {
    Done(Result<(), tokio_postgres::Error>),
    /// The transaction cannot go on.
    Broken(Error),
}

impl OpenState {
    /// A read that fails spoils the transaction: it is a fault of the program or of the connection.
    async fn read(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Outcome {
        let client = self.held.client();
        let ran = async {
            let prepared = prepare(client, statement.sql()).await?;
            connection::run(client, &prepared, statement.parameters(), take).await
        };
        match ran.await {
            Ok(()) => Outcome::Done(Ok(())),
            Err(error) => Outcome::Broken(map_error(&error)),
        }
    }

    async fn write(&mut self, statement: &PostgresStatement<'_>, take: &mut OnRow<'_>) -> Outcome {
        if std::mem::replace(&mut self.writing, true) {
            return Outcome::Broken(timed_out());
        }
        let client = self.held.client();
        let prepared = match prepare(client, statement.sql()).await {
            Ok(prepared) => prepared,
            Err(error) => return Outcome::Broken(map_error(&error)),
        };
        let save = match self.saved {
            true => "RELEASE SAVEPOINT write; SAVEPOINT write",
            false => "SAVEPOINT write",
        };
        // Both are sent at once, one behind the other.
        let (saved, ran) = tokio::join!(
            client.batch_execute(save),
            connection::run(client, &prepared, statement.parameters(), take)
        );
        if let Err(error) = saved {
            return Outcome::Broken(map_error(&error));
        }
        self.saved = true;
        if let Err(error) = &ran {
            if is_lost(error) || is_outdated(error) {
                return Outcome::Broken(map_error(error));
            }
            if let Err(error) = client.batch_execute("ROLLBACK TO SAVEPOINT write").await {
                return Outcome::Broken(map_error(&error));
            }
        }
        self.writing = false;
        Outcome::Done(ran)
    }
}

/// Undoes a transaction that asks nothing for long, so that its locks hold nobody up.
async fn watch(alone: Weak<OpenTransaction>) {
    let mut wait = IDLE_TIMEOUT;
    loop {
        tokio::time::sleep(wait).await;
        let Some(alone) = alone.upgrade() else { return };
        let mut state = alone.state.lock().await;
        let TransactionState::Open(open) = &*state else {
            return;
        };
        let idle = open.last_asked.elapsed();
        if idle >= IDLE_TIMEOUT {
            let timed_out = Error::Unavailable("the transaction timed out".to_owned());
            if let Ok(open) = close(&mut state, timed_out) {
                tracing::warn!(
                    "a transaction was undone: it asked nothing for {} s",
                    IDLE_TIMEOUT.as_secs()
                );
                undo(open.held).await.ok();
            }
            return;
        }
        wait = IDLE_TIMEOUT - idle;
    }
}

/// Takes the transaction out, so that whoever asks later is told why it is over.
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
    match held.client().batch_execute("ROLLBACK").await {
        Ok(()) => {
            drop(held.into_client());
            Ok(())
        }
        // Without its connection the transaction is undone as well.
        Err(error) if is_lost(&error) => Ok(()),
        Err(error) => Err(map_error(&error)),
    }
}

/// Who asks now holds on to a transaction that is over: a fault of the program, which trying again does not mend.
fn ended() -> Error {
    Error::Failed("the transaction has ended".to_owned())
}

fn timed_out() -> Error {
    Error::Failed("a write inside the transaction was given up before it ended".to_owned())
}
