//! SQLite backend: turns each store operation into a task for the reader or writer threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::begin_commit::snapshot;
use super::error::map_error;
use super::file_identity::FileIdentity;
use super::interrupt::{self, Liveness};
use super::queue::Queue;
use super::raw::{MayWrite, SqliteRawRow};
use super::statement::prepared;
use super::task::Task;
use super::url::SqliteUrl;
use super::{change, explain, fetch, raw, reader, related, scan, schema, writer};
use crate::backend::Backend;
use crate::error::Result;
use crate::explain::QueryPlan;
use crate::list_query::ListQuery;
use crate::migration_status::AppliedMigration;
use crate::raw_sql::Sql;
use crate::row_key::RowKey;
use crate::sink::{MapRow, RowSink, ScanResult};
use crate::update::Updated;
use model_resource_schema::query::AnyQuery;

/// Task queues of the threads. In memory and inside a transaction, both are the same queue.
#[derive(Clone)]
pub(crate) struct SqliteDatabase {
    reads: Queue<Task>,
    writes: Queue<Task>,
    identity: Option<FileIdentity>,
    /// Number of statements that have read.
    statements: Arc<AtomicU64>,
    /// Number of writes, inside and outside of transactions.
    written: Arc<AtomicU64>,
    is_in_transaction: bool,
}

impl Backend for SqliteDatabase {
    type RawRow = SqliteRawRow;

    fn takes(url: &str) -> bool {
        url.starts_with("sqlite:")
    }

    async fn open(url: &str) -> Result<Self> {
        let location = SqliteUrl::parse(url)?;
        let writes = writer::start(&location).await?;
        let reads = match &location.file {
            Some(_) => reader::start(&location, &writes).await?,
            None => writes.clone(),
        };
        let identity = location.file.as_deref().map(FileIdentity::of);
        Ok(Self {
            reads,
            writes,
            identity,
            statements: Arc::default(),
            written: Arc::default(),
            is_in_transaction: false,
        })
    }

    fn read_count(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    fn write_count(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    async fn migrate(&self, runner: refinery::Runner) -> Result<()> {
        self.exclusive(move |connection| schema::migrate(connection, &runner))
            .await
    }

    async fn create_tables(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.exclusive(move |connection| schema::create(connection, &tables))
            .await
    }

    async fn verify(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.read(move |connection| schema::verify(connection, &tables))
            .await
    }

    async fn ping(&self) -> Result<()> {
        self.identity.as_ref().map_or(Ok(()), FileIdentity::check)?;
        let sql = "SELECT count(*) FROM sqlite_schema";
        self.read(|connection| connection.query_row(sql, (), |_| Ok(())).map_err(map_error))
            .await
    }

    async fn check_writable(&self) -> Result<()> {
        self.identity.as_ref().map_or(Ok(()), FileIdentity::check)?;
        self.exclusive(|connection| schema::check_writable(connection))
            .await
    }

    async fn applied_migrations(&self) -> Result<Vec<AppliedMigration>> {
        self.read(schema::applied_migrations).await
    }

    async fn find<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        self.read(move |connection| fetch::find(connection, &select, &key, &keep))
            .await
    }

    async fn exists(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        self.read(move |connection| fetch::exists(connection, &select, &key))
            .await
    }

    async fn scan<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        if list.is_plain() && relations.is_empty() {
            let scan = move |connection: &Connection| scan::scan(connection, &list, &relations, sink);
            return self.read(scan).await;
        }
        self.read_long(move |connection| scan::scan(connection, &list, &relations, sink))
            .await
    }

    async fn count(&self, select: AnyQuery) -> Result<u64> {
        self.read_long(move |connection| fetch::count(connection, &select))
            .await
    }

    async fn explain(&self, list: ListQuery) -> Result<QueryPlan> {
        self.read(move |connection| explain::explain(connection, &list))
            .await
    }

    async fn related(&self, relations: Arc<[Relation]>, rows: Vec<Record>) -> Result<(Vec<Record>, Related)> {
        self.read_long(move |connection| {
            let _snapshot = snapshot(connection)?;
            let related = related::load(connection, &relations, &rows)?;
            Ok((rows, related))
        })
        .await
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

    async fn delete(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        self.write(move |connection| change::delete(connection, &select, &key))
            .await
    }

    async fn delete_with<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        self.write(move |connection| change::delete_with(connection, &select, &key, &keep))
            .await
    }

    async fn delete_all(&self, select: AnyQuery) -> Result<u64> {
        self.write(move |connection| change::delete_all(connection, &select))
            .await
    }

    /// Reads on a read-only connection, or on the connection of the transaction, which may write.
    async fn fetch(&self, sql: Sql) -> Result<Vec<SqliteRawRow>> {
        let may_write = if self.is_in_transaction {
            MayWrite::Yes
        } else {
            MayWrite::No
        };
        self.read_long(move |connection| raw::fetch(connection, &sql, may_write))
            .await
    }

    async fn execute(&self, sql: Sql) -> Result<u64> {
        self.write(move |connection| raw::execute(connection, &sql)).await
    }

    fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    async fn begin(&self) -> Result<Self> {
        let queue = self.writes.ask(Task::Begin).await?;
        Ok(Self {
            reads: queue.clone(),
            writes: queue,
            identity: self.identity.clone(),
            statements: Arc::clone(&self.statements),
            written: Arc::clone(&self.written),
            is_in_transaction: true,
        })
    }

    async fn commit(&self) -> Result<()> {
        self.writes.ask(Task::Commit).await
    }

    async fn rollback(&self) -> Result<()> {
        self.writes.ask(|reply| Task::Rollback(Some(reply))).await
    }

    fn abandon(&self) {
        self.writes.send(Task::Rollback(None));
    }
}

impl SqliteDatabase {
    fn read<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let statements = Arc::clone(&self.statements);
        let counted = move |connection: &Connection| {
            prepared();
            let result = work(connection);
            statements.fetch_add(prepared(), Ordering::Relaxed);
            result
        };
        self.reads.ask(|reply| Task::read(counted, reply))
    }

    /// Runs a read that may take long. It is interrupted if its caller is dropped.
    async fn read_long<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let caller = Liveness::new();
        let watched = Arc::downgrade(&caller);
        let result = self
            .read(move |connection| interrupt::interruptible(watched, || work(connection)))
            .await;
        drop(caller);
        result
    }

    fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        self.written.fetch_add(1, Ordering::Relaxed);
        self.writes.ask(|reply| Task::write(work, reply))
    }

    fn exclusive<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        self.writes.ask(|reply| Task::exclusive(work, reply))
    }
}
