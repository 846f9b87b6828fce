//! Number of changes, for caches of rows.

use model_resource_schema::column::Table;

use crate::backend::Backend as _;
use crate::database::call;
use crate::store::Store;

impl Store {
    /// Number of the updates and deletions that may have changed rows of a table.
    ///
    /// It has grown when a change is reported as made, so that a row read before is known to be current as long as the
    /// number stays the same and nobody else commits ([`foreign_commit_count`](Self::foreign_commit_count)). Only changes
    /// through this store and its clones count. Insertions are counted by [`insert_count`](Self::insert_count). Changes
    /// of a transaction count when it is committed.
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

    /// Number of insertions through this store and its clones that may have added rows to a table.
    ///
    /// It has grown when an insertion is reported as made, like the [`change_count`](Self::change_count), which counts
    /// insertions by handwritten SQL.
    pub fn insert_count(&self, table: &'static Table) -> u64 {
        self.changes.inserted(table)
    }

    /// Number of commits by other processes and programs, or by other stores of this process; `None` on PostgreSQL, which
    /// does not tell.
    ///
    /// It has grown when the commit is reported as made. It may also count a commit of this store that is made at this
    /// moment. Databases in memory have no others.
    pub fn foreign_commit_count(&self) -> Option<u64> {
        call!(self.database, backend => backend.foreign_commits())
    }
}
