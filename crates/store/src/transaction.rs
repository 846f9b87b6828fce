//! Several reads and writes that happen together or not at all.

use std::ops::Deref;

use model_resource_schema::column::Table;
use model_resource_schema::value::Value;

use crate::error::Result;
use crate::query::AnyQuery;
use crate::store::Store;

/// Several reads and writes that happen together or not at all.
///
/// It is used like the [`Store`] it came from, and a function that takes `&Store` works inside and outside of one. Its
/// reads see its own writes; nobody else sees them before [`Transaction::commit`]. A write that is refused leaves the
/// transaction as it was before. Dropping it undoes everything.
///
/// In SQLite there is one at a time, and other writes wait until it ends; in PostgreSQL those wait that concern the rows it
/// wrote, or found by key or as the first. So end it soon, and write through nothing else meanwhile. After five seconds
/// without a call it is undone, and further calls say that it timed out.
#[derive(Debug)]
pub struct Transaction {
    store: Store,
}

impl Store {
    /// Opens a transaction, as soon as it is its turn.
    pub async fn begin(&self) -> Result<Transaction> {
        Ok(Transaction {
            store: Store {
                database: self.database.begin().await?,
            },
        })
    }

    /// Serializes transactions that check a table before they write to it: waits until no other transaction holds the
    /// table's lock, and holds it until this transaction ends.
    ///
    /// The rows that are read afterwards cannot be changed by another transaction that takes the lock first as well. Writes
    /// that do not take it are not kept out. In SQLite a transaction is alone already; in PostgreSQL it is an advisory lock.
    /// Take the locks of several tables in the order of their names, and before other statements, so that two transactions
    /// never wait for each other.
    ///
    /// Fails outside of a transaction.
    pub async fn lock_checks(&self, table: &'static Table) -> Result<()> {
        self.database.lock_checks(table).await
    }
}

impl Transaction {
    /// Locks the selected rows whose column at this position has one of the values, in the order of their primary keys, until
    /// the transaction ends.
    ///
    /// Transactions that lock their rows by one such call, and then write them in whatever order, wait for each other. Without
    /// it, two that write the same rows in contrary orders end in a deadlock on PostgreSQL, which refuses one of them. On SQLite
    /// there is one transaction at a time, and nothing to lock.
    ///
    /// ```
    /// # use model_resource_schema::column::{Assigned, Column, Role, Table};
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_schema::value::Value;
    /// # use model_resource_store::{AnyQuery, Store};
    /// # static ACCOUNTS: Table = Table::new("accounts", "Account", &[
    /// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// # ]);
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::Result<()> {
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
        let select = select.clone();
        self.store.database.lock_rows(select, column, values).await
    }

    /// Makes everything permanent. If it fails, nothing was.
    pub async fn commit(self) -> Result<()> {
        self.store.database.commit().await
    }

    /// Undoes everything, and returns when that is done.
    pub async fn rollback(self) -> Result<()> {
        self.store.database.rollback().await
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
        self.store.database.abandon();
    }
}
