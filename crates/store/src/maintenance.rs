//! Methods for operators: numbers, backups and closing.

use std::path::PathBuf;
use std::sync::Arc;

use model_resource_schema::column::Table;
use tracing::Instrument;

use crate::backend::Backend as _;
use crate::database::{Database, call, call_async};
use crate::error::Result;
use crate::file_fault::FileFault;
use crate::sql::ddl::has_foreign_key_index;
use crate::statistics::{ColumnIndex, TableStatistics};
use crate::status::StoreStatus;
use crate::store::Store;

/// Maximum number of rows of a small table, as many as a short read may return.
const MAX_SMALL_ROWS: u64 = 1024;

impl Store {
    /// Numbers of connections, queues and searches, for metrics. Asks the database nothing.
    pub fn status(&self) -> StoreStatus {
        call!(self.database, backend => backend.status())
    }

    /// Fault of the file of a SQLite database, if its files have changed or a statement has found damage.
    pub fn file_fault(&self) -> Option<FileFault> {
        call!(self.database, backend => backend.file_fault())
    }

    /// Estimated size and indexes of a table; `None` until they are known.
    ///
    /// They are kept in memory, read by [`Store::verify`] and then every 30 seconds while they are used, so that this
    /// waits for nothing.
    pub fn statistics(&self, table: &'static Table) -> Option<Arc<TableStatistics>> {
        let found = self.statistics.lookup(table);
        // The connection of a transaction is not used by other tasks.
        if !found.due.is_empty() && !self.is_in_transaction() {
            let (store, due) = (self.clone(), found.due);
            let refresh = async move {
                if let Err(error) = store.refresh_statistics(&due).await {
                    tracing::debug!(%error, "cannot read the statistics of tables");
                }
            };
            tokio::spawn(refresh.in_current_span());
        }
        found.statistics
    }

    /// Whether a table is known to have so few rows that every search of it is short. A view with few rows may read many.
    pub fn is_small(&self, table: &'static Table) -> bool {
        let is_small = |rows: u64| !table.is_view && rows <= MAX_SMALL_ROWS;
        self.statistics(table)
            .is_some_and(|statistics| is_small(statistics.rows()))
    }

    /// Whether a key, an index or the size of a table lets the rows with a value of this column be found quickly. Until the
    /// indexes are known, those of foreign keys are taken for granted, as [`Store::create_tables`] creates them.
    pub(crate) fn is_indexed(&self, table: &'static Table, column: usize) -> bool {
        let declared = &table.columns[column];
        let is_found = || match self.statistics(table) {
            Some(known) => known.index(column) != ColumnIndex::Missing || known.rows() <= MAX_SMALL_ROWS,
            None => has_foreign_key_index(declared),
        };
        !table.is_view && (column == table.primary_key || declared.unique || is_found())
    }

    /// Reads the estimated sizes and the indexes of tables now, for example after an import.
    pub async fn refresh_statistics(&self, tables: &[&'static Table]) -> Result<()> {
        let read = tables.to_vec();
        let found = call_async!(self.database, backend => backend.statistics(read))?;
        self.statistics.store(tables.iter().copied().zip(found));
        Ok(())
    }

    /// Copies a SQLite database as it is now to a new file and checks the copy, while reads and writes continue.
    ///
    /// # Errors
    /// If the file exists, or the database is PostgreSQL, which is backed up by its own tools.
    pub async fn backup(&self, file: impl Into<PathBuf>) -> Result<()> {
        let file = file.into();
        call_async!(self.database, backend => backend.backup(file))
    }

    /// Copies a SQLite database as it is now to a new one in memory, for tests and tools that begin many times with the
    /// same rows: a copy takes less time than migrations.
    ///
    /// # Errors
    /// If the database is PostgreSQL.
    pub async fn copy_to_memory(&self) -> Result<Self> {
        let database = self.database.copy_to_memory().await?;
        Ok(Self::with_database(database).await)
    }

    /// Closes the database. On SQLite, copies the write-ahead log to the database file, and waits for a moment until
    /// the connections are closed.
    ///
    /// Connections are closed when no clone of the store exists any more. Await this at the end of a program, whose
    /// threads would otherwise end before they have closed them.
    pub async fn close(self) {
        match self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.close().await,
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.close().await,
        }
    }
}
