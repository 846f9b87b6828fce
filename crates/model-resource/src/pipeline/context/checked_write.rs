//! The write of one object, in one transaction with the batch checks of its serializer.

use std::ops::Deref;
use std::sync::{Arc, PoisonError};

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::{Store, Transaction};

use crate::load::check_batch;
use crate::pipeline::context::request::Context;
use crate::pipeline::error::{Error, Result};

/// Store that one object is written to.
pub(crate) enum WriteStore<'a> {
    /// The store of the request, inside the request's transaction if there is one.
    Request(&'a Store),
    /// A transaction for this write only, in which the object was checked.
    Transaction(Transaction),
}

impl WriteStore<'_> {
    /// Commits the write, unless it is part of the request's transaction.
    pub(crate) async fn commit(self) -> Result<()> {
        match self {
            WriteStore::Request(_) => Ok(()),
            WriteStore::Transaction(transaction) => Ok(transaction.commit().await?),
        }
    }

    /// Rolls back the transaction of a write that was not made.
    pub(crate) async fn rollback(self) -> Result<()> {
        match self {
            WriteStore::Request(_) => Ok(()),
            WriteStore::Transaction(transaction) => Ok(transaction.rollback().await?),
        }
    }
}

impl Deref for WriteStore<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        match self {
            WriteStore::Request(store) => store,
            WriteStore::Transaction(transaction) => transaction,
        }
    }
}

impl Context {
    /// Schedules the batch checks of a serializer to run again when its draft is written. A draft with errors is left
    /// to the handler, which has received them.
    ///
    /// An item of a bulk request is checked with the others, in the transaction of its write.
    pub(crate) fn check_at_write(&self, serializer: &Arc<CompiledSerializer>, errors: &Errors) {
        if serializer.batch_checks().is_empty() || self.is_sub_request() {
            return;
        }
        let checks = &self.0.loaded.write_checks;
        let mut checks = checks.lock().unwrap_or_else(PoisonError::into_inner);
        checks.retain(|other| other.table().id() != serializer.table().id());
        if errors.is_empty() {
            checks.push(Arc::clone(serializer));
        }
    }

    /// Serializer whose batch checks a draft of this table has to pass when it is written.
    pub(crate) fn write_check(&self, table: &'static Table) -> Option<Arc<CompiledSerializer>> {
        let checks = &self.0.loaded.write_checks;
        let checks = checks.lock().unwrap_or_else(PoisonError::into_inner);
        let own = checks
            .iter()
            .find(|serializer| serializer.table().id() == table.id());
        own.map(Arc::clone)
    }

    /// Runs the batch checks of a draft inside the transaction of its write, and returns the store to write to.
    ///
    /// Other checked writes of the table wait until the transaction ends, so that the checks still hold when the draft
    /// is written. Ends the request if a check rejects the draft.
    pub(crate) async fn begin_checked(
        &self,
        serializer: &CompiledSerializer,
        mode: WriteMode,
        draft: &AnyDraft,
    ) -> Result<WriteStore<'_>> {
        let store = if self.store_unchecked().is_in_transaction() {
            WriteStore::Request(self.store_unchecked())
        } else {
            WriteStore::Transaction(self.store_unchecked().begin_for(serializer.table()).await?)
        };
        let scope = self.batch_scope(&store, mode);
        let checked = check_batch(serializer, &scope, vec![draft.with_converted()]).await?;
        let mut errors = Errors::new();
        for (_, found) in checked {
            errors.merge(found);
        }
        if errors.is_empty() {
            Ok(store)
        } else {
            store.rollback().await?;
            Err(Error::invalid(errors))
        }
    }
}
