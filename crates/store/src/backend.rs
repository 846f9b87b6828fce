//! Contract between the store and a database.
//!
//! To add a database, implement [`Backend`] and add a variant to `Database` (`database.rs`). An operation of the store
//! is declared here once; `Store` checks its arguments and calls it.

use std::path::PathBuf;
use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::query::{AnyAggregate, AnyQuery};
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use crate::brief_scan::BriefScan;
use crate::delete_query::DeleteQuery;
use crate::error::{Error, Result};
use crate::explain::QueryPlan;
use crate::file_fault::FileFault;
use crate::list_query::ListQuery;
use crate::migration::Migration;
use crate::migration_history::MigrationHistory;
use crate::migration_plan::MigrationTarget;
use crate::raw_sql::{RawRow, Sql};
use crate::row_key::RowKey;
use crate::savepoint::Savepoint;
use crate::sink::{MapRow, RowSink, ScanResult};
use crate::statistics::TableStatistics;
use crate::status::StoreStatus;
use crate::update::Updated;

/// How long a read may take, which decides the connections that it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadLength {
    /// About as long as finding rows by their keys.
    Short,
    /// Long: a search.
    Long,
}

/// A database: connections to it, outside or inside a transaction. Clones share them.
///
/// Every write is one statement and atomic. A constraint that it violates is `StoreError::Invalid`
/// with the messages of `violation_errors`; a row that others reference is
/// `StoreError::Referenced`. A failing write inside a transaction undoes only itself. Dropping
/// the future of a write cancels it, also while it waits.
///
/// Rows are read in binary collation of text, and nulls where the sort key says. A value of another type than its
/// column's fails the operation without repeating the value.
pub(crate) trait Backend: Clone + Send + Sync + Sized + 'static {
    /// Row of handwritten SQL, as the driver returns it.
    type RawRow: RawRow + Send;

    /// Whether a URL names such a database.
    fn takes(url: &str) -> bool;

    /// Opens the database at a URL. Fails if it does not respond.
    fn open(url: &str) -> impl Future<Output = Result<Self>> + Send;

    /// Runs migrations up to a target, and returns their names. Several processes may do so at once. Fails inside a
    /// transaction.
    fn migrate(
        &self,
        known: Vec<Migration>,
        target: MigrationTarget,
    ) -> impl Future<Output = Result<Vec<String>>> + Send;

    /// Creates missing tables, all or none; they may reference each other. Fails inside a transaction.
    fn create_tables(&self, tables: Vec<&'static Table>) -> impl Future<Output = Result<()>> + Send;

    /// Runs statements in a transaction, alone among the processes that change tables. Fails inside a transaction.
    fn run_locked(&self, sql: String) -> impl Future<Output = Result<()>> + Send;

    /// Compares the tables with their models (`drift`).
    fn verify(&self, tables: Vec<&'static Table>) -> impl Future<Output = Result<()>> + Send;

    /// Checks that the database responds.
    fn ping(&self) -> impl Future<Output = Result<()>> + Send;

    /// Checks that writes are possible, without a write. Succeeds if others only keep it waiting.
    fn check_writable(&self) -> impl Future<Output = Result<()>> + Send;

    /// Fault of the database's file, if it has one.
    fn file_fault(&self) -> Option<FileFault> {
        None
    }

    /// Reads the applied migrations; none if no migration was ever applied.
    fn migration_history(&self) -> impl Future<Output = Result<MigrationHistory>> + Send;

    /// Number of statements that have read, inside and outside of transactions.
    fn read_count(&self) -> u64;

    /// Number of statements that have written, inside and outside of transactions.
    fn write_count(&self) -> u64;

    /// Number of commits by others than this process, if they are noticed as soon as they are made. It may count some of
    /// this process.
    fn foreign_commits(&self) -> Option<u64>;

    /// Numbers of connections, queues and searches, without asking the database.
    fn status(&self) -> StoreStatus;

    /// Maps the row with this key by `keep`, if the query selects it. Inside a transaction, no other transaction changes
    /// the row until it ends.
    fn find<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> impl Future<Output = Result<Option<T>>> + Send;

    /// Whether the query selects the row with this key. Does not lock the row.
    fn exists(&self, select: AnyQuery, key: RowKey) -> impl Future<Output = Result<bool>> + Send;

    /// Passes the rows of a list to a sink until it breaks, with their related rows. Holds nothing open afterwards.
    fn scan<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> impl Future<Output = Result<ScanResult<S>>> + Send;

    /// Like `scan`, for a list that is expected to be short, beside other short reads. Is interrupted if it takes long.
    fn scan_briefly<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> impl Future<Output = Result<BriefScan<S>>> + Send;

    /// Counts the selected rows.
    fn count(&self, select: AnyQuery) -> impl Future<Output = Result<u64>> + Send;

    /// Returns the groups of a query, at most 32 MiB: their keys and aggregates. A sum beyond the range of its type is
    /// `StoreError::OutOfRange`.
    fn aggregate(
        &self,
        query: AnyAggregate,
        length: ReadLength,
    ) -> impl Future<Output = Result<Vec<Record>>> + Send;

    /// Estimates the number of selected rows; counts them if the database has no statistics.
    fn estimate(&self, select: AnyQuery) -> impl Future<Output = Result<u64>> + Send {
        self.count(select)
    }

    /// Returns the query plan of a list.
    fn explain(&self, list: ListQuery) -> impl Future<Output = Result<QueryPlan>> + Send;

    /// Reads the statistics of tables, in a short time however large they are.
    fn statistics(
        &self,
        tables: Vec<&'static Table>,
    ) -> impl Future<Output = Result<Vec<TableStatistics>>> + Send;

    /// Fetches related rows, by one query per relation, and returns them with the rows.
    fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
        length: ReadLength,
    ) -> impl Future<Output = Result<(Vec<Record>, Related)>> + Send;

    /// Inserts a row of these columns and maps the saved row by `keep`.
    fn insert<T: Send + 'static>(
        &self,
        table: &'static Table,
        row: Vec<(usize, Value)>,
        keep: impl MapRow<T>,
    ) -> impl Future<Output = Result<T>> + Send;

    /// Inserts rows, with few statements. If one fails, returns its position, and those before it may be inserted: the
    /// transaction must be rolled back.
    fn insert_rows(
        &self,
        table: &'static Table,
        rows: Vec<Vec<(usize, Value)>>,
    ) -> impl Future<Output = Result<(), (usize, Error)>> + Send;

    /// Updates the row with this key if the query selects it, and if it still has the values of `unchanged`. Maps the
    /// saved row by `keep`.
    fn update<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl MapRow<T>,
    ) -> impl Future<Output = Result<Updated<T>>> + Send;

    /// Deletes the row with this key if the query selects it; returns whether it existed.
    fn delete(&self, rows: DeleteQuery, key: RowKey) -> impl Future<Output = Result<bool>> + Send;

    /// Deletes the row with this key if the query selects it, and maps it by `keep`.
    fn delete_with<T: Send + 'static>(
        &self,
        rows: DeleteQuery,
        key: RowKey,
        unchanged: Option<Record>,
        keep: impl MapRow<T>,
    ) -> impl Future<Output = Result<Option<T>>> + Send;

    /// Deletes all selected rows and returns their number.
    fn delete_all(&self, rows: DeleteQuery) -> impl Future<Output = Result<u64>> + Send;

    /// Returns the rows of a handwritten statement, at most 32 MiB. It may write only inside a transaction.
    /// A short one outside of a transaction is not known to read only: its text must be the framework's own.
    fn fetch(&self, sql: Sql, length: ReadLength) -> impl Future<Output = Result<Vec<Self::RawRow>>> + Send;

    /// Runs a handwritten statement and returns the number of changed rows.
    fn execute(&self, sql: Sql) -> impl Future<Output = Result<u64>> + Send;

    /// Begins a transaction, waiting for its turn, and returns the database inside it. Fails inside a transaction. A
    /// transaction without a call for five seconds is rolled back.
    ///
    /// Transactions that name a table wait for each other before they make other writes wait.
    fn begin(&self, table: Option<&'static Table>) -> impl Future<Output = Result<Self>> + Send;

    /// Whether this is the database inside a transaction.
    fn is_in_transaction(&self) -> bool;

    /// Locks the selected rows that have one of these values, in the order of their primary keys, until the transaction
    /// ends. By default nothing, for databases with one transaction at a time.
    fn lock_rows(
        &self,
        select: AnyQuery,
        column: usize,
        values: Vec<Value>,
    ) -> impl Future<Output = Result<()>> + Send {
        let _ = (select, column, values);
        std::future::ready(Ok(()))
    }

    /// Waits for the lock that serializes checked writes to a table, and holds it until the transaction ends. By default
    /// nothing, for databases with one transaction at a time.
    fn lock_checks(&self, table: &'static Table) -> impl Future<Output = Result<()>> + Send {
        let _ = table;
        std::future::ready(Ok(()))
    }

    /// Checks the constraints that are deferred to the commit of the transaction. By default nothing, for databases that
    /// check them only then.
    fn check_constraints(&self) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs a future with many statements of the transaction. By default as part of its caller; a database whose
    /// statements run on a thread runs it there.
    fn drive<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        async { Ok(work.await) }
    }

    /// Begins or ends a savepoint of the transaction.
    fn savepoint(&self, step: Savepoint) -> impl Future<Output = Result<()>> + Send;

    /// Undoes the changes since the last savepoint began before the next statement, without waiting.
    fn abandon_savepoint(&self);

    /// Commits the transaction. If this fails, nothing was written.
    fn commit(&self) -> impl Future<Output = Result<()>> + Send;

    /// Inserts a response and commits. If either fails, nothing was written; [`Error::Repeated`] if the id is taken.
    fn commit_with_response(&self, insert: Sql) -> impl Future<Output = Result<()>> + Send {
        async move {
            self.execute(insert).await.map_err(Error::of_response)?;
            self.commit().await
        }
    }

    /// Rolls the transaction back.
    fn rollback(&self) -> impl Future<Output = Result<()>> + Send;

    /// Rolls the transaction back if it is still open, without waiting.
    fn abandon(&self);

    /// Copies the database to a new file. Fails if the file exists, inside a transaction, and on databases that have
    /// tools of their own.
    fn backup(&self, file: PathBuf) -> impl Future<Output = Result<()>> + Send;

    /// Copies the database as it is now to a new one in memory. Fails by default, for databases on servers.
    fn copy_to_memory(&self) -> impl Future<Output = Result<Self>> + Send {
        let message = "only a SQLite database can be copied to memory";
        std::future::ready(Err(Error::Failed(message.to_owned())))
    }

    /// Closes the connections as soon as no other clone uses them, and waits for that for a moment. By default at once,
    /// for databases that need not be closed.
    fn close(self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Waits until no cancelled write can still take effect. By default at once, for databases that skip a write whose
    /// caller is gone.
    fn wait_cancelled(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}
