//! Store and transaction of a request.

use model_resource_store::Store;

use crate::pipeline::context::db::Db;
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
            Db::Transaction(transaction) => transaction,
            Db::Shared(store, ..) => store,
            Db::Store => {
                let store = self.0.services.store.as_ref();
                store.expect("this api has no store: add `.store(..)`")
            }
        }
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
    /// the transaction of the whole request.
    pub async fn begin(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) = &self.0.db {
            return if uncommitted.begin() {
                Ok(())
            } else {
                Err(Error::internal("a transaction is open already"))
            };
        }
        self.0.db = Db::Transaction(self.store_unchecked().begin().await?);
        Ok(())
    }

    /// Commits the writes since [`Context::begin`].
    pub async fn commit(&mut self) -> Result<()> {
        if let Db::Shared(_, uncommitted, _) = &self.0.db {
            return if uncommitted.commit() {
                Ok(())
            } else {
                Err(nothing_begun())
            };
        }
        match std::mem::replace(&mut self.0.db, Db::Store) {
            Db::Transaction(transaction) => Ok(transaction.commit().await?),
            Db::Store | Db::Shared(..) => Err(nothing_begun()),
        }
    }
}

fn nothing_begun() -> Error {
    Error::internal("there is no transaction to commit: call `cx.begin()` first")
}
