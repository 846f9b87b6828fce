//! PostgreSQL backend: runs each store operation as a statement on the right connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use super::cancel::Cancellations;
use super::exclusive::ExclusiveStatements;
use super::executor::{Connections, Executor};
use super::intent::Intent;
use super::lent_client::LentClient;
use super::long_lists::LongLists;
use super::pool::{ConnectionPool, Lane};
use super::raw::PostgresRawRow;
use super::server::PostgresServer;
use super::shared::SharedConnections;
use super::stalled::StalledStatements;
use super::statement::PostgresStatement;
use super::transaction::OpenTransaction;
use super::url::PostgresUrl;
use super::{
    advisory_lock, aggregate, change, explain, fetch, migrations, monitor, raw, related, scan, schema,
    statistics,
};
use crate::backend::{Backend, ReadLength};
use crate::brief_scan::BriefScan;
use crate::delete_query::DeleteQuery;
use crate::error::{Error, Result};
use crate::explain::QueryPlan;
use crate::list_query::ListQuery;
use crate::migration::Migration;
use crate::migration_history::MigrationHistory;
use crate::migration_plan::MigrationTarget;
use crate::raw_sql::Sql;
use crate::row_key::RowKey;
use crate::savepoint::Savepoint;
use crate::sink::{MapRow, RowSink, ScanResult};
use crate::sql::SqlWriter as _;
use crate::statistics::TableStatistics;
use crate::status::{LaneStatus, StoreStatus};
use crate::update::Updated;
use model_resource_schema::query::{AnyAggregate, AnyQuery};

/// Maximum connections that short reads share; with fewer connections, a fifth of them.
const MAX_SHARED_CONNECTIONS: usize = 4;
/// Connections of the monitor.
const MONITOR_CONNECTIONS: usize = 1;

/// A PostgreSQL database, outside or inside a transaction.
#[derive(Clone)]
pub(crate) struct PostgresDatabase {
    server: Arc<PostgresServer>,
    pool: Arc<ConnectionPool>,
    cancellations: Arc<Cancellations>,
    executor: Executor,
    /// Number of writes, inside and outside of transactions.
    written: Arc<AtomicU64>,
}

impl Backend for PostgresDatabase {
    type RawRow = PostgresRawRow;

    fn takes(url: &str) -> bool {
        url.starts_with("postgres:") || url.starts_with("postgresql:")
    }

    async fn open(url: &str) -> Result<Self> {
        let server = Arc::new(PostgresServer::new(PostgresUrl::parse(url)?)?);
        monitor::watch(&server).await?;
        let max_connections = server.options.max_connections;
        let shared = (max_connections / 5).clamp(1, MAX_SHARED_CONNECTIONS);
        let pool = ConnectionPool::new(
            Arc::clone(&server),
            max_connections - shared - MONITOR_CONNECTIONS,
        );
        let cancellations = Cancellations::new(Arc::clone(&server));
        // Nothing waits for the end of cancelled reads.
        let unread = Cancellations::new(Arc::clone(&server));
        let connections = Connections {
            reads: SharedConnections::new(Arc::clone(&server), shared),
            lists: ExclusiveStatements::new(&pool, Lane::Lists, &unread, Intent::Read),
            long_reads: ExclusiveStatements::new(&pool, Lane::Searches, &unread, Intent::Read),
            raw_reads: ExclusiveStatements::new(&pool, Lane::Searches, &unread, Intent::ReadOnly),
            writes: ExclusiveStatements::new(&pool, Lane::Writes, &cancellations, Intent::Write),
            stalled: StalledStatements::default(),
            long_lists: LongLists::default(),
            reads_in_transactions: AtomicU64::new(0),
        };
        let database = Self {
            pool,
            executor: Executor::Shared(Arc::new(connections)),
            cancellations,
            server,
            written: Arc::default(),
        };
        database.ping().await?;
        Ok(database)
    }

    async fn migrate(&self, known: Vec<Migration>, target: MigrationTarget) -> Result<Vec<String>> {
        self.outside()?;
        migrations::migrate(&self.server, &known, target).await
    }

    async fn create_tables(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.outside()?;
        schema::create(&self.server, &tables).await
    }

    async fn run_locked(&self, sql: String) -> Result<()> {
        self.outside()?;
        schema::run(&self.server, &sql).await
    }

    async fn verify(&self, tables: Vec<&'static Table>) -> Result<()> {
        schema::verify(&self.executor, &tables).await
    }

    async fn ping(&self) -> Result<()> {
        self.executor.read(&PostgresStatement::ready("SELECT 1")).await?;
        Ok(())
    }

    async fn check_writable(&self) -> Result<()> {
        schema::check_writable(&self.executor, &self.server).await
    }

    async fn migration_history(&self) -> Result<MigrationHistory> {
        migrations::migration_history(&self.executor).await
    }

    fn read_count(&self) -> u64 {
        self.executor.read_count()
    }

    fn write_count(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// The server reports changes only after they were made.
    fn foreign_commits(&self) -> Option<u64> {
        None
    }

    fn status(&self) -> StoreStatus {
        let mut lanes: Vec<LaneStatus> = self.pool.status().collect();
        lanes.extend(self.executor.shared_status());
        StoreStatus {
            lanes,
            slow_searches: self.server.slow_searches(),
            refused_searches: self.pool.refused_searches(),
            ..StoreStatus::default()
        }
    }

    async fn find<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: RowKey,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        if select.table().is_view {
            return fetch::find(&self.executor.for_long_reads(), &select, &key, keep).await;
        }
        fetch::find(&self.executor, &select, &key, keep).await
    }

    async fn exists(&self, select: AnyQuery, key: RowKey) -> Result<bool> {
        if select.table().is_view {
            return fetch::exists(&self.executor.for_long_reads(), &select, &key).await;
        }
        fetch::exists(&self.executor, &select, &key).await
    }

    async fn lock_rows(&self, select: AnyQuery, column: usize, values: Vec<Value>) -> Result<()> {
        fetch::lock_rows(&self.executor, &select, column, &values).await
    }

    async fn scan<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        let search = async |list: ListQuery, sink| {
            scan::scan(&self.executor.for_long_reads(), &list, &relations, sink).await
        };
        let scanned = scan::scan_to_size(&self.executor, &list, &relations, sink).await?;
        scanned.or_search(search).await
    }

    /// Inside of a transaction, which has no others beside it, nothing is interrupted.
    async fn scan_briefly<S: RowSink>(
        &self,
        list: ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<BriefScan<S>> {
        match self.executor.for_brief_reads() {
            Some(executor) => scan::scan_briefly(&executor, list, &relations, sink).await,
            None => self.scan(list, relations, sink).await.map(BriefScan::Ended),
        }
    }

    async fn count(&self, select: AnyQuery) -> Result<u64> {
        fetch::count(&self.executor.for_long_reads(), &select).await
    }

    async fn aggregate(&self, query: AnyAggregate, length: ReadLength) -> Result<Vec<Record>> {
        match length {
            ReadLength::Short => aggregate::aggregate(&self.executor, &query).await,
            ReadLength::Long => aggregate::aggregate(&self.executor.for_long_reads(), &query).await,
        }
    }

    async fn estimate(&self, select: AnyQuery) -> Result<u64> {
        fetch::estimate(&self.executor, &select).await
    }

    async fn explain(&self, list: ListQuery) -> Result<QueryPlan> {
        explain::explain(&self.executor, &list).await
    }

    async fn statistics(&self, tables: Vec<&'static Table>) -> Result<Vec<TableStatistics>> {
        statistics::read(&self.executor, &tables).await
    }

    async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
        _: ReadLength,
    ) -> Result<(Vec<Record>, Related)> {
        let related = related::load(&self.executor, &relations, &rows).await?;
        Ok((rows, related))
    }

    async fn insert<T: Send + 'static>(
        &self,
        table: &'static Table,
        row: Vec<(usize, Value)>,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        change::insert(self.writing(), table, &row, keep).await
    }

    async fn insert_rows(
        &self,
        table: &'static Table,
        rows: Vec<Vec<(usize, Value)>>,
    ) -> Result<(), (usize, Error)> {
        change::insert_rows(self.writing(), table, &rows).await
    }

    async fn update<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        change::update(self.writing(), &select, &key, unchanged.as_ref(), &changes, keep).await
    }

    async fn delete(&self, rows: DeleteQuery, key: RowKey) -> Result<bool> {
        change::delete(self.writing(), &rows, &key).await
    }

    async fn delete_with<T: Send + 'static>(
        &self,
        rows: DeleteQuery,
        key: RowKey,
        unchanged: Option<Record>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        change::delete_with(self.writing(), &rows, &key, unchanged.as_ref(), keep).await
    }

    async fn delete_all(&self, rows: DeleteQuery) -> Result<u64> {
        change::delete_all(self.writing(), &rows).await
    }

    async fn fetch(&self, sql: Sql, length: ReadLength) -> Result<Vec<PostgresRawRow>> {
        raw::fetch(&self.executor, &sql, length).await
    }

    async fn execute(&self, sql: Sql) -> Result<u64> {
        raw::execute(self.writing(), &sql).await
    }

    fn is_in_transaction(&self) -> bool {
        matches!(self.executor, Executor::InTransaction(..))
    }

    async fn begin(&self, table: Option<&'static Table>) -> Result<Self> {
        let Executor::Shared(connections) = &self.executor else {
            return Err(Error::Failed("a transaction is open already".to_owned()));
        };
        let transaction = OpenTransaction::begin(&self.pool, table, &self.cancellations).await?;
        Ok(Self {
            executor: Executor::InTransaction(transaction, Arc::clone(connections)),
            ..self.clone()
        })
    }

    async fn lock_checks(&self, table: &'static Table) -> Result<()> {
        advisory_lock::lock(&self.executor, table).await
    }

    async fn check_constraints(&self) -> Result<()> {
        let statement = PostgresStatement::ready("SET CONSTRAINTS ALL IMMEDIATE");
        self.executor.write(&statement).await?;
        Ok(())
    }

    async fn savepoint(&self, step: Savepoint) -> Result<()> {
        self.inside()?.savepoint(step).await
    }

    fn abandon_savepoint(&self) {
        if let Executor::InTransaction(transaction, _) = &self.executor {
            transaction.abandon_savepoint();
        }
    }

    async fn commit(&self) -> Result<()> {
        self.inside()?.commit().await
    }

    async fn commit_with_response(&self, insert: Sql) -> Result<()> {
        raw::commit_with_response(self.inside()?, &insert).await
    }

    async fn rollback(&self) -> Result<()> {
        self.inside()?.rollback().await
    }

    fn abandon(&self) {
        if let Executor::InTransaction(transaction, _) = &self.executor {
            transaction.abandon();
        }
    }

    async fn backup(&self, _: PathBuf) -> Result<()> {
        Err(Error::Failed(
            "a PostgreSQL database is backed up by its own tools: use pg_dump".to_owned(),
        ))
    }

    async fn wait_cancelled(&self) {
        self.cancellations.wait_pending().await;
    }
}

impl PostgresDatabase {
    /// Lends the driver's client to the application's own code: that of the transaction, or else one of a connection that
    /// nobody else uses.
    pub(crate) async fn lend(&self) -> Result<LentClient> {
        match self.writing() {
            Executor::InTransaction(transaction, _) => {
                transaction.lend().await.map(LentClient::of_transaction)
            }
            Executor::Shared(_) | Executor::Brief(_) | Executor::Exclusive(_) => {
                LentClient::of_pool(&self.pool, &self.cancellations).await
            }
        }
    }

    /// Returns the executor and counts a write.
    fn writing(&self) -> &Executor {
        self.written.fetch_add(1, Ordering::Relaxed);
        &self.executor
    }

    fn inside(&self) -> Result<&OpenTransaction> {
        match &self.executor {
            Executor::InTransaction(transaction, _) => Ok(transaction),
            Executor::Shared(_) | Executor::Brief(_) | Executor::Exclusive(_) => {
                Err(Error::Failed("no transaction is open".to_owned()))
            }
        }
    }

    fn outside(&self) -> Result<()> {
        match self.executor {
            Executor::Shared(_) | Executor::Brief(_) | Executor::Exclusive(_) => Ok(()),
            Executor::InTransaction(..) => Err(Error::Failed(
                "migrations and new tables manage their own transactions: run them outside of this one"
                    .to_owned(),
            )),
        }
    }
}
