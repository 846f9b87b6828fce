//! Store and transaction of a request.

use std::sync::Arc;

use jiff::Timestamp;
use model_resource_schema::clock::Clock;
use model_resource_store::Store;

use crate::pipeline::commit_queue::{CommitQueue, CommitWork, WorkCondition, run};
use crate::pipeline::context::db::{Db, PendingWork};
use crate::pipeline::context::request::Context;
use crate::pipeline::error::{Error, Result};

impl Context {
    /// Store of the application, inside the transaction that [`Context::begin`] has opened, if any. It applies neither
    /// the caller's policies nor the parents in the URL.
    ///
    /// # Panics
    /// If the api has no store, which only an api without resources may lack.
    pub fn store_unchecked(&self) -> &Store {
        match &self.0.db {
            Db::Transaction(transaction, _) => transaction,
            Db::Shared(store, ..) | Db::Event(store, _) => store,
            Db::Store => {
                let store = self.0.services.store.as_ref();
                store.expect("this api has no store: add `.store(..)`")
            }
        }
    }

    /// Clock of the application's store.
    pub(crate) fn clock(&self) -> &Clock {
        static SYSTEM: Clock = Clock::system();
        self.services().store.as_ref().map_or(&SYSTEM, Store::clock)
    }

    /// Current time by the clock of the application, from which rows and credentials get their times as well. In a test
    /// it may stand still ([`Store::with_clock`]).
    pub fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// Whether this is a dry run (`Prefer: dry-run`): its writes are rolled back when it ends, and work of
    /// [`Context::after_commit`] does not run.
    ///
    /// A handler that has other effects, such as a call of another service, leaves them out in a dry run.
    pub fn is_dry_run(&self) -> bool {
        self.services().store.as_ref().is_some_and(Store::is_dry_run)
    }

    /// Whether the request has not begun a transaction and is not part of one.
    pub(crate) fn is_outside_transaction(&self) -> bool {
        matches!(self.0.db, Db::Store)
    }

    /// Whether this is an item of a bulk request.
    pub(crate) fn is_sub_request(&self) -> bool {
        matches!(self.0.db, Db::Shared(..))
    }

    /// Opens a transaction. Until [`Context::commit`], the store and the response helpers of this request work inside
    /// it.
    ///
    /// Without a commit everything is rolled back when the request ends. An item of a bulk request is written inside
    /// the transaction of the whole request, and a subscriber writes inside that of the write that it is called for.
    pub async fn begin(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) | Db::Event(_, uncommitted) = &self.0.db {
            return if uncommitted.begin() {
                Ok(())
            } else {
                Err(Error::internal("a transaction is open already"))
            };
        }
        self.0.db = Db::Transaction(self.store_unchecked().begin().await?, PendingWork::default());
        Ok(())
    }

    /// Commits the writes since [`Context::begin`].
    pub async fn commit(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) | Db::Event(_, uncommitted) = &self.0.db {
            return if uncommitted.commit() {
                Ok(())
            } else {
                Err(nothing_begun())
            };
        }
        match std::mem::replace(&mut self.0.db, Db::Store) {
            Db::Transaction(transaction, pending) => {
                transaction.commit().await?;
                self.run_after_commit(pending.take());
                Ok(())
            }
            Db::Store | Db::Shared(..) | Db::Event(..) => Err(nothing_begun()),
        }
    }
}

impl Context {
    /// Runs work once the writes of this request are committed, and never if they are rolled back: sends a message, or
    /// clears a cache.
    ///
    /// - Between [`Context::begin`] and [`Context::commit`] it waits for that commit.
    /// - Otherwise it waits for the end of the request, and runs if the response is not an error.
    /// - In a bulk request, and in a request with an `Idempotency-Key`, it also waits for the commit of the whole.
    /// - In a dry run (`Prefer: dry-run`) it does not run.
    ///
    /// It runs in the background, one after the other in the order of the calls. The response does not wait for it, but
    /// a [`Server`](crate::Server) that stops does. It does not run if the process is killed after the commit, or if
    /// the request reaches its time limit during the commit.
    ///
    /// ```
    /// use model_resource::{Context, Draft, Model, Result};
    ///
    /// #[derive(Model)]
    /// struct Loan {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     is_returned: bool,
    /// }
    ///
    /// async fn give_back(cx: &Context, loan: &Loan) -> Result<Loan> {
    ///     let loan = cx.save(Draft::of(loan).with(Loan::IS_RETURNED, true)).await?;
    ///     let id = loan.id;
    ///     cx.after_commit(async move { println!("loan {id} is back") });
    ///     Ok(loan)
    /// }
    /// ```
    #[doc(alias = "on_commit")]
    pub fn after_commit(&self, work: impl Future<Output = ()> + Send + 'static) {
        let work: CommitWork = Box::pin(work);
        match (&self.0.db, &self.0.commit_queue) {
            (Db::Transaction(_, pending), _) => pending.push(work),
            (_, Some(queue)) => queue.push(work, WorkCondition::Success),
            (_, None) => run(vec![work]),
        }
    }

    /// Lets work run whose transaction was committed: when the one around it is, if there is one.
    fn run_after_commit(&self, work: Vec<CommitWork>) {
        match &self.0.commit_queue {
            Some(queue) => {
                for one in work {
                    queue.push(one, WorkCondition::Committed);
                }
            }
            None if work.is_empty() => {}
            None => run(work),
        }
    }

    /// Sets the queue for work that waits for a commit.
    pub(crate) fn set_commit_queue(&mut self, queue: Arc<CommitQueue>) {
        self.0.commit_queue = Some(queue);
    }

    /// Queue for work that waits for a commit, if there is one.
    pub(crate) fn commit_queue(&self) -> Option<&CommitQueue> {
        self.0.commit_queue.as_deref()
    }
}

fn nothing_begun() -> Error {
    Error::internal("there is no transaction to commit: call `cx.begin()` first")
}
