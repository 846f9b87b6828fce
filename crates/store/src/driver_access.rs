//! An application's own code for the driver, on the connections and in the transactions of a store.

#[cfg(feature = "postgres")]
use std::ops::Deref;

#[cfg(feature = "postgres")]
use crate::changes::CountedChange;
use crate::database::Database;
#[cfg(feature = "postgres")]
use crate::database_wait::DatabaseWait;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
use crate::error::Error;
use crate::error::Result;
#[cfg(feature = "postgres")]
use crate::postgres::lent_client::LentClient;
use crate::store::Store;

/// A client of tokio-postgres on a connection of a [`Store`], from [`Store::postgres`].
///
/// It is used as the [`Client`](tokio_postgres::Client) that it dereferences to. Dropping it gives the connection back.
#[cfg(feature = "postgres")]
pub struct PostgresClient<'s> {
    lent: LentClient,
    /// Counted on drop, since the statements of the client are unknown.
    _change: CountedChange<'s>,
}

#[cfg(feature = "postgres")]
impl Store {
    /// Lends a client of tokio-postgres, for an application's own code; **policies do not apply**.
    ///
    /// Inside of a transaction it is the client of that transaction: its statements are committed or rolled back with
    /// those of the store, in the order in which they are awaited. Outside of one it has a connection of its own, among
    /// those for transactions ([`Store::status`]), and each of its statements is a transaction. The time limit for locks is
    /// that of the store, and waiting for a connection takes five seconds at most.
    ///
    /// - **Transactions** are begun by [`Store::begin`], whose transaction lends a client too. Drop the client before the
    ///   commit, which otherwise fails.
    /// - **A statement that fails inside of a transaction** aborts it: PostgreSQL rejects the others until a rollback. To
    ///   continue after an error, run the statement in [`Store::begin_nested`], which is a savepoint there.
    /// - **Nothing is left behind.** A connection is reset before others use it: settings, locks, cursors, temporary tables.
    ///   If the client was dropped with an open transaction or a running statement, that is rolled back or cancelled. A
    ///   transaction that is idle for more than five seconds is ended by the server.
    /// - **Behind a pooler in transaction mode** (`?prepare=off`) a client is lent inside of transactions only. Use
    ///   `SET LOCAL` instead of `SET`: the session belongs to the pooler.
    /// - LISTEN has no effect, since the store does not read notifications; open a connection of your own for it.
    ///
    /// # Errors
    /// If the database is not PostgreSQL, the transaction has ended, or no connection is available.
    ///
    /// ```no_run
    /// use model_resource_store::{Store, StoreResult};
    ///
    /// async fn move_stock(store: &Store, from: i64, to: i64) -> StoreResult<()> {
    ///     let transaction = store.begin().await?;
    ///     let client = transaction.postgres().await?;
    ///     client.execute("UPDATE shelves SET stock = stock - 1 WHERE id = $1", &[&from]).await?;
    ///     client.execute("UPDATE shelves SET stock = stock + 1 WHERE id = $1", &[&to]).await?;
    ///     drop(client);
    ///     transaction.commit().await
    /// }
    /// ```
    pub async fn postgres(&self) -> Result<PostgresClient<'_>> {
        let wait = DatabaseWait::begin();
        let lent = match self.writes_to().await? {
            Database::Postgres(database) => Box::pin(database.lend()).await,
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => Err(Error::Failed(
                "the database is SQLite: use `Store::sqlite_read` or `Store::sqlite_write` instead of \
                 `Store::postgres`"
                    .to_owned(),
            )),
        };
        wait.end();
        Ok(PostgresClient {
            lent: lent?,
            _change: self.changes().any(),
        })
    }
}

#[cfg(feature = "postgres")]
impl Deref for PostgresClient<'_> {
    type Target = tokio_postgres::Client;

    fn deref(&self) -> &tokio_postgres::Client {
        self.lent.client()
    }
}

#[cfg(feature = "postgres")]
impl std::fmt::Debug for PostgresClient<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresClient").finish_non_exhaustive()
    }
}

#[cfg(feature = "sqlite")]
impl Store {
    /// Runs an application's own code with rusqlite that reads, on a thread of the store; **policies do not apply**.
    ///
    /// The code sees one state of the database: inside of a transaction that of the transaction, or else the last one that
    /// was committed. As a search it waits for a thread for five seconds at most, and outside of a transaction it is
    /// interrupted after the time limit of searches, or if its future is dropped.
    ///
    /// # Errors
    /// If the database is not SQLite, the code fails or panics, or it runs a statement that does not read. A statement of
    /// a transaction, of ATTACH, of PRAGMA with a value or of a temporary table is refused: it would change the connection
    /// for others.
    ///
    /// ```
    /// # use model_resource_store::{Sql, Store, StoreResult};
    /// # #[tokio::main]
    /// # async fn main() -> StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.execute(Sql::new("CREATE TABLE shelves (stock INTEGER)")).await?;
    /// let shelves: i64 = store
    ///     .sqlite_read(|connection| connection.query_row("SELECT count(*) FROM shelves", (), |row| row.get(0)))
    ///     .await?;
    /// # assert_eq!(shelves, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sqlite_read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        match self.reads_from() {
            Database::Sqlite(database) => database.run_reading(work).await,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => Err(not_sqlite()),
        }
    }

    /// Runs an application's own code with rusqlite that writes, on the thread of the store that writes; **policies do not
    /// apply**.
    ///
    /// All of its statements are committed if it succeeds, and none if it fails or panics. Inside of a transaction they
    /// are part of it; a failure undoes the code alone. Outside of one, the code shares its commit with the writes that wait
    /// at the same time. Other writes wait for it, so keep it short. If its future is dropped before it begins, it does
    /// not run.
    ///
    /// # Errors
    /// If the database is not SQLite, the code fails or panics, or the commit fails. A violated constraint is
    /// [`StoreError::Invalid`](crate::StoreError::Invalid), for the object as a whole, and `QueryReturnedNoRows` is
    /// [`StoreError::Missing`](crate::StoreError::Missing). Statements that would change the
    /// connection for others are refused, as in [`Store::sqlite_read`]; SAVEPOINT is not.
    ///
    /// ```
    /// # use model_resource_store::{Sql, Store, StoreResult};
    /// # #[tokio::main]
    /// # async fn main() -> StoreResult<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.execute(Sql::new("CREATE TABLE shelves (id INTEGER, stock INTEGER)")).await?;
    /// let (from, to) = (1, 2);
    /// store
    ///     .sqlite_write(move |connection| {
    ///         connection.execute("UPDATE shelves SET stock = stock - 1 WHERE id = ?1", [from])?;
    ///         connection.execute("UPDATE shelves SET stock = stock + 1 WHERE id = ?1", [to])
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sqlite_write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        #[cfg(feature = "postgres")]
        if let Database::Postgres(_) = self.database {
            return Err(not_sqlite());
        }
        let _change = self.changes().any();
        let written = self.write_together(move |inside| async move {
            let _change = inside.changes().any();
            match inside.writes_to().await? {
                Database::Sqlite(database) => database.run_writing(work).await,
                #[cfg(feature = "postgres")]
                Database::Postgres(_) => Err(not_sqlite()),
            }
        });
        written.await?
    }
}

#[cfg(all(feature = "sqlite", feature = "postgres"))]
fn not_sqlite() -> Error {
    Error::Failed(
        "the database is PostgreSQL: use `Store::postgres` instead of `Store::sqlite_read` and `Store::sqlite_write`"
            .to_owned(),
    )
}
