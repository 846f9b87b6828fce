//! Handwritten SQL on the store and inside transactions.

use crate::backend::Backend as _;
use crate::database::call_async;
use crate::error::Result;
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
        sql.check()?;
        // Inside a transaction it may write.
        let _change = self.is_in_transaction().then(|| self.changes().any());
        let (timer, text) = (self.slow.start(), sql.logged_text());
        let outcome = self.reads_from().fetch(sql).await;
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
