//! Number of changes, for caches of rows.

use model_resource_schema::column::Table;

use crate::backend::Backend as _;
use crate::database::call;
use crate::store::Store;

impl Store {
    /// Number of the updates and deletions that may have changed rows of a table.
    ///
    /// It has grown when a change is reported as made, so that a row read before is known to be current as long as the
    /// number stays the same. Those through this store and its clones count, and, if
    /// [`notices_all_changes`](Self::notices_all_changes), every commit of another process. Insertions through this store
    /// are counted by [`insert_count`](Self::insert_count). Changes of a transaction count when it is committed.
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
        let foreign = self.foreign_commits().unwrap_or_default();
        self.changes.count(table).wrapping_add(foreign)
    }

    /// Number of insertions through this store and its clones that may have added rows to a table.
    ///
    /// It has grown when an insertion is reported as made, like the [`change_count`](Self::change_count), which counts
    /// insertions by handwritten SQL and by other processes.
    pub fn insert_count(&self, table: &'static Table) -> u64 {
        self.changes.inserted(table)
    }

    /// Whether the [`change_count`](Self::change_count) also grows with changes by other processes and programs: true on
    /// SQLite, whose processes share memory, and false on PostgreSQL.
    pub fn notices_all_changes(&self) -> bool {
        self.foreign_commits().is_some()
    }

    fn foreign_commits(&self) -> Option<u64> {
        call!(self.database, backend => backend.foreign_commits())
    }
}
