//! Transactions that join the open one of a request.

use std::ops::Deref;

use model_resource::{Result, Store, Transaction};

/// New transaction, or the open one that was joined.
pub(crate) enum TransactionScope<'a> {
    Own(Transaction),
    Joined(&'a Store),
}

impl<'a> TransactionScope<'a> {
    pub(crate) async fn begin(store: &'a Store) -> Result<Self> {
        Ok(if store.is_in_transaction() {
            Self::Joined(store)
        } else {
            Self::Own(store.begin().await?)
        })
    }

    /// Commits a new transaction. A joined one is committed by the code that opened it.
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
