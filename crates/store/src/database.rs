//! Dispatch to the database backend that a URL names.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::explain::QueryPlan;
use crate::list_query::ListQuery;
#[cfg(feature = "postgres")]
use crate::postgres::database::PostgresDatabase as Postgres;
use crate::raw_sql::Sql;
use crate::row_key::RowKey;
use crate::sink::{MapRow, RowSink, ScanResult};
use crate::sql_row::SqlRow;
#[cfg(feature = "sqlite")]
use crate::sqlite::database::SqliteDatabase as Sqlite;
use crate::update::Updated;
use model_resource_schema::query::AnyQuery;

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

/// Calls the method of the backend in use. Futures that wait for a server are boxed: they are large, and would
/// enlarge every future that awaits them.
macro_rules! each {
    ($self:ident, $database:ident => $does:expr) => {
        match $self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite($database) => $does.await,
            #[cfg(feature = "postgres")]
            Database::Postgres($database) => Box::pin($does).await,
        }
    };
}

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
             postgres://USER@HOST/DATABASE, as far as they are compiled in"
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

    pub(crate) async fn migrate(&self, runner: refinery::Runner) -> Result<()> {
        each!(self, database => database.migrate(runner))
    }

    pub(crate) async fn create_tables(&self, tables: Vec<&'static Table>) -> Result<()> {
        each!(self, database => database.create_tables(tables))
    }

    pub(crate) async fn verify(&self, tables: Vec<&'static Table>) -> Result<()> {
        each!(self, database => database.verify(tables))
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        each!(self, database => database.ping())
    }

    pub(crate) fn reads(&self) -> u64 {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.reads(),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.reads(),
        }
    }

    pub(crate) fn writes(&self) -> u64 {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.writes(),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.writes(),
        }
    }

    pub(crate) async fn find<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        each!(self, database => database.find(select, key, keep))
    }

    pub(crate) async fn exists(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        each!(self, database => database.exists(select, key))
    }

    /// Locks rows in the order of their primary keys.
    pub(crate) async fn lock_rows(&self, select: AnyQuery, column: usize, values: Vec<Value>) -> Result<()> {
        match self {
            // A transaction is already the only writer.
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => Box::pin(database.lock_rows(select, column, values)).await,
        }
    }

    pub(crate) async fn scan<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        each!(self, database => database.scan(list, relations, sink))
    }

    pub(crate) async fn count(&self, select: AnyQuery) -> Result<u64> {
        each!(self, database => database.count(select))
    }

    pub(crate) async fn estimate(&self, select: AnyQuery) -> Result<u64> {
        each!(self, database => database.estimate(select))
    }

    pub(crate) async fn explain(&self, list: ListQuery) -> Result<QueryPlan> {
        each!(self, database => database.explain(list))
    }

    pub(crate) async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
    ) -> Result<(Vec<Record>, Related)> {
        each!(self, database => database.related(relations, rows))
    }

    pub(crate) async fn insert<T: Send + 'static>(
        &self,
        table: &'static Table,
        row: Vec<(usize, Value)>,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        each!(self, database => database.insert(table, row, keep))
    }

    pub(crate) async fn update<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        each!(self, database => database.update(select, key, unchanged, changes, keep))
    }

    pub(crate) async fn delete(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        each!(self, database => database.delete(select, key))
    }

    pub(crate) async fn delete_with<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        each!(self, database => database.delete_with(select, key, keep))
    }

    pub(crate) async fn delete_where(&self, select: AnyQuery) -> Result<u64> {
        each!(self, database => database.delete_where(select))
    }

    pub(crate) async fn fetch(&self, sql: Sql) -> Result<Vec<SqlRow>> {
        Ok(match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => into_rows(database.fetch(sql).await?),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => into_rows(Box::pin(database.fetch(sql)).await?),
        })
    }

    pub(crate) async fn execute(&self, sql: Sql) -> Result<u64> {
        each!(self, database => database.execute(sql))
    }

    pub(crate) fn is_in_transaction(&self) -> bool {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.is_in_transaction(),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.is_in_transaction(),
        }
    }

    /// Begins a transaction and returns the database inside it.
    pub(crate) async fn begin(&self) -> Result<Self> {
        Ok(match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => Database::Sqlite(database.begin().await?),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => Database::Postgres(Box::pin(database.begin()).await?),
        })
    }

    /// Waits for the lock that serializes checked writes to a table, and holds it until the transaction ends.
    pub(crate) async fn lock_checks(&self, table: &'static Table) -> Result<()> {
        if !self.is_in_transaction() {
            return Err(Error::Failed("no transaction is open".to_owned()));
        }
        match self {
            // SQLite has one writer and one transaction at a time.
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => {
                let _ = table;
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => Box::pin(database.lock_checks(table)).await,
        }
    }

    pub(crate) async fn commit(&self) -> Result<()> {
        each!(self, database => database.commit())
    }

    pub(crate) async fn rollback(&self) -> Result<()> {
        each!(self, database => database.rollback())
    }

    /// Rolls the transaction back if it is still open, without waiting.
    pub(crate) fn abandon(&self) {
        match self {
            #[cfg(feature = "sqlite")]
            Database::Sqlite(database) => database.abandon(),
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => database.abandon(),
        }
    }

    /// Waits until no cancelled write can still begin.
    pub(crate) async fn wait_cancelled(&self) {
        match self {
            // The writer thread skips a write whose caller is gone.
            #[cfg(feature = "sqlite")]
            Database::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Database::Postgres(database) => Box::pin(database.wait_cancelled()).await,
        }
    }
}

fn into_rows<R: Into<SqlRow>>(rows: Vec<R>) -> Vec<SqlRow> {
    rows.into_iter().map(Into::into).collect()
}
