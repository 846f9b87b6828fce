//! Writes of one row under the policies of the caller. Updates use optimistic concurrency: one that finds a changed row
//! is validated and tried again.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::Record;
use model_resource_schema::serializer::{CompiledSerializer, WriteMode};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, MapRow, Precondition, RowKey, Store, StoreError, Updated};

use crate::conditional::Preconditions;
use crate::handle::row_write::{RowInsert, RowUpdate, Written};
use crate::load::check_for_caller;
use crate::pipeline::{Context, Error, MAX_ATTEMPTS, PatchedRow, Result, WriteStore, pause_before};
use crate::routing::Operation;

/// Maximum attempts to update a row that concurrent requests keep changing.
pub(super) const MAX_STALE: usize = 100;

impl Context {
    /// Inserts a new row with the presets of the caller, and maps it by `keep`. Ends the request if the policy denies it.
    /// `is_good` tells whether the mapped row lets the request succeed.
    pub(super) async fn insert_permitted<T: Send + 'static>(
        &self,
        mut draft: AnyDraft,
        keep: impl MapRow<T>,
        is_good: fn(&T) -> bool,
    ) -> Result<T> {
        self.check_undecided_errors()?;
        let table = draft.table();
        let access = self.access(table);
        access.require_create()?;
        access.apply_presets(&mut draft).await?;
        access
            .require_visible_references(&mut draft, &AnyQuery::from(table))
            .await?;
        let writable = access.writable();
        let children = self.prepare_children(&mut draft).await?;
        let events = self.event_scope(children.tables().chain([table]));
        let check = self.write_check(table);
        if check.is_none() && children.is_empty() && events.is_none() {
            self.expect_one_write(&writable);
            let inserted = self.insert(draft, writable, keep, is_good).await?;
            return inserted.ok_or_else(|| self.denied());
        }
        let insert = RowInsert {
            draft,
            writable,
            children,
            events,
        };
        let inserted = match check {
            Some(check) => Box::pin(self.insert_checked(&check, &insert, keep)).await?,
            None => Box::pin(self.insert_in_steps(&insert, keep, is_good)).await?,
        };
        inserted.ok_or_else(|| self.denied())
    }

    /// Inserts a row with its related rows and events, which is repeated if the database undoes it because of a concurrent
    /// transaction, unless it is part of a bulk request.
    async fn insert_in_steps<T: Send + 'static>(
        &self,
        insert: &RowInsert,
        keep: impl MapRow<T>,
        is_good: fn(&T) -> bool,
    ) -> Result<Option<T>> {
        let mut attempt = 1;
        loop {
            let (insert, keep) = (insert.clone(), keep.clone());
            let write = |store: Store| -> BoxFuture<'static, Result<Option<T>>> {
                let written = insert.write(store, keep);
                Box::pin(async move { Ok(written.await?.map(Written::deliver)) })
            };
            match self.insert_by(write, is_good).await {
                Err(error) if !self.is_sub_request() && self.is_repeatable(&error, attempt) => {
                    pause_before(attempt).await;
                }
                inserted => return inserted,
            }
            attempt += 1;
        }
    }

    /// Checks and inserts a draft in one transaction, which is repeated if the database undoes it because of a
    /// concurrent one.
    async fn insert_checked<T: Send + 'static>(
        &self,
        check: &CompiledSerializer,
        insert: &RowInsert,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let mut attempt = 1;
        loop {
            let checked = async {
                let begun = self.begin_checked(check, WriteMode::Create, &insert.draft);
                let store = begun.await?;
                let written = insert.clone().write(Store::clone(&store), keep.clone()).await?;
                match &written {
                    Some(_) => store.commit().await?,
                    None => store.rollback().await?,
                }
                Ok(written.map(Written::deliver))
            };
            match checked.await {
                Err(error) if self.is_repeatable(&error, attempt) => pause_before(attempt).await,
                inserted => return inserted,
            }
            attempt += 1;
        }
    }

    /// Announces that the next statement is the only one of this request that writes, if it is and if nothing that the client
    /// asks for can fail after it.
    fn expect_one_write(&self, writable: &AnyQuery) {
        if writable.is_all() && !self.is_sub_request() && self.uri().query().is_none() {
            self.store_unchecked().expect_one_write();
        }
    }

    /// Whether a transaction of one write is repeated after this error. One that a handler has begun is the handler's.
    pub(super) fn is_repeatable(&self, error: &Error, attempt: u32) -> bool {
        error.is_aborted() && attempt < MAX_ATTEMPTS && !self.store_unchecked().is_in_transaction()
    }

    /// Checks and writes the changes of a draft once. Returns nothing if the row would not be one of the writable ones.
    async fn update_once<T: Send + 'static>(
        &self,
        check: Option<(&CompiledSerializer, WriteMode)>,
        update: &RowUpdate,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Option<Updated<T>>> {
        if check.is_none() && update.children.is_empty() && update.events.is_none() {
            self.expect_one_write(&update.writable);
        }
        let store = match check {
            Some((check, mode)) => Box::pin(self.begin_checked(check, mode, draft)).await?,
            None => WriteStore::Request(self.store_unchecked()),
        };
        let updated = update.write(&store, draft, precondition, keep).await?;
        match &updated {
            Some(Updated::Row(_)) => store.commit().await?,
            Some(Updated::Missing | Updated::Stale(_)) | None => store.rollback().await?,
        }
        Ok(updated.map(|updated| updated.map(Written::deliver)))
    }

    /// Writes the changes and maps the row by `keep`. If the row has changed since it was loaded, checks them against the
    /// current row. Ends the request if the policy denies the update, or if the row does not fulfil the preconditions.
    pub(super) async fn update_permitted<T: Send + 'static>(
        &self,
        mut draft: AnyDraft,
        preconditions: Preconditions,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        self.check_undecided_errors()?;
        let table = draft.table();
        let mode = match self.operation() {
            Some(Operation::Put) => WriteMode::Replace,
            _ => WriteMode::Update,
        };
        let access = self.access(table);
        let scope = self.row_update(&mut draft).await?;
        access
            .require_visible_references(&mut draft, &scope.permitted)
            .await?;
        if let Some(row) = draft.original() {
            preconditions.check_row(self, table, row)?;
        }
        let mut check = self.write_check(table);
        let serializer = self.load_serializer(table);
        let is_whole = serializer.is_ok_and(|serializer| serializer.validates_whole())
            || !preconditions.is_empty()
            // The event has the row as it was before.
            || self.is_watched(table)
            || self.extension::<PatchedRow>().is_some();
        let mut aborted = 0;
        for _ in 0..MAX_STALE {
            let precondition = precondition(is_whole || repeats(&draft));
            let checked = check.as_deref().map(|check| (check, mode));
            let update = self.update_once(checked, &scope, &draft, precondition, keep.clone());
            let updated = match update.await {
                Err(error) if self.is_repeatable(&error, aborted + 1) => {
                    aborted += 1;
                    pause_before(aborted).await;
                    continue;
                }
                updated => updated?,
            };
            let row = match updated {
                Some(Updated::Row(kept)) => return Ok(kept),
                None => return Err(self.denied()),
                Some(Updated::Missing) => self.find_frozen(&draft, &scope).await?,
                Some(Updated::Stale(row)) => row,
            };
            if draft.original().is_some() {
                preconditions.check_row(self, table, &row)?;
                check = self.rebase(&mut draft, row, &scope, mode).await?;
            } else {
                // Now it is known which of its values are new.
                draft.rebase(row);
            }
        }
        Err(StoreError::Unavailable("the row kept changing".to_owned()).into())
    }

    /// Prepares the update of a draft under the policies of the caller.
    async fn row_update(&self, draft: &mut AnyDraft) -> Result<RowUpdate> {
        let (table, access) = (draft.table(), self.access(draft.table()));
        let permitted = access.at_url(access.permitted_for(Operation::Patch)?, draft.original());
        let permitted = access.with_private_shown(permitted, draft).await?;
        let children = self.prepare_children(draft).await?;
        Ok(RowUpdate {
            permitted,
            frozen: access.frozen([&*draft].into_iter()),
            writable: access.writable(),
            events: self.event_scope(children.tables().chain([table])),
            children,
        })
    }

    /// Returns the row of a draft that was not written because the draft may change frozen columns, so that the update is
    /// to be based on it. Ends the request if the draft does change them, and if the row may not be updated at all.
    async fn find_frozen(&self, draft: &AnyDraft, scope: &RowUpdate) -> Result<Record> {
        let key = draft.key().cloned().unwrap_or(Value::Null);
        let frozen = scope.frozen.as_ref();
        if let Some(frozen) = frozen.filter(|frozen| frozen.are_changed(draft)) {
            let store = self.store_unchecked();
            if let Some(row) = store.find_any(&scope.permitted, key.clone()).await? {
                let is_known = draft.original() == Some(&row);
                if is_known && store.exists_any(&frozen.among(&scope.permitted), key).await? {
                    return Err(Error::invalid(frozen.errors(draft)));
                }
                return Ok(row);
            }
        }
        let access = self.access(draft.table());
        let seen = access.at_url(access.scoped()?, draft.original());
        Err(access.why_not_permitted(seen, RowKey::Primary(key)).await)
    }

    /// Bases the changes on a newer version of the row, and validates them again. Returns the serializer whose batch
    /// checks they have to pass.
    async fn rebase(
        &self,
        draft: &mut AnyDraft,
        row: Record,
        scope: &RowUpdate,
        mode: WriteMode,
    ) -> Result<Option<Arc<CompiledSerializer>>> {
        if self.extension::<PatchedRow>().is_some() {
            return Err(Error::stale());
        }
        draft.rebase(row);
        let access = self.access(draft.table());
        // A foreign key that had its old value may be a change of the current row.
        access.require_visible_references(draft, &scope.permitted).await?;
        let Ok(serializer) = self.load_serializer(draft.table()) else {
            return Ok(None);
        };
        let mut errors = serializer.validate(draft, mode);
        check_for_caller(serializer, self.caller(), draft, mode, &mut errors);
        if !errors.is_empty() {
            return Err(Error::invalid(errors));
        }
        Ok((!serializer.batch_checks().is_empty()).then(|| Arc::clone(serializer)))
    }

    /// Ends the request if the body has errors that no handler has taken.
    fn check_undecided_errors(&self) -> Result<()> {
        match self.undecided_errors() {
            Some(errors) => Err(Error::invalid(errors.clone())),
            None => Ok(()),
        }
    }
}

/// Condition of a write that may be valid for the row as it was read only.
fn precondition(is_about_row: bool) -> Precondition {
    if is_about_row {
        Precondition::Unchanged
    } else {
        Precondition::Exists
    }
}

/// Whether the draft sets a column to its current value. Such a column is not written, so the write has to ensure that
/// it still has the value.
fn repeats(draft: &AnyDraft) -> bool {
    (0..draft.table().columns.len()).any(|column| draft.is_set(column) && !draft.is_changed(column))
}
