//! Writes that depend on the row as it was written (`WITH CHECK`).

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::Row;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

use crate::error::Result;
use crate::sink::MapRow;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::update::{Precondition, Updated};

/// Whether the rows that a write may leave include the written one.
enum Verdict {
    Known(bool),
    /// Depends on related rows. The value is the key of the written row.
    Asks(Value),
}

impl Store {
    /// Inserts the draft if `writable` selects the row as it is saved, and maps it by `keep`. Otherwise returns nothing
    /// and inserts nothing.
    pub async fn insert_writable<T: Send + 'static>(
        &self,
        writable: &AnyQuery,
        draft: AnyDraft,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        if writable.is_all() {
            return self.insert_any_with(draft, keep).await.map(Some);
        }
        let transaction = self.begin_nested().await?;
        let (kept, verdict) = transaction.insert_any_with(draft, judged(writable, keep)).await?;
        let is_writable = end(transaction, writable, verdict).await?;
        Ok(is_writable.then_some(kept))
    }

    /// Updates like [`Store::update_any_with`] if `writable` selects the row as it is saved. Otherwise returns nothing
    /// and changes nothing.
    pub async fn update_writable<T: Send + 'static>(
        &self,
        writable: &AnyQuery,
        select: &AnyQuery,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Option<Updated<T>>> {
        if writable.is_all() {
            let updated = self.update_any_with(select, draft, precondition, keep);
            return updated.await.map(Some);
        }
        let transaction = self.begin_nested().await?;
        let keep = judged(writable, keep);
        let updated = transaction.update_any_with(select, draft, precondition, keep);
        match updated.await? {
            Updated::Row((kept, verdict)) => {
                let is_writable = end(transaction, writable, verdict).await?;
                Ok(is_writable.then_some(Updated::Row(kept)))
            }
            Updated::Missing => {
                transaction.rollback().await?;
                Ok(Some(Updated::Missing))
            }
            Updated::Stale(row) => {
                transaction.rollback().await?;
                Ok(Some(Updated::Stale(row)))
            }
        }
    }
}

/// Maps a written row by `keep`, with the verdict on it.
fn judged<T: Send + 'static>(writable: &AnyQuery, keep: impl MapRow<T>) -> impl MapRow<(T, Verdict)> {
    let writable = writable.clone();
    move |row: &dyn Row| {
        let verdict = if writable.is_decided_by_row() {
            Verdict::Known(writable.selects(row))
        } else {
            Verdict::Asks(row.value(writable.table().primary_key).to_value())
        };
        (keep(row), verdict)
    }
}

/// Commits the write if the row may be left so, or rolls it back. Returns whether it was committed.
async fn end(transaction: Transaction, writable: &AnyQuery, verdict: Verdict) -> Result<bool> {
    let is_writable = match verdict {
        Verdict::Known(is_writable) => is_writable,
        Verdict::Asks(key) => transaction.exists_any(writable, key).await?,
    };
    if is_writable {
        transaction.commit().await?;
    } else {
        transaction.rollback().await?;
    }
    Ok(is_writable)
}
