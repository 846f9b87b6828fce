//! The records that a request reads and writes, and its transaction.

use model_resource_store::Store;

use crate::context::db::Db;
use crate::context::request::Context;
use crate::error::{Error, Result};

impl Context {
    /// The records of the application, inside the transaction that [`Context::begin`] has opened, if it has.
    ///
    /// # Panics
    /// When the api was given none, which only an api without resources may be.
    pub fn store(&self) -> &Store {
        match &self.0.session {
            Db::Transaction(transaction) => transaction,
            Db::Shared(store, ..) => store,
            Db::Store => {
                let store = self.0.services.store.as_ref();
                store.expect("this api has no records: add `.store(..)`")
            }
        }
    }

    /// Opens a transaction: until [`Context::commit`], the store and the response helpers of this request work inside it.
    ///
    /// Without a commit everything is undone when the request ends. One of many objects in a request is written inside
    /// the transaction for all of them.
    pub async fn begin(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) = &self.0.session {
            return match uncommitted.begin() {
                true => Ok(()),
                false => Err(Error::internal("a transaction is open already")),
            };
        }
        self.0.session = Db::Transaction(self.store().begin().await?);
        Ok(())
    }

    /// Makes permanent what was written since [`Context::begin`].
    pub async fn commit(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) = &self.0.session {
            return match uncommitted.commit() {
                true => Ok(()),
                false => Err(nothing_begun()),
            };
        }
        match std::mem::replace(&mut self.0.session, Db::Store) {
            Db::Transaction(transaction) => Ok(transaction.commit().await?),
            Db::Store | Db::Shared(..) => Err(nothing_begun()),
        }
    }
}

fn nothing_begun() -> Error {
    Error::internal("there is no transaction to commit: call `cx.begin()` first")
}
