//! Rows to delete, and the way in which they are.

use model_resource_schema::clock::Clock;
use model_resource_schema::draft::Changes;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;

/// Rows to delete: from the table, or by an UPDATE that sets the time of their deletion (soft deletion).
///
/// A query alone deletes rows from the table, also if it has a column for soft deletion.
///
/// ```
/// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
/// # use model_resource_schema::data_type::DataType;
/// # use model_resource_schema::draft::AnyDraft;
/// # use model_resource_schema::value::Value;
/// # use model_resource_store::{AnyQuery, DeleteQuery, Store};
/// # static NOTES: Table = Table::new("notes", "Note", &[
/// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
/// #     Column::new("deleted_at", DataType::Timestamp).nullable(true).role(ColumnRole::Deleted),
/// # ]);
/// # #[tokio::main]
/// # async fn main() -> model_resource_store::StoreResult<()> {
/// # let store = Store::open("sqlite::memory:").await?;
/// # store.create_tables(&[&NOTES]).await?;
/// # store.insert_any(AnyDraft::new(&NOTES)).await?;
/// let notes = AnyQuery::from(&NOTES);
/// assert!(store.delete_any(DeleteQuery::soft(&notes, store.clock()), Value::Int(1)).await?);
/// assert!(!store.delete_any(DeleteQuery::soft(&notes, store.clock()), Value::Int(1)).await?);
/// assert_eq!(store.count(&notes).await?, 1);
/// assert!(store.delete_any(&notes, Value::Int(1)).await?);
/// assert_eq!(store.count(&notes).await?, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct DeleteQuery {
    pub(crate) select: AnyQuery,
    /// Changes of the rows instead of their removal.
    pub(crate) mark: Option<Changes>,
}

impl DeleteQuery {
    /// Soft-deletes the selected rows if their table supports that, and otherwise deletes them from the table. Rows that are
    /// deleted already are not selected.
    pub fn soft(select: &AnyQuery, clock: &Clock) -> Self {
        let mark = Changes::deletion(select.table(), clock);
        let mut select = select.clone();
        if let Some(column) = select.table().soft_delete {
            select = select.filter(column, Value::Null);
        }
        Self { select, mark }
    }
}

impl From<&AnyQuery> for DeleteQuery {
    fn from(select: &AnyQuery) -> Self {
        Self {
            select: select.clone(),
            mark: None,
        }
    }
}
