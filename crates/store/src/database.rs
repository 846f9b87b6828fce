//! The database that a URL names, and dispatch to its backend.

use model_resource_schema::column::Table;

use crate::backend::{Backend, ReadLength};
use crate::database_wait::DatabaseWait;
use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
#[cfg(feature = "postgres")]
use crate::postgres::database::PostgresDatabase as Postgres;
use crate::raw_sql::Sql;
use crate::sql_row::SqlRow;
#[cfg(feature = "sqlite")]
use crate::sqlite::database::SqliteDatabase as Sqlite;

#[cfg(not(any(feature = "sqlite", feature = "postgres")))]
compile_error!("a store needs a database: enable the feature `sqlite` or `postgres`");

/// A database backend, outside or inside a transaction.
#[derive(Clone)]
pub(crate) enum Database {
    #[cfg(feature = "sqlite")]
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Postgres),
}

/// Calls a method of the [`Backend`] in use.
macro_rules! call {
    ($database:expr, $backend:ident => $does:expr) => {
        match &$database {
            #[cfg(feature = "sqlite")]
            $crate::database::Database::Sqlite($backend) => $does,
            #[cfg(feature = "postgres")]
            $crate::database::Database::Postgres($backend) => $does,
        }
    };
}
pub(crate) use call;

/// Awaits a method of the [`Backend`] in use. Futures that wait for a server are boxed: they are large, and would
/// enlarge every future that awaits them.
macro_rules! call_async {
    ($database:expr, $backend:ident => $does:expr) => {{
        let wait = $crate::database_wait::DatabaseWait::begin();
        let result = match &$database {
            #[cfg(feature = "sqlite")]
            $crate::database::Database::Sqlite($backend) => $does.await,
            #[cfg(feature = "postgres")]
            $crate::database::Database::Postgres($backend) => Box::pin($does).await,
        };
        wait.end();
        result
    }};
}
pub(crate) use call_async;

impl Database {
    pub(crate) async fn open(url: &str) -> Result<Self> {
        #[cfg(feature = "postgres")]
        if Postgres::takes(url) {
            return Postgres::open(url).await.map(Self::Postgres);
        }
        #[cfg(feature = "sqlite")]
        if Sqlite::takes(url) {
            return Sqlite::open(url).await.map(Self::Sqlite);
        }
        // The rest of a server URL may contain a password.
        let scheme = url.split(':').next().unwrap_or_default();
        Err(Error::Failed(format!(
            "cannot open a database of kind `{scheme}`: supported are sqlite:PATH, sqlite::memory: and \
             postgres://USER@HOST/DATABASE, if the features `sqlite` and `postgres` of model-resource are enabled"
        )))
    }

    pub(crate) fn dialect(&self) -> SqlDialect {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => SqlDialect::Sqlite,
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => SqlDialect::Postgres,
        }
    }

    /// Copies the database to a new one in memory.
    pub(crate) async fn copy_to_memory(&self) -> Result<Self> {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.copy_to_memory().await.map(Database::Sqlite),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.copy_to_memory().await.map(Database::Postgres),
        }
    }

    /// Begins a transaction and returns the database inside it.
    pub(crate) async fn begin(&self, table: Option<&'static Table>) -> Result<Self> {
        let wait = DatabaseWait::begin();
        let begun = match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.begin(table).await.map(Database::Sqlite),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => Box::pin(database.begin(table)).await.map(Database::Postgres),
        };
        wait.end();
        begun
    }

    /// Returns the rows of a handwritten statement.
    pub(crate) async fn fetch(&self, sql: Sql, length: ReadLength) -> Result<Vec<SqlRow>> {
        call_async!(*self, backend => fetch(backend, sql, length))
    }
}

async fn fetch<B: Backend>(backend: &B, sql: Sql, length: ReadLength) -> Result<Vec<SqlRow>>
where
    SqlRow: From<B::RawRow>,
{
    let rows = backend.fetch(sql, length).await?;
    Ok(rows.into_iter().map(SqlRow::from).collect())
}
