//! SQLite backend: turns each store operation into a task for the reader or writer threads.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;
use tokio::sync::OwnedMutexGuard;

use super::begin_commit::{savepoint, snapshot, undo_abandoned};
use super::checkpoint::checkpoint;
use super::drive::drive;
use super::error::map_error;
use super::files::DatabaseFiles;
use super::pool::SqlitePool;
use super::queue::Queue;
use super::raw::{MayWrite, SqliteRawRow};
use super::short_read::{are_by_key, is_short_scan};
use super::task::Task;
use super::{aggregate, backup, change, explain, fetch, migrations, raw, related, scan, schema, statistics};
use crate::backend::{Backend, ReadLength};
use crate::batch::MAX_BATCH_ROWS;
use crate::brief_scan::BriefScan;
use crate::database_wait::DatabaseWait;
use crate::delete_query::DeleteQuery;
use crate::error::{Error, Result};
use crate::explain::QueryPlan;
use crate::file_fault::FileFault;
use crate::list_query::ListQuery;
use crate::migration::Migration;
use crate::migration_history::MigrationHistory;
use crate::migration_plan::MigrationTarget;
use crate::raw_sql::Sql;
use crate::row_key::RowKey;
use crate::savepoint::Savepoint;
use crate::sink::{MapRow, RowSink, ScanResult};
use crate::statistics::TableStatistics;
use crate::status::StoreStatus;
use crate::update::Updated;
use model_resource_schema::query::{AnyAggregate, AnyQuery};

/// An open database, or a transaction of it.
#[derive(Clone)]
pub(crate) struct SqliteDatabase {
    pub(super) pool: Arc<SqlitePool>,
    transaction: Option<OpenTransaction>,
}

/// A transaction, whose statements are tasks of one queue.
#[derive(Clone)]
struct OpenTransaction {
    queue: Queue<Task>,
    _long_write: Option<Arc<OwnedMutexGuard<()>>>,
}

impl Backend for SqliteDatabase {
    type RawRow = SqliteRawRow;

    fn takes(url: &str) -> bool {
        url.starts_with("sqlite:")
    }

    async fn open(url: &str) -> Result<Self> {
        Ok(Self {
            pool: Arc::new(SqlitePool::open(url).await?),
            transaction: None,
        })
    }

    fn read_count(&self) -> u64 {
        self.pool.counters.statements.load(Ordering::Relaxed)
    }

    fn write_count(&self) -> u64 {
        self.pool.counters.written.load(Ordering::Relaxed)
    }

    fn foreign_commits(&self) -> Option<u64> {
        self.pool.foreign_commits.as_ref().map(|commits| commits.count())
    }

    fn status(&self) -> StoreStatus {
        self.pool.status()
    }

    async fn migrate(&self, known: Vec<Migration>, target: MigrationTarget) -> Result<Vec<String>> {
        self.exclusive(move |connection| migrations::migrate(connection, &known, target))
            .await
    }

    async fn create_tables(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.exclusive(move |connection| schema::create(connection, &tables))
            .await
    }

    async fn run_locked(&self, sql: String) -> Result<()> {
        self.exclusive(move |connection| schema::run(connection, &sql))
            .await
    }

    async fn verify(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.read(move |connection| schema::verify(connection, &tables))
            .await
    }

    async fn ping(&self) -> Result<()> {
        let sql = "SELECT count(*) FROM sqlite_schema";
        self.read(|connection| connection.query_row(sql, (), |_| Ok(())).map_err(map_error))
            .await
    }

    async fn check_writable(&self) -> Result<()> {
        self.check_writes().await
    }

    fn file_fault(&self) -> Option<FileFault> {
        self.pool.files.as_ref().and_then(DatabaseFiles::fault)
    }

    async fn migration_history(&self) -> Result<MigrationHistory> {
        self.read(migrations::migration_history).await
    }

    async fn find<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let table = select.table();
        // The query is dropped by the thread that made it: freeing the memory of another thread costs more.
        let find = move |connection: &Connection| {
            let found = fetch::find(connection, &select, &key, &keep);
            Ok((found, select))
        };
        let (found, _select) = self.read_row(table, find).await?;
        found
    }

    async fn exists(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        let table = select.table();
        self.read_row(table, move |connection| fetch::exists(connection, &select, &key))
            .await
    }

    async fn scan<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        let shared = Arc::clone(&relations);
        let search = async |list: ListQuery, sink| {
            let scan = move |connection: &Connection| scan::scan(connection, &list, &shared, sink);
            self.search(scan).await
        };
        if !is_short_scan(&list, &relations, &sink) {
            return search(list, sink).await;
        }
        let short = move |connection: &Connection| scan::scan_to_size(connection, list, &relations, sink);
        self.read(short).await?.or_search(search).await
    }

    /// Inside of a transaction, which has no others beside it, nothing is interrupted.
    async fn scan_briefly<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<BriefScan<S>> {
        if self.is_in_transaction() {
            return self.scan(list, relations, sink).await.map(BriefScan::Ended);
        }
        self.read(move |connection| scan::scan_briefly(connection, list, &relations, sink))
            .await
    }

    async fn count(&self, select: AnyQuery) -> Result<u64> {
        self.search(move |connection| fetch::count(connection, &select))
            .await
    }

    async fn aggregate(&self, query: AnyAggregate, length: ReadLength) -> Result<Vec<Record>> {
        let read = move |connection: &Connection| aggregate::aggregate(connection, &query);
        match length {
            ReadLength::Short => self.read(read).await,
            ReadLength::Long => self.search(read).await,
        }
    }

    async fn explain(&self, list: ListQuery) -> Result<QueryPlan> {
        self.read(move |connection| explain::explain(connection, &list))
            .await
    }

    async fn statistics(&self, tables: Vec<&'static Table>) -> Result<Vec<TableStatistics>> {
        self.read(move |connection| statistics::read(connection, &tables))
            .await
    }

    async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
        length: ReadLength,
    ) -> Result<(Vec<Record>, Related)> {
        let is_short = length == ReadLength::Short || rows.len() <= MAX_BATCH_ROWS && are_by_key(&relations);
        let load = move |connection: &Connection| {
            let _snapshot = snapshot(connection)?;
            let related = related::load(connection, &relations, &rows)?;
            Ok((rows, related))
        };
        if is_short {
            return self.read(load).await;
        }
        self.search(load).await
    }

    async fn insert<T: Send + 'static>(
        &self,
        table: &'static Table,
        row: Vec<(usize, Value)>,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        self.write(move |connection| change::insert(connection, table, &row, &keep))
            .await
    }

    async fn insert_rows(
        &self,
        table: &'static Table,
        rows: Vec<Vec<(usize, Value)>>,
    ) -> Result<(), (usize, Error)> {
        let written = self.write(move |connection| Ok(change::insert_rows(connection, table, &rows)));
        written.await.unwrap_or_else(|error| Err((0, error)))
    }

    async fn update<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        self.write(move |connection| {
            change::update(connection, &select, &key, unchanged.as_ref(), &changes, &keep)
        })
        .await
    }

    async fn delete(&self, rows: DeleteQuery, key: RowKey) -> Result<bool> {
        self.write(move |connection| change::delete(connection, &rows, &key))
            .await
    }

    async fn delete_with<T: Send + 'static>(
        &self,
        rows: DeleteQuery,
        key: RowKey,
        unchanged: Option<Record>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        self.write(move |connection| change::delete_with(connection, &rows, &key, unchanged.as_ref(), &keep))
            .await
    }

    async fn delete_all(&self, rows: DeleteQuery) -> Result<u64> {
        self.write(move |connection| change::delete_all(connection, &rows))
            .await
    }

    /// Reads on a read-only connection, or on the connection of the transaction, which may write.
    async fn fetch(&self, sql: Sql, length: ReadLength) -> Result<Vec<SqliteRawRow>> {
        let may_write = if self.is_in_transaction() {
            MayWrite::Yes
        } else {
            MayWrite::No
        };
        let fetch = move |connection: &Connection| raw::fetch(connection, &sql, may_write);
        match length {
            ReadLength::Short => self.read(fetch).await,
            ReadLength::Long => self.search(fetch).await,
        }
    }

    async fn execute(&self, sql: Sql) -> Result<u64> {
        self.write(move |connection| raw::execute(connection, &sql)).await
    }

    fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    async fn begin(&self, table: Option<&'static Table>) -> Result<Self> {
        let long_write = match table {
            Some(_) => Some(Arc::new(Arc::clone(&self.pool.long_writes).lock_owned().await)),
            None => None,
        };
        let queue = self.writes().ask(Task::Begin).await?;
        Ok(self.inside(queue, long_write))
    }

    async fn drive<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T> {
        let wait = DatabaseWait::begin();
        let result = drive(self.writes(), work).await;
        wait.end();
        result
    }

    async fn savepoint(&self, step: Savepoint) -> Result<()> {
        let set = move |connection: &Connection| savepoint(connection, step);
        self.writes().ask(|reply| Task::read(set, reply)).await
    }

    fn abandon_savepoint(&self) {
        self.writes().send(Task::Read(Box::new(undo_abandoned)));
    }

    async fn commit(&self) -> Result<()> {
        self.writes().ask(Task::Commit).await
    }

    async fn rollback(&self) -> Result<()> {
        self.writes().ask(|reply| Task::Rollback(Some(reply))).await
    }

    async fn backup(&self, file: PathBuf) -> Result<()> {
        match &self.pool.location.file {
            Some(_) if !self.is_in_transaction() => {
                backup::copy_in_thread(Arc::clone(&self.pool.location), file).await
            }
            _ => {
                self.exclusive(move |connection| backup::copy(connection, &file))
                    .await
            }
        }
    }

    async fn copy_to_memory(&self) -> Result<Self> {
        self.in_memory().await
    }

    async fn close(self) {
        // The last connection to close also does this, but a clone of the store may keep it open.
        if self.pool.location.file.is_some()
            && let Err(error) = self.exclusive(|connection| checkpoint(connection)).await
        {
            tracing::warn!(%error, "cannot copy the write-ahead log to the database file");
        }
        let counters = Arc::clone(&self.pool.counters);
        drop(self);
        counters.writer.wait_ended().await;
    }

    fn abandon(&self) {
        self.writes().send(Task::Rollback(None));
    }
}

impl SqliteDatabase {
    /// Returns the database inside a transaction whose statements are tasks of this queue.
    pub(super) fn inside(&self, queue: Queue<Task>, long_write: Option<Arc<OwnedMutexGuard<()>>>) -> Self {
        Self {
            pool: Arc::clone(&self.pool),
            transaction: Some(OpenTransaction {
                queue,
                _long_write: long_write,
            }),
        }
    }

    /// Queue of short reads.
    pub(super) fn reads(&self) -> &Queue<Task> {
        self.queue(&self.pool.reads)
    }

    /// Queue of reads that may take long.
    pub(super) fn searches(&self) -> &Queue<Task> {
        self.queue(&self.pool.searches)
    }

    pub(super) fn writes(&self) -> &Queue<Task> {
        self.queue(&self.pool.writes)
    }

    /// Queue of the transaction, if there is one.
    fn queue<'a>(&'a self, outside: &'a Queue<Task>) -> &'a Queue<Task> {
        match &self.transaction {
            Some(transaction) => &transaction.queue,
            None => outside,
        }
    }
}
