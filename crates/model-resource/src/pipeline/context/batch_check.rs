//! Batch checks of a request's drafts, which query the database.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_store::{AnyQuery, MapRow, Store};
use tokio::sync::oneshot;

use crate::load::{BatchScope, check_batch};
use crate::pipeline::context::db::Db;
use crate::pipeline::context::handover::{Arrival, PendingCheck, PendingInsert, Verdict};
use crate::pipeline::context::request::Context;
use crate::pipeline::error::{Error, Result};

/// Time at which the batch checks of a single object run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckTime {
    /// When it is loaded, for a handler that takes the errors, and again when it is written.
    AtLoad,
    /// When it is written, by the automatic handler.
    AtWrite,
}

impl Context {
    /// Runs the batch checks of a draft: together with the other objects of the request, if there are any. A draft that
    /// references a row which the caller cannot see is rejected before, because the checks read all rows.
    pub(crate) async fn check_loaded(
        &mut self,
        serializer: &Arc<CompiledSerializer>,
        mode: WriteMode,
        mut draft: AnyDraft,
        time: CheckTime,
    ) -> Result<(AnyDraft, Errors)> {
        if serializer.batch_checks().is_empty() {
            return Ok((draft, Errors::new()));
        }
        // The write runs the checks. Nothing expensive is done for an object that a check rejects.
        if time == CheckTime::AtWrite && !self.is_sub_request() && !serializer.converts(&draft) {
            return Ok((draft, Errors::new()));
        }
        let errors = self.access(draft.table()).reference_errors(&mut draft).await?;
        if !errors.is_empty() {
            return Ok((draft, errors));
        }
        let arrivals = match &self.0.db {
            Db::Shared(_, _, handover) => handover.take_for_check(),
            Db::Store | Db::Transaction(..) | Db::Event(..) => None,
        };
        let Some(arrivals) = arrivals else {
            return self.run_checks(serializer, mode, draft).await;
        };
        let (verdict, answer) = oneshot::channel();
        let check = PendingCheck {
            serializer: Arc::clone(serializer),
            mode,
            draft,
            verdict,
        };
        // Without a receiver the request has ended, and so will the answer.
        arrivals.send(Arrival::Check(check)).ok();
        let Verdict { draft, errors, store } = answer.await.map_err(|_| request_ended())?;
        if let Db::Shared(shared, ..) = &mut self.0.db {
            **shared = store;
        }
        Ok((draft, errors))
    }

    /// Runs the batch checks of a single draft, unless it references a row which the caller cannot see.
    pub(crate) async fn check_single(
        &self,
        serializer: &CompiledSerializer,
        mode: WriteMode,
        mut draft: AnyDraft,
    ) -> Result<(AnyDraft, Errors)> {
        if serializer.batch_checks().is_empty() {
            return Ok((draft, Errors::new()));
        }
        let errors = self.access(draft.table()).reference_errors(&mut draft).await?;
        if !errors.is_empty() {
            return Ok((draft, errors));
        }
        self.run_checks(serializer, mode, draft).await
    }

    async fn run_checks(
        &self,
        serializer: &CompiledSerializer,
        mode: WriteMode,
        draft: AnyDraft,
    ) -> Result<(AnyDraft, Errors)> {
        let scope = self.batch_scope(self.store_unchecked(), mode);
        let checked = check_batch(serializer, &scope, vec![draft]).await?;
        let mut checked = checked.into_iter();
        checked
            .next()
            .ok_or_else(|| Error::internal("a batch check has lost its draft"))
    }

    /// Inserts a draft, together with those of the other items if this is an item of a bulk request. Returns nothing if
    /// the row would not be one of the writable ones. `is_good` tells whether the mapped row lets the request succeed.
    pub(crate) async fn insert<T: Send + 'static>(
        &self,
        draft: AnyDraft,
        writable: AnyQuery,
        keep: impl MapRow<T>,
        is_good: fn(&T) -> bool,
    ) -> Result<Option<T>> {
        let Some(arrivals) = self.take_for_insert() else {
            let inserted = self.store_unchecked().insert_writable(&writable, draft, keep);
            return Ok(inserted.await?);
        };
        let write = move |store: Store| -> BoxFuture<'static, Result<Option<T>>> {
            Box::pin(async move { Ok(store.insert_writable(&writable, draft, keep).await?) })
        };
        hand_over(arrivals, write, is_good).await
    }

    /// Inserts a row by several statements, in the transaction of the other items if this is an item of a bulk request.
    /// Returns nothing if that is denied.
    pub(crate) async fn insert_by<T: Send + 'static>(
        &self,
        write: impl FnOnce(Store) -> BoxFuture<'static, Result<Option<T>>> + Send + 'static,
        is_good: fn(&T) -> bool,
    ) -> Result<Option<T>> {
        match self.take_for_insert() {
            Some(arrivals) => hand_over(arrivals, write, is_good).await,
            None => write(self.store_unchecked().clone()).await,
        }
    }

    /// Sender for an insert, if this is an item of a bulk request whose transaction begins later.
    fn take_for_insert(&self) -> Option<oneshot::Sender<Arrival>> {
        match &self.0.db {
            Db::Shared(_, _, handover) => handover.take_for_insert(),
            Db::Store | Db::Transaction(..) | Db::Event(..) => None,
        }
    }

    /// Context of this request's batch checks, which query `store`.
    pub(crate) fn batch_scope(&self, store: &Store, mode: WriteMode) -> BatchScope {
        BatchScope {
            store: store.clone(),
            caller: self.caller().clone(),
            mode,
            states: Arc::clone(self.services().handle.states()),
        }
    }
}

/// Leaves an insert to the bulk request that this one is an item of, and waits for its result.
async fn hand_over<T: Send + 'static>(
    arrivals: oneshot::Sender<Arrival>,
    write: impl FnOnce(Store) -> BoxFuture<'static, Result<Option<T>>> + Send + 'static,
    is_good: fn(&T) -> bool,
) -> Result<Option<T>> {
    let (inserted, answer) = oneshot::channel();
    let insert: PendingInsert = Box::new(move |store| {
        Box::pin(async move {
            let row = write(store).await;
            let is_written = matches!(&row, Ok(Some(row)) if is_good(row));
            // An operation that was dropped needs no result.
            inserted.send(row).ok();
            is_written
        })
    });
    // Without a receiver the request has ended, and so will the answer.
    arrivals.send(Arrival::Insert(insert)).ok();
    answer.await.map_err(|_| request_ended())?
}

fn request_ended() -> Error {
    Error::internal("the request ended before its objects were written")
}
