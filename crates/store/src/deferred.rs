//! Transactions that begin with their first write.

#[cfg(feature = "sqlite")]
use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use model_resource_schema::column::Table;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::backend::Backend as _;
use crate::changes::ChangeTracker;
use crate::database::{Database, call_async};
use crate::deferral::{Deferral, DeferredEnd};
use crate::error::{Error, Result};
#[cfg(feature = "sqlite")]
use crate::slow::CommitTimer;
#[cfg(feature = "sqlite")]
use crate::sqlite::Undo;
use crate::store::Store;
use crate::transaction::Transaction;

/// A transaction that begins when its store is first written to.
///
/// Until then, the store reads outside of a transaction, and nothing is locked. Its first write waits:
/// [`first_write`](Self::first_write) completes, and the caller of that method continues the work with
/// [`run`](Self::run) or [`run_grouped`](Self::run_grouped), in the transaction. A [`Store::begin`] of that store begins
/// a savepoint. When the work has ended, the store is an ordinary one again.
///
/// ```
/// use std::pin::pin;
///
/// use futures_util::future::{Either, select};
/// use model_resource_store::{Sql, Store, StoreResult};
///
/// # #[tokio::main]
/// # async fn main() -> StoreResult<()> {
/// # let store = Store::open("sqlite::memory:").await?;
/// store.execute(Sql::new("CREATE TABLE numbers (number INTEGER)")).await?;
/// let mut transaction = store.defer();
/// let inside = transaction.store().clone();
/// let work = Box::pin(async move {
///     assert!(!inside.is_in_transaction());
///     inside.execute(Sql::new("INSERT INTO numbers VALUES (1)")).await?;
///     assert!(inside.is_in_transaction());
///     StoreResult::Ok(())
/// });
/// let work = match select(work, pin!(transaction.first_write())).await {
///     // Nothing was written.
///     Either::Left((result, _)) => return result,
///     Either::Right((_, work)) => work,
/// };
/// transaction.run(work).await??;
/// # Ok(())
/// # }
/// ```
pub struct DeferredTransaction {
    /// Store outside of the transaction.
    base: Store,
    store: Store,
    deferral: Arc<Deferral>,
    announced: oneshot::Receiver<Option<&'static Table>>,
    /// Table that many rows are written to, if the first write says so.
    table: Option<&'static Table>,
}

impl Store {
    /// Prepares a transaction that begins with its first write.
    pub fn defer(&self) -> DeferredTransaction {
        self.deferred(DeferredEnd::Commit, None)
    }

    /// Prepares a transaction that begins with its first write, and that may [store a response](Self::record_response)
    /// with this id.
    pub fn defer_keyed(&self, response_id: Uuid) -> DeferredTransaction {
        self.deferred(DeferredEnd::Commit, Some(response_id))
    }

    /// Prepares a dry run: a transaction that begins with its first write, and that is rolled back when its work has
    /// ended, whatever the result.
    ///
    /// Its store refuses to write afterwards, so that a task that the work has spawned changes nothing either.
    pub fn dry_run(&self) -> DeferredTransaction {
        self.deferred(DeferredEnd::Discard, None)
    }

    /// Announces that the deferred transaction of this store consists of one statement that writes, which is next, and of
    /// reads. Otherwise it has no effect.
    ///
    /// SQLite then shares a commit without a savepoint for the statement, which would copy each page that the statement
    /// changes. If the work fails after the statement nevertheless, the writes that share its commit are undone with it and
    /// repeated.
    pub fn expect_one_write(&self) {
        if let Some(deferral) = &self.deferral {
            deferral.expect_one_write();
        }
    }

    /// Whether this is the store of a deferred transaction, so that its statements are part of it once it has begun.
    #[doc(hidden)]
    pub fn is_deferred(&self) -> bool {
        self.deferral.is_some()
    }

    /// Whether this is the store of a [dry run](Self::dry_run).
    pub fn is_dry_run(&self) -> bool {
        self.deferral
            .as_ref()
            .is_some_and(|deferral| deferral.is_dry_run())
    }

    /// Runs a write with several statements, all of them or none: it commits if the work succeeds, or else rolls back.
    ///
    /// Inside of a transaction it is a savepoint. Outside of one, the work should soon end: on SQLite its commit is shared
    /// with the writes that wait at the same time, as by [`DeferredTransaction::run_grouped`].
    pub async fn write_together<T, E, W>(&self, work: impl FnOnce(Store) -> W) -> Result<Result<T, E>>
    where
        W: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        if self.deferral.is_none() && !self.is_in_transaction() {
            let transaction = self.defer();
            let work = work(transaction.store().clone());
            return transaction.run_grouped(work).await;
        }
        let transaction = self.begin_nested().await?;
        let result = work(Store::clone(&transaction)).await;
        match &result {
            Ok(_) => transaction.commit().await?,
            Err(_) => transaction.rollback().await?,
        }
        Ok(result)
    }

    /// Checks the constraints that the schema defers to the commit of this transaction (`DEFERRABLE`).
    ///
    /// SQLite cannot check them before the commit.
    pub async fn check_constraints(&self) -> Result<()> {
        call_async!(*self.reads_from(), backend => backend.check_constraints())
    }

    fn deferred(&self, end: DeferredEnd, response_id: Option<Uuid>) -> DeferredTransaction {
        let (deferral, announced) = Deferral::new(self.changes.clone(), end, response_id);
        let deferral = Arc::new(deferral);
        DeferredTransaction {
            base: self.clone(),
            store: Store {
                changes: self.changes.of_transaction(),
                deferral: Some(Arc::clone(&deferral)),
                nested: Some(Arc::default()),
                ..self.clone()
            },
            deferral,
            announced,
            table: None,
        }
    }

    /// Database that reads use.
    pub(crate) fn reads_from(&self) -> &Database {
        let deferral = self.deferral.as_ref();
        deferral
            .and_then(|deferral| deferral.open())
            .unwrap_or(&self.database)
    }

    /// Database that writes use, after the deferred transaction has begun, if there is one.
    pub(crate) async fn writes_to(&self) -> Result<&Database> {
        match &self.deferral {
            Some(deferral) => self.begun(deferral, None).await,
            None => Ok(&self.database),
        }
    }

    /// Changes that writes count among.
    pub(crate) fn changes(&self) -> &ChangeTracker {
        match &self.deferral {
            Some(deferral) if deferral.has_ended() => &deferral.changes_outside,
            _ => &self.changes,
        }
    }

    /// Begins the deferred transaction, unless it has begun. `None` if it has ended.
    pub(crate) async fn begin_deferred(&self, table: Option<&'static Table>) -> Result<Option<&Database>> {
        match &self.deferral {
            Some(deferral) if !deferral.has_ended() || deferral.is_dry_run() => {
                self.begun(deferral, table).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn begun(&self, deferral: &Deferral, table: Option<&'static Table>) -> Result<&Database> {
        if deferral.has_ended() {
            return if deferral.is_dry_run() {
                Err(Error::Failed("the dry run has ended".to_owned()))
            } else {
                Ok(&self.database)
            };
        }
        if self.deferral_database().is_none() {
            Box::pin(deferral.wait_begun(table)).await;
        }
        self.deferral_database()
            .ok_or_else(|| Error::Unavailable("the transaction could not begin".to_owned()))
    }

    fn deferral_database(&self) -> Option<&Database> {
        self.deferral.as_ref()?.open()
    }
}

impl DeferredTransaction {
    /// Store whose first write begins the transaction.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits for the first write. Never completes if there is none.
    ///
    /// Pass the work that waits to [`run`](Self::run) or [`run_grouped`](Self::run_grouped) in the same task: the beginning of
    /// the transaction wakes only other tasks.
    pub async fn first_write(&mut self) {
        match (&mut self.announced).await {
            Ok(table) => self.table = table,
            Err(_) => std::future::pending().await,
        }
        // To get the waker; it is ready at once.
        poll_fn(|cx| {
            self.deferral.continue_in(cx.waker());
            Poll::Ready(())
        })
        .await;
    }

    /// Begins the transaction and continues the work that waits for it. Commits if the work succeeds, or else rolls
    /// back. A dry run is always rolled back.
    pub async fn run<T, E>(
        self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let transaction = self.base.begin_transaction(self.table).await?;
        self.deferral.begin(transaction.database.clone());
        let result = transaction.run(work).await?;
        self.finish(transaction, result).await
    }

    /// Runs like [`run`](Self::run) work that soon ends: on SQLite its commit is shared with the writes that wait at the
    /// same time, which then wait for the work, too. If such a commit fails, the result is
    /// [`StoreError::Aborted`](crate::StoreError::Aborted).
    pub async fn run_grouped<T, E>(
        self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        match &self.base.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) if self.table.is_none() && self.deferral.is_dry_run() => {
                let deferral = Arc::clone(&self.deferral);
                let begin = move |inside| deferral.begin(Database::Sqlite(inside));
                // Fails in any case, so that its savepoint is undone.
                let undone = async move { Err::<Infallible, _>(work.await) };
                let undo = Undo::Savepoint;
                let Err(result) = database.run_grouped(begin, undone, || None, undo).await?;
                Ok(result)
            }
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) if self.table.is_none() => {
                let deferral = Arc::clone(&self.deferral);
                let begin = move |inside| deferral.begin(Database::Sqlite(inside));
                let deferral = Arc::clone(&self.deferral);
                let last = move || deferral.take_response();
                // Counts also if the outcome of the commit is unknown.
                let _changes = self.store.changes.commit();
                let timer = CommitTimer::new(self.base.slow);
                let work = timer.clone().start_after(work);
                let result = database.run_grouped(begin, work, last, self.undo()).await;
                timer.end();
                result
            }
            _ => self.run(work).await,
        }
    }

    /// How the work is undone if it fails.
    #[cfg(feature = "sqlite")]
    fn undo(&self) -> Undo {
        if self.deferral.writes_once() {
            Undo::Group {
                response: self.deferral.stored_response(),
            }
        } else {
            Undo::Savepoint
        }
    }

    async fn finish<T, E>(&self, transaction: Transaction, result: Result<T, E>) -> Result<Result<T, E>> {
        match result {
            result if self.deferral.is_dry_run() => {
                transaction.rollback().await?;
                Ok(result)
            }
            Ok(value) => {
                // Counts also if the outcome of the commit is unknown.
                let _changes = self.store.changes.commit();
                match self.deferral.take_response() {
                    Some(insert) => transaction.commit_with_response(insert).await?,
                    None => transaction.commit().await?,
                }
                Ok(Ok(value))
            }
            Err(error) => {
                transaction.rollback().await?;
                Ok(Err(error))
            }
        }
    }
}

impl Drop for DeferredTransaction {
    fn drop(&mut self) {
        self.deferral.end();
    }
}

impl std::fmt::Debug for DeferredTransaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeferredTransaction").finish_non_exhaustive()
    }
}
