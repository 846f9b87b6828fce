//! Handwritten SQL on the store and inside transactions.

use crate::backend::{Backend as _, ReadLength};
use crate::database::call_async;
use crate::error::{Error, Result};
use crate::raw_sql::Sql;
use crate::sql_row::SqlRow;
use crate::store::Store;

impl Store {
    /// Runs a handwritten statement and returns its rows, in memory; policies do not apply.
    ///
    /// Outside of a transaction it only reads; inside one, it may also write (`INSERT .. RETURNING`). A read whose
    /// future is dropped is cancelled. On PostgreSQL, rows that it reads inside a transaction are not locked.
    ///
    /// # Errors
    /// If the text is not one valid statement, values and parameters differ in number or type, or the rows exceed 32 MiB
    /// ([`StoreError::TooLarge`](crate::StoreError::TooLarge)).
    pub async fn fetch(&self, sql: Sql) -> Result<Vec<SqlRow>> {
        // Inside a transaction it may write.
        let _change = self.is_in_transaction().then(|| self.changes().any());
        self.fetch_within(sql, ReadLength::Long).await
    }

    /// Runs a statement of the framework itself that finds a few rows by an index, and returns them. It is a short read,
    /// which waits for no search, and must not write: its text is fixed.
    #[doc(hidden)]
    pub async fn fetch_short(&self, sql: Sql) -> Result<Vec<SqlRow>> {
        let fetched = self.fetch_within(sql, ReadLength::Short).await;
        fetched.map_err(Error::of_row_read)
    }

    async fn fetch_within(&self, sql: Sql, length: ReadLength) -> Result<Vec<SqlRow>> {
        sql.check()?;
        let (timer, text) = (self.slow.start(), sql.logged_text());
        let outcome = self.reads_from().fetch(sql, length).await;
        timer.end("fetch", &*text);
        outcome
    }

    /// Runs a handwritten statement that writes, and returns the number of changed rows; policies do not apply.
    ///
    /// Outside of a transaction it is a transaction of its own. Values are written as they are: constraints, defaults and
    /// timestamps of the models do not apply either.
    ///
    /// # Errors
    /// As for [`Store::fetch`]. A violated constraint is [`StoreError::Invalid`](crate::StoreError::Invalid), for the
    /// object as a whole.
    pub async fn execute(&self, sql: Sql) -> Result<u64> {
        sql.check_execute()?;
        let (timer, text) = (self.slow.start(), sql.logged_text());
        let _change = self.changes().any();
        let outcome = call_async!(*self.writes_to().await?, backend => backend.execute(sql));
        timer.end("execute", &*text);
        outcome
    }
}
