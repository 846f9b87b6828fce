//! Transactions.

use std::ops::Deref;
use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::value::Value;
use tokio::sync::OwnedMutexGuard;

use crate::backend::Backend as _;
use crate::database::{Database, call, call_async};
use crate::error::{Error, Result};
use crate::raw_sql::Sql;
use crate::savepoint::Savepoint;
use crate::slow::Subject;
use crate::store::Store;
use model_resource_schema::query::AnyQuery;

/// A database transaction: its reads and writes take effect together or not at all.
///
/// It is used like the [`Store`] it came from, so a function that takes `&Store` works inside and outside of one. Its
/// reads see its own writes; others see them after [`Transaction::commit`]. A rejected write leaves the transaction
/// as it was before. Dropping the transaction rolls it back.
///
/// In SQLite there is one transaction at a time, and other writes wait for its end. In PostgreSQL, writes wait if
/// they concern rows that it wrote, or that it found by key or as the first. Keep it short, and write through nothing
/// else meanwhile. After five seconds without a call it is rolled back, and further calls fail with a timeout.
///
/// In the store of a [`DeferredTransaction`](crate::DeferredTransaction) it is a savepoint of that transaction.
#[derive(Debug)]
pub struct Transaction {
    /// Boxed, because a store is large and a transaction is often part of other values.
    store: Box<Store>,
    nesting: Nesting,
    /// Keeps other savepoints of its kind waiting, because savepoints end in the reverse order of their beginning.
    turn: Option<OwnedMutexGuard<()>>,
}

/// Relation of a transaction to others.
#[derive(Debug, PartialEq, Eq)]
enum Nesting {
    /// A transaction of its own.
    Outer,
    /// A savepoint of another transaction.
    Inner,
    /// A savepoint that was released or undone.
    InnerEnded,
}

impl Store {
    /// Begins a transaction, waiting for its turn.
    pub async fn begin(&self) -> Result<Transaction> {
        self.begin_transaction(None).await
    }

    /// Begins a transaction that writes many rows of one table, or that waits for locks of the table.
    ///
    /// However many such transactions there are, they leave the database to other writes: in PostgreSQL those about one
    /// table use only a part of the connections for transactions; in SQLite only one at a time takes its turn among the
    /// other writes.
    pub async fn begin_for(&self, table: &'static Table) -> Result<Transaction> {
        self.begin_transaction(Some(table)).await
    }

    pub(crate) async fn begin_transaction(&self, table: Option<&'static Table>) -> Result<Transaction> {
        if let Some(outer) = self.begin_deferred(table).await? {
            return self.begin_inner(outer.clone()).await;
        }
        Ok(Transaction {
            store: Box::new(Store {
                database: self.database.begin(table).await?,
                changes: self.changes().of_transaction(),
                deferral: None,
                nested: Some(Arc::default()),
                ..self.clone()
            }),
            nesting: Nesting::Outer,
            turn: None,
        })
    }

    /// Begins a transaction or, inside of one, a savepoint of it: for a write with several statements, which ends it soon.
    /// Several of them at the same time wait for each other.
    pub async fn begin_nested(&self) -> Result<Transaction> {
        let turn = match &self.nested {
            Some(nested) => Some(Arc::clone(nested).lock_owned().await),
            None => None,
        };
        let mut transaction = if self.deferral.is_none() && self.is_in_transaction() {
            self.begin_inner(self.database.clone()).await?
        } else {
            self.begin_transaction(None).await?
        };
        transaction.turn = turn;
        Ok(transaction)
    }

    /// Begins a savepoint of the transaction that `outer` is the database in.
    async fn begin_inner(&self, outer: Database) -> Result<Transaction> {
        call_async!(outer, backend => backend.savepoint(Savepoint::Begin))?;
        Ok(Transaction {
            store: Box::new(Store {
                database: outer,
                deferral: None,
                nested: Some(Arc::default()),
                ..self.clone()
            }),
            nesting: Nesting::Inner,
            turn: None,
        })
    }

    /// Serializes transactions that check a table before they write to it: waits for the table's lock, and holds it
    /// until this transaction ends.
    ///
    /// Rows that are read afterwards cannot be changed by another transaction that takes the same lock first. Writes
    /// that do not take the lock are not blocked. In SQLite a transaction is already exclusive; in PostgreSQL this is
    /// an advisory lock. Take the locks of several tables in the order of their names and before other statements, to
    /// avoid deadlocks.
    ///
    /// Fails outside of a transaction.
    pub async fn lock_checks(&self, table: &'static Table) -> Result<()> {
        if !self.is_in_transaction() {
            return Err(Error::Failed("no transaction is open".to_owned()));
        }
        call_async!(*self.reads_from(), backend => backend.lock_checks(table))
    }

    /// Locks the selected rows whose column at this position has one of the values, in the order of their primary
    /// keys, until the transaction ends.
    ///
    /// Transactions that lock their rows by one such call can then write them in any order: they wait for each other.
    /// Without it, two transactions that write the same rows in opposite orders deadlock on PostgreSQL, which aborts
    /// one of them. SQLite has one transaction at a time and needs no lock.
    ///
    /// Fails outside of a transaction.
    ///
    /// ```
    /// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_schema::value::Value;
    /// # use model_resource_store::{AnyQuery, Store};
    /// # static ACCOUNTS: Table = Table::new("accounts", "Account", &[
    /// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// # ]);
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.create_tables(&[&ACCOUNTS]).await?;
    /// let transaction = store.begin().await?;
    /// let (accounts, ids) = (AnyQuery::from(&ACCOUNTS), vec![Value::Int(2), Value::Int(1)]);
    /// transaction.lock_rows(&accounts, ACCOUNTS.primary_key, ids).await?;
    /// // Both rows are read and written in any order.
    /// transaction.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn lock_rows(&self, select: &AnyQuery, column: usize, values: Vec<Value>) -> Result<()> {
        if !self.is_in_transaction() {
            return Err(Error::Failed("no transaction is open".to_owned()));
        }
        let (timer, table) = (self.slow.start(), select.table());
        let select = select.clone();
        let outcome = call_async!(*self.reads_from(), backend => backend.lock_rows(select, column, values));
        timer.end("lock", table);
        outcome
    }
}

impl Transaction {
    /// Runs a future with many statements of this transaction, faster than by awaiting it.
    ///
    /// In SQLite, where statements run on a thread of their own, the future runs on that thread too: a statement is
    /// then a function call, without a switch between threads. In PostgreSQL the future is awaited as usual. It must
    /// not block, and its statements must be those of a clone of this store. If the caller is dropped, so is the
    /// future.
    ///
    /// ```
    /// # use model_resource_store::{Sql, Store, StoreError};
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// let transaction = store.begin().await?;
    /// let inside = Store::clone(&transaction);
    /// let written = transaction.run(async move {
    ///     inside.execute(Sql::new("CREATE TABLE numbers (number INTEGER)")).await?;
    ///     for number in 0..100_i64 {
    ///         inside.execute(Sql::new("INSERT INTO numbers VALUES ($1)").bind(number)).await?;
    ///     }
    ///     Ok::<_, StoreError>(())
    /// });
    /// written.await??;
    /// transaction.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        match self.nesting {
            Nesting::Outer => call!(self.store.database, backend => backend.drive(work).await),
            // The outer transaction may run there already.
            Nesting::Inner | Nesting::InnerEnded => Ok(work.await),
        }
    }

    /// Commits the transaction. If this fails, nothing was written.
    pub async fn commit(self) -> Result<()> {
        if self.nesting != Nesting::Outer {
            return self.end_inner(Savepoint::Release).await;
        }
        let (timer, _changes) = (self.slow.start(), self.store.changes.commit());
        let outcome = call_async!(self.store.database, backend => backend.commit());
        timer.end("commit", Subject::Transaction);
        outcome
    }

    /// Inserts a response and commits the transaction, in one round trip where that is possible. If this fails, nothing
    /// was written.
    pub(crate) async fn commit_with_response(self, insert: Sql) -> Result<()> {
        let (timer, _changes) = (self.slow.start(), self.store.changes.commit());
        let outcome = call_async!(self.store.database, backend => backend.commit_with_response(insert));
        timer.end("commit", Subject::Transaction);
        outcome
    }

    /// Rolls the transaction back and waits for completion.
    pub async fn rollback(self) -> Result<()> {
        if self.nesting != Nesting::Outer {
            return self.end_inner(Savepoint::Undo).await;
        }
        call_async!(self.store.database, backend => backend.rollback())
    }

    async fn end_inner(mut self, step: Savepoint) -> Result<()> {
        call_async!(self.store.database, backend => backend.savepoint(step))?;
        self.nesting = Nesting::InnerEnded;
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        match self.nesting {
            Nesting::Outer => call!(self.store.database, backend => backend.abandon()),
            Nesting::Inner => call!(self.store.database, backend => backend.abandon_savepoint()),
            Nesting::InnerEnded => {}
        }
    }
}
