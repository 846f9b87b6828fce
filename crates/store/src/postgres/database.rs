//! The database as the store sees it: each method becomes a statement on the right connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deadpool_postgres::Pool;
use model_resource_schema::column::Table;
use model_resource_schema::draft::Changes;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use super::alone::{Alone, Intent};
use super::given_up::GivenUp;
use super::link::Server;
use super::links::Links;
use super::location::Location;
use super::pool::pool;
use super::pooled::Pooled;
use super::session::{Connections, Session};
use super::statement::Statement;
use super::{advisory_lock, change, explain, fetch, related, scan, schema};
use crate::error::{Error, Result};
use crate::explain::Explanation;
use crate::list::List;
use crate::row_key::RowKey;
use crate::select::Select;
use crate::sink::{Keep, Scanned, Sink};
use crate::update::Updated;

/// So many connections all reads share.
const READS: usize = 4;
/// So many reads that may take long run at once; further ones wait.
const LONG_READS: usize = 8;
/// So many single writes run at once; further ones wait.
const WRITES: usize = 16;
/// So many transactions are open at once; further ones wait.
const TRANSACTIONS: usize = 16;

/// A server's database, outside or inside a transaction.
#[derive(Clone)]
pub(crate) struct Database {
    server: Arc<Server>,
    transactions: Pool,
    given_up: Arc<GivenUp>,
    session: Session,
    /// Number of writes, inside and outside of transactions.
    written: Arc<AtomicU64>,
}

impl Database {
    /// Whether a URL is for this kind of database.
    pub(crate) fn takes(url: &str) -> bool {
        url.starts_with("postgres:") || url.starts_with("postgresql:")
    }

    pub(crate) async fn open(url: &str) -> Result<Self> {
        let server = Arc::new(Server::new(Location::parse(url)?)?);
        let given_up = GivenUp::new(Arc::clone(&server));
        // Nobody waits for the end of reads that were given up.
        let unread = GivenUp::new(Arc::clone(&server));
        let connections = Connections {
            reads: Links::new(Arc::clone(&server), READS),
            long_reads: Pooled::new(pool(&server, LONG_READS)?, unread, Intent::Read),
            writes: Pooled::new(pool(&server, WRITES)?, Arc::clone(&given_up), Intent::Write),
        };
        let database = Self {
            transactions: pool(&server, TRANSACTIONS)?,
            session: Session::Single(Arc::new(connections)),
            given_up,
            server,
            written: Arc::default(),
        };
        database.ping().await?;
        Ok(database)
    }

    pub(crate) async fn migrate(&self, runner: refinery::Runner) -> Result<()> {
        self.outside()?;
        schema::migrate(self.server.connect().await?, &runner).await
    }

    pub(crate) async fn create_tables(&self, tables: Vec<&'static Table>) -> Result<()> {
        self.outside()?;
        schema::create(self.server.connect().await?, &tables).await
    }

    pub(crate) async fn verify(&self, tables: Vec<&'static Table>) -> Result<()> {
        schema::verify(&self.session, &tables).await
    }

    pub(crate) async fn ping(&self) -> Result<()> {
        self.session.read(&Statement::ready("SELECT 1")).await?;
        Ok(())
    }

    pub(crate) fn reads(&self) -> u64 {
        self.session.reads()
    }

    pub(crate) fn writes(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// The session, for a write.
    fn writing(&self) -> &Session {
        self.written.fetch_add(1, Ordering::Relaxed);
        &self.session
    }

    pub(crate) async fn find<T: Send + 'static>(
        &self,
        select: Select,
        key: RowKey,
        keep: impl Keep<T>,
    ) -> Result<Option<T>> {
        fetch::find(&self.session, &select, &key, keep).await
    }

    pub(crate) async fn exists(&self, select: Select, key: RowKey) -> Result<bool> {
        fetch::exists(&self.session, &select, &key).await
    }

    pub(crate) async fn lock_rows(&self, select: Select, column: usize, values: Vec<Value>) -> Result<()> {
        fetch::lock_rows(&self.session, &select, column, &values).await
    }

    pub(crate) async fn scan<S: Sink>(
        &self,
        list: List,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<Scanned<S>> {
        match list.may_be_long() {
            false => scan::scan(&self.session, &list, &relations, sink).await,
            true => scan::scan(&self.session.for_long(), &list, &relations, sink).await,
        }
    }

    pub(crate) async fn count(&self, select: Select) -> Result<u64> {
        fetch::count(&self.session.for_long(), &select).await
    }

    pub(crate) async fn estimate(&self, select: Select) -> Result<u64> {
        fetch::estimate(&self.session, &select).await
    }

    pub(crate) async fn explain(&self, list: List) -> Result<Explanation> {
        explain::explain(&self.session, &list).await
    }

    pub(crate) async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
    ) -> Result<(Vec<Record>, Related)> {
        let related = related::load(&self.session, &relations, &rows).await?;
        Ok((rows, related))
    }

    pub(crate) async fn insert<T: Send + 'static>(
        &self,
        table: &'static Table,
        row: Vec<(usize, Value)>,
        keep: impl Keep<T>,
    ) -> Result<T> {
        change::insert(self.writing(), table, &row, keep).await
    }

    pub(crate) async fn update<T: Send + 'static>(
        &self,
        select: Select,
        key: Value,
        unchanged: Option<Record>,
        changes: Changes,
        keep: impl Keep<T>,
    ) -> Result<Updated<T>> {
        change::update(self.writing(), &select, &key, unchanged.as_ref(), &changes, keep).await
    }

    pub(crate) async fn delete(&self, select: Select, key: RowKey) -> Result<bool> {
        change::delete(self.writing(), &select, &key).await
    }

    pub(crate) async fn delete_with<T: Send + 'static>(
        &self,
        select: Select,
        key: RowKey,
        keep: impl Keep<T>,
    ) -> Result<Option<T>> {
        change::delete_with(self.writing(), &select, &key, keep).await
    }

    pub(crate) async fn delete_where(&self, select: Select) -> Result<u64> {
        change::delete_where(self.writing(), &select).await
    }

    pub(crate) fn is_in_transaction(&self) -> bool {
        matches!(self.session, Session::Inside(_))
    }

    /// The database as it is inside a new transaction.
    pub(crate) async fn begin(&self) -> Result<Self> {
        let Session::Single(_) = self.session else {
            return Err(Error::Failed("a transaction is open already".to_owned()));
        };
        Ok(Self {
            session: Session::Inside(Alone::begin(&self.transactions, &self.given_up).await?),
            ..self.clone()
        })
    }

    /// Waits for the advisory lock of a table and holds it until the transaction ends.
    pub(crate) async fn lock_checks(&self, table: &'static Table) -> Result<()> {
        advisory_lock::lock(&self.session, table).await
    }

    pub(crate) async fn commit(&self) -> Result<()> {
        self.inside()?.commit().await
    }

    pub(crate) async fn rollback(&self) -> Result<()> {
        self.inside()?.rollback().await
    }

    /// Undoes the transaction if it is still open, without waiting for that.
    pub(crate) fn abandon(&self) {
        if let Session::Inside(alone) = &self.session {
            alone.abandon();
        }
    }

    /// Returns when nothing that was given up until now can happen any more.
    pub(crate) async fn settled(&self) {
        self.given_up.settled().await;
    }

    fn inside(&self) -> Result<&Alone> {
        match &self.session {
            Session::Inside(alone) => Ok(alone),
            Session::Single(_) | Session::Long(_) => Err(Error::Failed("no transaction is open".to_owned())),
        }
    }

    fn outside(&self) -> Result<()> {
        match self.session {
            Session::Single(_) | Session::Long(_) => Ok(()),
            Session::Inside(_) => Err(Error::Failed(
                "migrations and new tables have transactions of their own: make them outside of this one"
                    .to_owned(),
            )),
        }
    }
}
