//! The store: the rows of all models, known by their tables.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use crate::database::Database;
use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::explain::QueryPlan;
use crate::list_query::ListQuery;
use crate::query::AnyQuery;
use crate::row_key::RowKey;
use crate::sink::{MapRow, RowSink, ScanResult, copy_record};
use crate::update::{Precondition, Updated};

/// A row that changes under an update more often than this is contended beyond use.
const MAX_ATTEMPTS: usize = 100;

/// A database with the rows of all models. Clones share the same connections; the last one to be dropped closes them.
///
/// ```
/// # use model_resource_schema::column::{Assigned, Column, Role, Table};
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
/// # async fn main() -> model_resource_store::Result<()> {
/// let store = Store::open("sqlite::memory:").await?;
/// store.create_tables(&[&TAGS]).await?;
///
/// let mut draft = AnyDraft::new(&TAGS);
/// draft.set(1, Value::Text("rust".to_owned()));
/// let row = store.insert(draft).await?;
/// assert_eq!(store.find(&AnyQuery::from(&TAGS), Value::Int(1)).await?, Some(row));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Store {
    pub(crate) database: Database,
}

impl Store {
    /// Opens the database at a URL; a file is created if it is not there yet.
    ///
    /// `sqlite:PATH` (or `sqlite://PATH`) is a file, `sqlite::memory:` a database that lives as long as the store. A
    /// write is on the disk when its future is done; with `sqlite:PATH?synchronous=normal` the last writes before a
    /// power cut may be lost, although the file stays sound and a crash of the process loses nothing.
    ///
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE` is a server's database, which must be there. `?sslmode=` is `disable`,
    /// `prefer` (the default), `require` or `verify-full`, the last with `&sslrootcert=FILE` for certificates of one's own;
    /// `?host=/FOLDER` is a Unix socket. Connections that are lost are made again by themselves.
    pub async fn open(url: &str) -> Result<Self> {
        Ok(Self {
            database: Database::open(url).await?,
        })
    }

    /// The kind of the database, which migrations are chosen by.
    pub fn dialect(&self) -> SqlDialect {
        self.database.dialect()
    }

    /// Applies the migrations that the database does not have yet.
    pub async fn migrate(&self, runner: refinery::Runner) -> Result<()> {
        self.database.migrate(runner).await
    }

    /// Creates the tables that are missing, as their models describe them. They may refer to each other.
    ///
    /// For small applications, examples and tests: a table that is there is left as it is, also if its model changed, which
    /// is then reported as by [`Store::verify`].
    /// Fails if a column's constraints or default make no sense.
    pub async fn create_tables(&self, tables: &[&'static Table]) -> Result<()> {
        self.database.create_tables(tables.to_vec()).await?;
        self.verify(tables).await
    }

    /// Fails unless every table and every column of the models is there, makes sense and has a type that keeps its values,
    /// naming those of which it is not so.
    ///
    /// Fails also for a column that is NOT NULL, has no default and is filled by none of the models of its table: no row
    /// could be created. Pass all models of a table at once. Fails as well for a primary key or a unique column without a unique
    /// index on it alone, because its value could identify another row.
    pub async fn verify(&self, tables: &[&'static Table]) -> Result<()> {
        self.database.verify(tables.to_vec()).await
    }

    /// Fails unless the database answers.
    pub async fn ping(&self) -> Result<()> {
        self.database.ping().await
    }

    /// How many statements have read from the database until now, outside of transactions: for tests that nothing asks once
    /// for each row.
    pub fn read_count(&self) -> u64 {
        self.database.reads()
    }

    /// Number of statements that have written to the database until now, inside and outside of transactions: for tests that
    /// nothing is written once for each row.
    pub fn writes(&self) -> u64 {
        self.database.writes()
    }

    /// The row with this key, if it is one of the selected.
    pub async fn find(&self, select: &AnyQuery, key: impl Into<RowKey>) -> Result<Option<Record>> {
        self.find_with(select, key, copy_record(select.table())).await
    }

    /// Maps the row with this key by `keep`, if it is one of the selected, without copying it first.
    ///
    /// It runs where the row is read, as a [`RowSink`] does.
    pub async fn find_with<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        key: impl Into<RowKey>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        self.database.find(select.clone(), key.into(), keep).await
    }

    /// Whether the row with this key is one of the selected; cheaper than to find it. It is not locked inside a transaction.
    pub async fn exists(&self, select: &AnyQuery, key: impl Into<RowKey>) -> Result<bool> {
        self.database.exists(select.clone(), key.into()).await
    }

    /// Gives the rows of a list to a sink.
    ///
    /// The sink breaks when it has enough, and a scan of the [`ListQuery::rest`] goes on from [`ScanResult::next`] whenever it likes: between two
    /// calls nothing is kept open, so a slow reader holds nobody up. With relations, the rows are read in blocks, and
    /// each block's related rows by one query for each relation.
    pub async fn scan<S: RowSink>(
        &self,
        list: &ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        self.database.scan(list.clone(), relations, sink).await
    }

    /// How many rows are selected.
    pub async fn count(&self, select: &AnyQuery) -> Result<u64> {
        self.database.count(select.clone()).await
    }

    /// About how many rows are selected, as the database's statistics say; where it keeps none, exactly.
    pub async fn estimate(&self, select: &AnyQuery) -> Result<u64> {
        self.database.estimate(select.clone()).await
    }

    /// How the database would read a list, and what it lacks an index for.
    pub async fn explain(&self, list: &ListQuery) -> Result<QueryPlan> {
        self.database.explain(list.clone()).await
    }

    /// Finds what the rows relate to, by one query for each relation, and gives the rows back with it.
    pub async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
    ) -> Result<(Vec<Record>, Related)> {
        if relations.is_empty() {
            return Ok((rows, Related::default()));
        }
        self.database.related(relations, rows).await
    }

    /// Inserts the row that the draft describes and gives it as it was saved.
    pub async fn insert(&self, draft: AnyDraft) -> Result<Record> {
        let keep = copy_record(draft.table());
        self.insert_with(draft, keep).await
    }

    /// Inserts the row that the draft describes and gives what `keep` makes of it, where it is written.
    pub async fn insert_with<T: Send + 'static>(&self, draft: AnyDraft, keep: impl MapRow<T>) -> Result<T> {
        let table = draft.table();
        require_valid(draft.check())?;
        let row = draft.insertion().map_err(Error::Invalid)?;
        self.database.insert(table, row, keep).await
    }

    /// Writes a draft's changes over the row it started from, if that is one of the selected.
    ///
    /// A draft without changes gives that row back and does not ask the database, unless it was never read.
    pub async fn update(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        guard: Precondition,
    ) -> Result<Updated<Record>> {
        self.update_with(select, draft, guard, copy_record(select.table()))
            .await
    }

    /// The same, giving what `keep` makes of the changed row, where it is written.
    pub async fn update_with<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        guard: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let Some(key) = draft.key() else {
            return Err(Error::Failed(
                "cannot update with the draft of a new row: insert it".to_owned(),
            ));
        };
        require_valid(draft.check())?;
        match draft.original() {
            Some(base) => self.update_read(select, draft, base, guard, keep).await,
            None => self.update_blind(select, draft, key, keep).await,
        }
    }

    /// Writes over a row that was read.
    async fn update_read<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        base: &Record,
        guard: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let changes = draft.changes();
        if changes.values.is_empty() {
            return Ok(Updated::Row(keep(base)));
        }
        let key = base.values()[draft.table().primary_key].clone();
        let unchanged = match guard {
            Precondition::Exists => None,
            Precondition::Unchanged => Some(base.clone()),
        };
        self.database
            .update(select.clone(), key, unchanged, changes, keep)
            .await
    }

    /// Writes over a row that was not read, by a single statement.
    async fn update_blind<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        draft: &AnyDraft,
        key: &Value,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let changes = draft.changes();
        if changes.values.is_empty() {
            let found = self.find_with(select, key.clone(), keep).await?;
            return Ok(found.map_or(Updated::Missing, Updated::Row));
        }
        let update = self
            .database
            .update(select.clone(), key.clone(), None, changes, keep.clone());
        match update.await {
            // Only over the row itself is it known which of the values are new, and so which of them are wrong.
            Err(Error::Invalid(_) | Error::Referenced) => {}
            outcome => return outcome,
        }
        let mut found = self.find(select, key.clone()).await?;
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

    /// Deletes the row with this key, if it is one of the selected; tells whether it was there.
    pub async fn delete(&self, select: &AnyQuery, key: impl Into<RowKey>) -> Result<bool> {
        self.database.delete(select.clone(), key.into()).await
    }

    /// The same, giving what `keep` makes of the row as it was, where it is deleted.
    pub async fn delete_with<T: Send + 'static>(
        &self,
        select: &AnyQuery,
        key: impl Into<RowKey>,
        keep: impl MapRow<T>,
    ) -> Result<Option<T>> {
        self.database.delete_with(select.clone(), key.into(), keep).await
    }

    /// Deletes all selected rows by one statement, however many there are, and returns their number.
    ///
    /// ```
    /// # use model_resource_schema::column::{Assigned, Column, Role, Table};
    /// # use model_resource_schema::draft::AnyDraft;
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_schema::value::Value;
    /// # use model_resource_store::{AnyQuery, Store};
    /// # static TOKENS: Table = Table::new("tokens", "Token", &[
    /// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// #     Column::new("user_id", DataType::I64),
    /// # ]);
    /// # #[tokio::main]
    /// # async fn main() -> model_resource_store::Result<()> {
    /// # let store = Store::open("sqlite::memory:").await?;
    /// # store.create_tables(&[&TOKENS]).await?;
    /// # for user in [7, 7, 8] {
    /// #     let mut draft = AnyDraft::new(&TOKENS);
    /// #     draft.set(1, Value::Int(user));
    /// #     store.insert(draft).await?;
    /// # }
    /// let tokens_of_user_7 = AnyQuery::from(&TOKENS).filter(1, Value::Int(7));
    /// assert_eq!(store.delete_where(&tokens_of_user_7).await?, 2);
    /// assert_eq!(store.count(&AnyQuery::from(&TOKENS)).await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_where(&self, select: &AnyQuery) -> Result<u64> {
        self.database.delete_where(select.clone()).await
    }

    /// Whether this is the store of an open [`Transaction`](crate::Transaction), in which no other can begin.
    pub fn is_in_transaction(&self) -> bool {
        self.database.is_in_transaction()
    }

    /// Returns when no write whose future was dropped until now can begin any more.
    ///
    /// Dropping the future of a write gives it up: one that waits is not begun, and one that runs on a server is cancelled,
    /// which takes a moment. Whoever says that a write was not made says so after this.
    pub async fn wait_cancelled(&self) {
        self.database.settled().await;
    }
}

fn require_valid(errors: Errors) -> Result<()> {
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
