//! Transactions that join the one that a request has open.

use std::ops::Deref;

use model_resource::{Result, Store, Transaction};

/// A transaction of its own, or a part of the one that is open already.
pub(crate) enum TransactionScope<'a> {
    Own(Transaction),
    Joined(&'a Store),
}

impl<'a> TransactionScope<'a> {
    pub(crate) async fn begin(store: &'a Store) -> Result<Self> {
        Ok(match store.is_in_transaction() {
            true => Self::Joined(store),
            false => Self::Own(store.begin().await?),
        })
    }

    /// Commits a transaction of its own; one that was joined is committed by whoever opened it.
    pub(crate) async fn commit(self) -> Result<()> {
        match self {
            Self::Own(transaction) => Ok(transaction.commit().await?),
            Self::Joined(_) => Ok(()),
        }
    }
}

impl Deref for TransactionScope<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        match self {
            Self::Own(transaction) => transaction,
            Self::Joined(store) => store,
        }
    }
}
