//! Statements of one write: a row, the related rows that are written with it, and its events, all of them or none.

use std::borrow::Cow;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, MapRow, Precondition, Store, Transaction, Updated};

use crate::access::FrozenColumns;
use crate::events::{ChangeLog, EventScope, RaisedEvents};
use crate::handle::children::ChildWrites;
use crate::pipeline::{Error, Result};

/// Row to insert.
#[derive(Clone)]
pub(super) struct RowInsert {
    pub(super) draft: AnyDraft,
    /// Rows that may be the result.
    pub(super) writable: AnyQuery,
    /// Related rows that are written with the row.
    pub(super) children: ChildWrites,
    /// Scope of the events, if subscribers hear of the write.
    pub(super) events: Option<EventScope>,
}

/// Rows that an update is limited to, and what belongs to it.
pub(super) struct RowUpdate {
    /// Rows that may be updated.
    pub(super) permitted: AnyQuery,
    /// Columns that cannot be changed on some of them.
    pub(super) frozen: Option<FrozenColumns>,
    /// Rows that may be the result.
    pub(super) writable: AnyQuery,
    /// Related rows that are written with the row.
    pub(super) children: ChildWrites,
    /// Scope of the events, if subscribers hear of the write.
    pub(super) events: Option<EventScope>,
}

/// Row that was written, and the events that wait for its commit.
pub(super) struct Written<T> {
    kept: T,
    raised: Option<RaisedEvents>,
}

impl<T> Written<T> {
    /// Runs the subscribers of the events inside the transaction of `store`.
    pub(super) async fn raise(
        events: Option<&EventScope>,
        store: &Store,
        changes: ChangeLog,
        kept: T,
    ) -> Result<Self> {
        let raised = match events {
            Some(events) => Some(events.raise(store, changes).await?),
            None => None,
        };
        Ok(Self { kept, raised })
    }

    /// Delivers the events of a committed write, and returns the mapped row.
    pub(super) fn deliver(self) -> T {
        if let Some(raised) = self.raised {
            raised.deliver();
        }
        self.kept
    }
}

impl RowInsert {
    /// Inserts the row. Returns nothing, and writes nothing, if a policy denies it.
    pub(super) fn write<T: Send + 'static>(
        self,
        store: Store,
        keep: impl MapRow<T>,
    ) -> BoxFuture<'static, Result<Option<Written<T>>>> {
        Box::pin(async move {
            if self.children.is_empty() && !is_transactional(self.events.as_ref()) {
                return self.statements(&store, keep).await;
            }
            if is_transactional(self.events.as_ref()) {
                let transaction = store.begin_nested().await?;
                let written = self.statements(&transaction, keep).await?;
                return end(transaction, written).await;
            }
            self.write_together(store, keep).await
        })
    }

    /// Inserts the row with its related rows, as one write of the store.
    fn write_together<T: Send + 'static>(
        self,
        store: Store,
        keep: impl MapRow<T>,
    ) -> BoxFuture<'static, Result<Option<Written<T>>>> {
        Box::pin(async move {
            let work = async move |inside: Store| match self.statements(&inside, keep).await {
                Ok(Some(written)) => Ok(written),
                Ok(None) => Err(None),
                Err(error) => Err(Some(error)),
            };
            match store.write_together(work).await? {
                Ok(written) => Ok(Some(written)),
                Err(None) => Ok(None),
                Err(Some(error)) => Err(error),
            }
        })
    }

    async fn statements<T: Send + 'static>(
        self,
        store: &Store,
        keep: impl MapRow<T>,
    ) -> Result<Option<Written<T>>> {
        let (table, events) = (self.draft.table(), self.events.as_ref());
        let keep = with_copy(table, events, keep);
        let inserted = store.insert_writable(&self.writable, self.draft, keep);
        let Some(inserted) = inserted.await? else {
            return Ok(None);
        };
        let mut changes = ChangeLog::default();
        changes.created(table, inserted.row);
        if !self.children.write(store, &inserted.key, &mut changes).await? {
            return Ok(None);
        }
        let written = Written::raise(events, store, changes, inserted.kept);
        Ok(Some(written.await?))
    }
}

impl RowUpdate {
    /// Updates the row. Returns nothing, and writes nothing, if a policy denies it.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        store: &Store,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Option<Updated<Written<T>>>> {
        if self.children.is_empty() && !is_transactional(self.events.as_ref()) {
            return self.statements(store, draft, precondition, keep).await;
        }
        let transaction = store.begin_nested().await?;
        if !self.children.is_empty()
            && let Some(unwritten) = self.lock(&transaction, draft, precondition).await?
        {
            transaction.rollback().await?;
            return Ok(Some(unwritten));
        }
        match self.statements(&transaction, draft, precondition, keep).await? {
            Some(Updated::Row(written)) => {
                let written = end(transaction, Some(written)).await?;
                Ok(written.map(Updated::Row))
            }
            other => {
                transaction.rollback().await?;
                Ok(other)
            }
        }
    }

    /// Rows that a draft may be written to.
    fn rows(&self, draft: &AnyDraft) -> Cow<'_, AnyQuery> {
        match &self.frozen {
            Some(frozen) => frozen.changeable(&self.permitted, draft),
            None => Cow::Borrowed(&self.permitted),
        }
    }

    /// Locks the row, so that requests that replace its related rows wait for each other. Returns why it is not to be
    /// updated, if so.
    async fn lock<T>(
        &self,
        transaction: &Transaction,
        draft: &AnyDraft,
        precondition: Precondition,
    ) -> Result<Option<Updated<T>>> {
        let Some(key) = draft.key() else {
            return Err(Error::internal("a new row cannot be updated"));
        };
        let Some(locked) = transaction.find_any(&self.rows(draft), key.clone()).await? else {
            return Ok(Some(Updated::Missing));
        };
        // An update without changes of its own compares nothing.
        let is_stale = draft.original().is_some_and(|original| *original != locked);
        let is_denied = precondition == Precondition::Unchanged && is_stale;
        Ok(is_denied.then_some(Updated::Stale(locked)))
    }

    async fn statements<T: Send + 'static>(
        &self,
        store: &Store,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Option<Updated<Written<T>>>> {
        let (table, events) = (draft.table(), self.events.as_ref());
        let keep = with_copy(table, events, keep);
        let rows = self.rows(draft);
        let updated = store.update_writable(&self.writable, &rows, draft, precondition, keep);
        let updated = match updated.await? {
            None => return Ok(None),
            Some(Updated::Row(updated)) => updated,
            Some(Updated::Missing) => return Ok(Some(Updated::Missing)),
            Some(Updated::Stale(row)) => return Ok(Some(Updated::Stale(row))),
        };
        let mut changes = ChangeLog::default();
        changes.updated(table, draft.original(), updated.row);
        if !self.children.write(store, &updated.key, &mut changes).await? {
            return Ok(None);
        }
        let written = Written::raise(events, store, changes, updated.kept);
        Ok(Some(Updated::Row(written.await?)))
    }
}

/// Row as it was saved.
struct SavedRow<T> {
    kept: T,
    key: Value,
    /// Copy, if subscribers hear of the write.
    row: Option<Record>,
}

fn with_copy<T: Send + 'static>(
    table: &'static Table,
    events: Option<&EventScope>,
    keep: impl MapRow<T>,
) -> impl MapRow<SavedRow<T>> {
    let is_watched = events.is_some_and(|events| events.watches(table));
    move |row: &dyn Row| SavedRow {
        kept: keep(row),
        key: row.value(table.primary_key).to_value(),
        row: is_watched.then(|| Record::copy(row, table)),
    }
}

fn is_transactional(events: Option<&EventScope>) -> bool {
    events.is_some_and(EventScope::is_transactional)
}

/// Commits what was written, or rolls back if nothing is to be.
async fn end<T>(transaction: Transaction, written: Option<T>) -> Result<Option<T>> {
    match &written {
        Some(_) => transaction.commit().await?,
        None => transaction.rollback().await?,
    }
    Ok(written)
}
