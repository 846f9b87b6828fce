//! Methods for operators: numbers, backups and closing.

use std::path::PathBuf;

use crate::backend::Backend as _;
use crate::database::{Database, call, call_async};
use crate::error::Result;
use crate::status::StoreStatus;
use crate::store::Store;

impl Store {
    /// Numbers of connections, queues and searches, for metrics. Asks the database nothing.
    pub fn status(&self) -> StoreStatus {
        call!(self.database, backend => backend.status())
    }

    /// Copies a SQLite database as it is now to a new file and checks the copy, while reads and writes continue.
    ///
    /// # Errors
    /// If the file exists, or the database is PostgreSQL, which is backed up by its own tools.
    pub async fn backup(&self, file: impl Into<PathBuf>) -> Result<()> {
        let file = file.into();
        call_async!(self.database, backend => backend.backup(file))
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
