//! Type-erased access to the rows of all models.

use std::sync::Arc;

use tokio::sync::Mutex;

use model_resource_schema::clock::Clock;
use model_resource_schema::column::Table;
use model_resource_schema::draft::{AnyDraft, Changes};
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;

use crate::backend::Backend as _;
use crate::changes::ChangeTracker;
use crate::database::{Database, call, call_async};
use crate::deferral::Deferral;
use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::own_tables::OwnTables;
use crate::row_key::RowKey;
use crate::sink::{MapRow, copy_record};
use crate::slow::SlowThreshold;
use crate::statistics::StatisticsCache;
use crate::update::{Precondition, Updated};
use model_resource_schema::query::AnyQuery;

/// Maximum attempts to update a row that others change concurrently.
const MAX_ATTEMPTS: usize = 100;

/// A connection pool to a database with the rows of all models. Clones share connections; dropping the last clone
/// closes them.
///
/// ```
/// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
/// # use model_resource_schema::data_type::DataType;
/// use model_resource_schema::draft::AnyDraft;
/// use model_resource_schema::value::Value;
/// use model_resource_store::{AnyQuery, Store};
///
/// static TAGS: Table = Table::new(
///     "tags",
///     "Tag",
///     &[
///         Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
///         Column::new("name", DataType::Text).unique(),
///     ],
/// );
///
/// # #[tokio::main]
/// # async fn main() -> model_resource_store::StoreResult<()> {
/// let store = Store::open("sqlite::memory:").await?;
/// store.create_tables(&[&TAGS]).await?;
///
/// let mut draft = AnyDraft::new(&TAGS);
/// draft.set(1, Value::Text("rust".to_owned()));
/// let row = store.insert_any(draft).await?;
/// assert_eq!(store.find_any(&AnyQuery::from(&TAGS), Value::Int(1)).await?, Some(row));
/// # Ok(())
/// # }
/// ```
#[doc(alias = "connection pool")]
#[derive(Clone)]
pub struct Store {
    pub(crate) database: Database,
    pub(crate) slow: SlowThreshold,
    pub(crate) own_tables: OwnTables,
    pub(crate) statistics: Arc<StatisticsCache>,
    pub(crate) changes: ChangeTracker,
    pub(crate) clock: Clock,
    /// Transaction that the first write begins, if this store belongs to one.
    pub(crate) deferral: Option<Arc<Deferral>>,
    /// Held by the savepoint of a write with several statements, inside a transaction.
    pub(crate) nested: Option<Arc<Mutex<()>>>,
}

impl Store {
    /// Opens the database at a URL; a missing SQLite file is created.
    ///
    /// `sqlite:PATH` (or `sqlite://PATH`) is a file, `sqlite::memory:` a database that lives as long as the store. A
    /// write is on disk when its future completes. With `sqlite:PATH?synchronous=normal` the last writes before a
    /// power failure may be lost; the file stays consistent, and a crash of the process loses nothing.
    /// `max_connections=N` limits all connections of the store (20). One is the writer's; `readers=N` and `searches=N`
    /// set the numbers of those for short reads and for searches (by default one per core each, within the limit).
    ///
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE` is an existing database on a server. `?sslmode=` is `disable`,
    /// `prefer` (the default), `require` or `verify-full`; the last one accepts `&sslrootcert=FILE` for a custom root
    /// certificate. `?host=/FOLDER` is a Unix socket. Lost connections are reopened automatically.
    /// `postgres://USER@HOST,HOST/DATABASE` names several servers with the same data, of which one that accepts writes is
    /// used. `?max_connections=` limits all connections of the store (20), `?search_timeout=` the seconds of a search
    /// (5), and `?connect_timeout=` those of opening a connection (2). `?prepare=off` is for a connection pooler in
    /// transaction mode, such as PgBouncer: nothing outlives a transaction.
    ///
    /// Searches are interrupted after five seconds on both databases with [`StoreError::TooSlow`](crate::StoreError::TooSlow);
    /// `?search_timeout=SECONDS` changes that.
    pub async fn open(url: &str) -> Result<Self> {
        Ok(Self::with_database(Database::open(url).await?).await)
    }

    /// Creates a store of an open database.
    pub(crate) async fn with_database(database: Database) -> Self {
        let store = Self {
            database,
            slow: SlowThreshold::default(),
            own_tables: OwnTables::default(),
            statistics: Arc::default(),
            changes: ChangeTracker::default(),
            clock: Clock::system(),
            deferral: None,
            nested: None,
        };
        store.read_secret().await;
        store
    }

    /// SQL dialect of the database, for example to choose migrations.
    pub fn dialect(&self) -> SqlDialect {
        self.database.dialect()
    }

    /// Creates missing tables from their models. The tables may reference each other.
    ///
    /// For small applications, examples and tests: existing tables are left unchanged, and reported as by
    /// [`Store::verify`] if their model has changed. Views are not created. Fails if a column's constraints or default
    /// are invalid.
    pub async fn create_tables(&self, tables: &[&'static Table]) -> Result<()> {
        let is_table = |table: &&Table| !table.is_view;
        let missing = tables.iter().copied().filter(is_table).collect();
        call_async!(self.database, backend => backend.create_tables(missing))?;
        self.create_secret().await;
        self.create_responses().await;
        self.verify(tables).await
    }

    /// Checks that the tables and columns of the models exist, are valid and have a type that stores their values.
    /// The error lists all differences.
    ///
    /// Also rejects a NOT NULL column without a default that no model of its table fills, since no row could be
    /// created. Pass all models of a table at once. Also rejects a primary key or unique column without a unique
    /// index on it alone, since its value could identify several rows.
    pub async fn verify(&self, tables: &[&'static Table]) -> Result<()> {
        let verified = tables.to_vec();
        call_async!(self.database, backend => backend.verify(verified))?;
        // Queries can be priced without them.
        let _ = self.refresh_statistics(tables).await;
        Ok(())
    }

    /// Checks that the database responds.
    pub async fn ping(&self) -> Result<()> {
        call_async!(self.database, backend => backend.ping())
    }

    /// Checks that the database accepts writes, without a write: it is not read-only, and its file is still there.
    pub async fn check_writable(&self) -> Result<()> {
        call_async!(self.database, backend => backend.check_writable())
    }

    /// Number of statements that have read from the database, inside and outside of transactions. Tests use it to
    /// detect one query per row.
    pub fn read_count(&self) -> u64 {
        call!(self.database, backend => backend.read_count())
    }

    /// Number of statements that have written to the database, inside and outside of transactions. Tests use it to
    /// detect one write per row.
    pub fn writes(&self) -> u64 {
        call!(self.database, backend => backend.write_count())
    }

    /// Returns the row with this key if the query selects it.
    pub async fn find_any(&self, select: &AnyQuery, key: impl Into<RowKey>) -> Result<Option<Record>> {
        let keep = copy_record(select.table());
        self.find_any_with(select.clone(), key, keep).await
    }

    /// Maps the row with this key by `keep` without copying it, if the query selects it.
    ///
    /// The mapper runs where the row is read, like a [`RowSink`](crate::RowSink).
    pub async fn find_any_with<T: Send + 'static>(
        &self,
        select: AnyQuery,
        key: impl Into<RowKey>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        let (timer, table) = (self.slow.start(), select.table());
        let key = key.into();
        let outcome = call_async!(*self.reads_from(), backend => backend.find(select, key, keep));
        timer.end("get", table);
        outcome.map_err(Error::of_row_read)
    }

    /// Whether the query selects the row with this key; cheaper than `find_any`. Does not lock the row inside a
    /// transaction.
    pub async fn exists_any(&self, select: &AnyQuery, key: impl Into<RowKey>) -> Result<bool> {
        let (timer, table) = (self.slow.start(), select.table());
        let (select, key) = (select.clone(), key.into());
        let outcome = call_async!(*self.reads_from(), backend => backend.exists(select, key));
        timer.end("exists", table);
        outcome.map_err(Error::of_row_read)
    }

    /// Inserts the draft and returns the saved row.
    pub async fn insert_any(&self, draft: AnyDraft) -> Result<Record> {
        let keep = copy_record(draft.table());
        self.insert_any_with(draft, keep).await
    }

    /// Inserts the draft and maps the saved row by `keep` where it is written.
    pub async fn insert_any_with<T: Send + 'static>(
        &self,
        draft: AnyDraft,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        let table = draft.table();
        require_valid(draft.check())?;
        let row = draft.insert_values(&self.clock).map_err(Error::Invalid)?;
        let timer = self.slow.start();
        let _change = self.changes().insert(table);
        let outcome = call_async!(*self.writes_to().await?, backend => backend.insert(table, row, keep));
        timer.end("insert", table);
        outcome
    }

    /// Applies a draft's changes to its original row, if the query selects it.
    ///
    /// A draft without changes returns the original row without a query, unless it was never read.
    pub async fn update_any(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        precondition: Precondition,
    ) -> Result<Updated<Record>> {
        self.update_any_with(select, draft, precondition, copy_record(select.table()))
            .await
    }

    /// Updates like [`Store::update_any`] and maps the changed row by `keep` where it is written.
    pub async fn update_any_with<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let Some(key) = draft.key() else {
            return Err(Error::Failed(
                "cannot update with the draft of a new row: insert it".to_owned(),
            ));
        };
        require_valid(draft.check())?;
        match draft.original() {
            Some(base) => self.update_read(select, draft, base, precondition, keep).await,
            None => self.update_blind(select, draft, key, keep).await,
        }
    }

    /// Updates a row that was read before.
    async fn update_read<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        base: &Record,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let changes = draft.changes(&self.clock);
        if changes.values.is_empty() {
            return Ok(Updated::Row(keep(base)));
        }
        let key = base.values()[draft.table().primary_key].clone();
        let columns = changes.values.iter().map(|(column, _)| *column);
        let may_repeat = draft.table().has_transitions(columns);
        match precondition {
            Precondition::Unchanged => {
                self.write_update(select, key, Some(base.clone()), changes, keep)
                    .await
            }
            Precondition::Exists if may_repeat => self.update_allowed(select, &key, &changes, keep).await,
            Precondition::Exists => self.write_update(select, key, None, changes, keep).await,
        }
    }

    /// Repeats an update that a value of the row allows only after the statement.
    async fn update_allowed<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        key: &Value,
        changes: &Changes,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        for _ in 0..MAX_ATTEMPTS {
            let update = self.write_update(select, key.clone(), None, changes.clone(), keep.clone());
            match update.await? {
                Updated::Stale(_) => {}
                outcome => return Ok(outcome),
            }
        }
        Err(Error::Unavailable("the row kept changing".to_owned()))
    }

    /// Runs the statement of an update.
    async fn write_update<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let (timer, table) = (self.slow.start(), select.table());
        let _change = self.changes().update(table);
        let select = select.clone();
        let outcome = call_async!(*self.writes_to().await?, backend => backend.update(select, key, unchanged, changes, keep));
        timer.end("update", table);
        outcome
    }

    /// Updates a row that was not read, by a single statement.
    async fn update_blind<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        key: &Value,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let changes = draft.changes(&self.clock);
        if changes.values.is_empty() {
            let found = self.find_any_with(select.clone(), key.clone(), keep).await?;
            return Ok(found.map_or(Updated::Missing, Updated::Row));
        }
        let update = self.write_update(select, key.clone(), None, changes, keep.clone());
        match update.await {
            // Reading the row shows which values are new, and so which of them caused the error.
            Err(Error::Invalid(_) | Error::Referenced) | Ok(Updated::Stale(_)) => {}
            outcome => return outcome,
        }
        let mut found = self.find_any(select, key.clone()).await?;
        for _ in 0..MAX_ATTEMPTS {
            let Some(base) = found else {
                return Ok(Updated::Missing);
            };
            let mut draft = draft.clone();
            draft.rebase(base.clone());
            let update = self.update_read(select, &draft, &base, Precondition::Unchanged, keep.clone());
            match update.await? {
                Updated::Stale(newer) => found = Some(newer),
                outcome => return Ok(outcome),
            }
        }
        Err(Error::Unavailable("the row kept changing".to_owned()))
    }

    /// Whether this store belongs to an open [`Transaction`](crate::Transaction), which cannot be nested.
    pub fn is_in_transaction(&self) -> bool {
        call!(*self.reads_from(), backend => backend.is_in_transaction())
    }

    /// Whether both stores are clones of one, which share its connections.
    #[doc(hidden)]
    pub fn is_clone_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.statistics, &other.statistics)
    }

    /// Waits until no write whose future was dropped can still begin.
    ///
    /// Dropping the future of a write cancels it: a queued write never begins, and a running statement is cancelled
    /// on the server, which takes a moment. Await this before reporting that a write was not made.
    pub async fn wait_cancelled(&self) {
        call_async!(self.database, backend => backend.wait_cancelled());
    }
}

pub(crate) fn require_valid(errors: Errors) -> Result<()> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(errors))
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
