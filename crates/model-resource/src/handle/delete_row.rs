//! Statement that deletes or soft-deletes one row, with its events.

use model_resource_schema::model::{Record, Row};
use model_resource_store::{AnyQuery, DeleteQuery, MapRow, RowKey, Store, StoreResult};

use crate::events::{ChangeLog, EventScope};
use crate::handle::row_write::Written;
use crate::pipeline::{Context, Result, pause_before};

/// Row to delete.
#[derive(Clone)]
pub(super) enum Deletion {
    /// The row with this key.
    Any(RowKey),
    /// This row, if no column has another value.
    Unchanged(Record),
}

impl Context {
    /// Deletes a row that the query selects. Returns whether it existed.
    pub(super) async fn delete_selected(&self, select: &AnyQuery, deletion: Deletion) -> Result<bool> {
        match deletion {
            Deletion::Any(key) if !self.is_watched(select.table()) => {
                let store = self.store_unchecked();
                let rows = DeleteQuery::soft(select, store.clock());
                Ok(store.delete_any(rows, key).await?)
            }
            deletion => {
                let deleted = self.delete_selected_with(select, deletion, |_: &dyn Row| ());
                Ok(deleted.await?.is_some())
            }
        }
    }

    /// Deletes a row that the query selects, and maps it by `keep`. Returns nothing if there is no such row.
    pub(super) async fn delete_selected_with<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        deletion: Deletion,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let store = self.store_unchecked();
        let Some(events) = self.event_scope([select.table()].into_iter()) else {
            return Ok(delete(store, select, deletion, keep).await?);
        };
        let mut attempt = 1;
        loop {
            let raised = delete_and_raise(store, &events, select, deletion.clone(), keep.clone());
            match Box::pin(raised).await {
                Err(error) if self.is_repeatable(&error, attempt) => pause_before(attempt).await,
                deleted => return Ok(deleted?.map(Written::deliver)),
            }
            attempt += 1;
        }
    }
}

async fn delete<T: Send + 'static>(
    store: &Store,
    select: &AnyQuery,
    deletion: Deletion,
    keep: impl MapRow<T>,
) -> StoreResult<Option<T>> {
    let rows = DeleteQuery::soft(select, store.clock());
    match deletion {
        Deletion::Any(key) => store.delete_any_with(rows, key, keep).await,
        Deletion::Unchanged(row) => store.delete_unchanged_with(rows, row, keep).await,
    }
}

/// Deletes a row and runs the subscribers of that, all in one transaction if they need it.
async fn delete_and_raise<T: Send + 'static>(
    store: &Store,
    events: &EventScope,
    select: &AnyQuery,
    deletion: Deletion,
    keep: impl MapRow<T>,
) -> Result<Option<Written<T>>> {
    let table = select.table();
    let keep = move |row: &dyn Row| (keep(row), Record::copy(row, table));
    // A soft deletion returns the row as it is then, so it is read before, and locked.
    let transaction = if events.is_transactional() || table.soft_delete.is_some() {
        Some(store.begin_nested().await?)
    } else {
        None
    };
    let inside = transaction.as_deref().unwrap_or(store);
    let before = match &deletion {
        Deletion::Any(key) if table.soft_delete.is_some() => {
            let copy = move |row: &dyn Row| Record::copy(row, table);
            inside.find_any_with(select.clone(), key.clone(), copy).await?
        }
        Deletion::Any(_) => None,
        Deletion::Unchanged(row) => Some(row.clone()),
    };
    let deleted = delete(inside, select, deletion, keep).await?;
    let written = match deleted {
        Some((kept, row)) => {
            let mut changes = ChangeLog::default();
            changes.deleted(table, before.unwrap_or(row));
            Some(Written::raise(Some(events), inside, changes, kept).await?)
        }
        None => None,
    };
    if let Some(transaction) = transaction {
        transaction.commit().await?;
    }
    Ok(written)
}
