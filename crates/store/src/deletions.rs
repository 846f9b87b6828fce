//! Deletions of rows.

use model_resource_schema::model::Record;

use crate::backend::Backend as _;
use crate::changes::CountedChange;
use crate::database::call_async;
use crate::delete_query::DeleteQuery;
use crate::error::Result;
use crate::row_key::RowKey;
use crate::sink::MapRow;
use crate::store::Store;

impl Store {
    /// Deletes the row with this key if the query selects it; returns whether it existed.
    pub async fn delete_any(&self, rows: impl Into<DeleteQuery>, key: impl Into<RowKey>) -> Result<bool> {
        let (rows, key) = (rows.into(), key.into());
        let (timer, table) = (self.slow.start(), rows.select.table());
        let _change = self.deletion_of(&rows);
        let outcome = call_async!(*self.writes_to().await?, backend => backend.delete(rows, key));
        timer.end("delete", table);
        outcome
    }

    /// Deletes like [`Store::delete_any`] and maps the deleted row by `keep` where it is deleted: as it was, or, after a
    /// soft deletion, as it is.
    pub async fn delete_any_with<T: Send + 'static>(
        &self,
        rows: impl Into<DeleteQuery>,
        key: impl Into<RowKey>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let (rows, key) = (rows.into(), key.into());
        let _change = self.deletion_of(&rows);
        call_async!(*self.writes_to().await?, backend => backend.delete_with(rows, key, None, keep))
    }

    /// Deletes like [`Store::delete_any_with`], if every column of the row still has the value of this record.
    pub async fn delete_unchanged_with<T: Send + 'static>(
        &self,
        rows: impl Into<DeleteQuery>,
        row: Record,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let rows = rows.into();
        let key = RowKey::Primary(row.values()[rows.select.table().primary_key].clone());
        let _change = self.deletion_of(&rows);
        call_async!(*self.writes_to().await?, backend => backend.delete_with(rows, key, Some(row), keep))
    }

    /// Deletes all selected rows by one statement and returns their number.
    ///
    /// ```
    /// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
    /// # use model_resource_schema::draft::AnyDraft;
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_schema::value::Value;
    /// # use model_resource_store::{AnyQuery, Store};
    /// # static TOKENS: Table = Table::new("tokens", "Token", &[
    /// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// #     Column::new("user_id", DataType::I64),
    /// # ]);
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.create_tables(&[&TOKENS]).await?;
    /// # for user in [7, 7, 8] {
    /// #     let mut draft = AnyDraft::new(&TOKENS);
    /// #     draft.set(1, Value::Int(user));
    /// #     store.insert_any(draft).await?;
    /// # }
    /// let tokens_of_user_7 = AnyQuery::from(&TOKENS).filter(1, Value::Int(7));
    /// assert_eq!(store.delete_all_any(&tokens_of_user_7).await?, 2);
    /// assert_eq!(store.count(&AnyQuery::from(&TOKENS)).await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_all_any(&self, rows: impl Into<DeleteQuery>) -> Result<u64> {
        let rows = rows.into();
        let _change = self.deletion_of(&rows);
        call_async!(*self.writes_to().await?, backend => backend.delete_all(rows))
    }

    /// Begins the deletion of rows.
    fn deletion_of(&self, rows: &DeleteQuery) -> CountedChange<'_> {
        match rows.mark {
            Some(_) => self.changes().update(rows.select.table()),
            None => self.changes().any(),
        }
    }
}
