//! Number of changes, for caches of rows.

use model_resource_schema::column::Table;

use crate::store::Store;

impl Store {
    /// Number of the updates and deletions through this store and its clones that may have changed rows of a table.
    ///
    /// It has grown when a change is reported as made, so that a row read before is known to be current as long as the
    /// number stays the same. Insertions do not count, and neither do changes by other processes. Changes of a
    /// transaction count when it is committed.
    ///
    /// ```
    /// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_store::{AnyQuery, Store};
    /// # static TOKENS: Table = Table::new("tokens", "Token", &[
    /// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// # ]);
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.create_tables(&[&TOKENS]).await?;
    /// let before = store.change_count(&TOKENS);
    /// store.delete_all_any(&AnyQuery::from(&TOKENS)).await?;
    /// assert_ne!(store.change_count(&TOKENS), before);
    /// # Ok(())
    /// # }
    /// ```
    pub fn change_count(&self, table: &'static Table) -> u64 {
        self.changes.count(table)
    }
}
