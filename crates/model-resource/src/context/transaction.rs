//! The records that a request reads and writes, and its transaction.

use model_resource_store::Store;

use crate::context::request::Context;
use crate::context::session::Session;
use crate::error::{Error, Result};

impl Context {
    /// The records of the application, inside the transaction that [`Context::begin`] has opened, if it has.
    ///
    /// # Panics
    /// When the api was given none, which only an api without resources may be.
    pub fn store(&self) -> &Store {
        match &self.0.session {
            Session::Own(transaction) => transaction,
            Session::Part(store, ..) => store,
            Session::Plain => {
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
        if let Session::Part(_, uncommitted, _) = &self.0.session {
            return match uncommitted.begin() {
                true => Ok(()),
                false => Err(Error::internal("a transaction is open already")),
            };
        }
        self.0.session = Session::Own(self.store().begin().await?);
        Ok(())
    }

    /// Makes permanent what was written since [`Context::begin`].
    pub async fn commit(&mut self) -> Result<()> {
        if let Session::Part(_, uncommitted, _) = &self.0.session {
            return match uncommitted.commit() {
                true => Ok(()),
                false => Err(nothing_begun()),
            };
        }
        match std::mem::replace(&mut self.0.session, Session::Plain) {
            Session::Own(transaction) => Ok(transaction.commit().await?),
            Session::Plain | Session::Part(..) => Err(nothing_begun()),
        }
    }
}

fn nothing_begun() -> Error {
    Error::internal("there is no transaction to commit: call `cx.begin()` first")
}
