//! Several reads and writes that happen together or not at all.

use std::ops::Deref;

use crate::error::Result;
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
}

impl Transaction {
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
