//! Pool of the connections that one caller at a time has exclusively.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::PostgresConnection;
use super::server::PostgresServer;
use super::session::SessionKind;
use crate::error::{Error, Result};
use crate::status::LaneStatus;

/// Maximum time to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections of a lane that statements about one table leave to others.
const RESERVED_FOR_OTHER_TABLES: usize = 2;

/// Kind of work that a connection is for. Each lane may use only a part of the pool, so that none waits for the others
/// alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Lists that are expected to be short.
    Lists,
    Searches,
    Writes,
    Transactions,
}

impl Lane {
    const ALL: [Self; 4] = [Self::Lists, Self::Searches, Self::Writes, Self::Transactions];

    /// Number of connections of this lane in a pool of this size. Searches and transactions, which may take long, never
    /// fill the pool together. Lists and single writes are short, and the more writes run at once, the more share a flush.
    fn share(self, size: usize) -> usize {
        let share = match self {
            Self::Lists | Self::Searches => size * 2 / 5,
            Self::Writes => size * 3 / 4,
            Self::Transactions => size * 2 / 5,
        };
        share.max(1)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lists => "lists",
            Self::Searches => "searches",
            Self::Writes => "writes",
            Self::Transactions => "transactions",
        }
    }

    fn session(self) -> SessionKind {
        match self {
            Self::Lists => SessionKind::Brief,
            Self::Searches => SessionKind::Search,
            Self::Writes | Self::Transactions => SessionKind::Write,
        }
    }
}

/// Connections that are opened on demand, up to a limit, and kept for reuse.
pub(super) struct ConnectionPool {
    server: Arc<PostgresServer>,
    size: usize,
    permits: Arc<Semaphore>,
    lanes: [LaneState; 4],
}

struct LaneState {
    permits: Arc<Semaphore>,
    /// Number of callers that wait for a connection.
    waiting: AtomicUsize,
    /// Number of callers that waited for a connection until the time limit.
    expired: AtomicU64,
    size: usize,
    /// Permits for statements about one table.
    tables: Mutex<HashMap<&'static str, Arc<Semaphore>, foldhash::fast::FixedState>>,
    /// Connections that nobody uses; the last one was used most recently and has the most statements prepared.
    idle: Mutex<Vec<PostgresConnection>>,
}

/// A connection in exclusive use, which returns to the pool on drop.
pub(super) struct PooledConnection {
    connection: Option<PostgresConnection>,
    pool: Arc<ConnectionPool>,
    lane: Lane,
    before_return: Option<BeforeReturn>,
    /// Released after the connection has returned.
    permits: [Option<OwnedSemaphorePermit>; 4],
}

/// Work on a connection before it returns to the pool. It gets the connection on drop, and drops it again.
pub(super) type BeforeReturn = Box<dyn FnOnce(PooledConnection) + Send + Sync>;

impl ConnectionPool {
    pub(super) fn new(server: Arc<PostgresServer>, size: usize) -> Arc<Self> {
        let lane = |lane: Lane| LaneState {
            permits: Arc::new(Semaphore::new(lane.share(size))),
            waiting: AtomicUsize::new(0),
            expired: AtomicU64::new(0),
            size: lane.share(size),
            tables: Mutex::default(),
            idle: Mutex::default(),
        };
        Arc::new(Self {
            server,
            size,
            permits: Arc::new(Semaphore::new(size)),
            lanes: Lane::ALL.map(lane),
        })
    }

    /// Numbers of the lanes.
    pub(super) fn status(&self) -> impl Iterator<Item = LaneStatus> {
        Lane::ALL.into_iter().map(|lane| {
            let state = self.lane(lane);
            let idle = state.idle();
            // A connection that the server has closed stays here until it is taken.
            let idle = idle.iter().filter(|connection| connection.is_usable()).count();
            let free = state.permits.available_permits();
            LaneStatus {
                name: lane.name(),
                connections: state.size.saturating_sub(free) + idle,
                idle,
                waiting: state.waiting.load(Ordering::Relaxed),
                expired: state.expired(),
            }
        })
    }

    /// Number of searches that waited for a connection until the time limit. None are refused earlier.
    pub(super) fn refused_searches(&self) -> u64 {
        self.lane(Lane::Searches).expired()
    }

    pub(super) fn server(&self) -> &PostgresServer {
        &self.server
    }

    /// Takes a connection for statements about a table, if they are about one only. Waits if all are in use.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        lane: Lane,
        table: Option<&'static str>,
    ) -> Result<PooledConnection> {
        if let Err(error) = self.server.health.check() {
            self.close_unusable();
            return Err(error);
        }
        let state = self.lane(lane);
        let permits = async {
            // In this order, so that nobody waits with a permit that others could use.
            let of_table = match table {
                Some(table) => Some(state.table(table).acquire_owned().await?),
                None => None,
            };
            // Counted together with the single writes, so that a lock on the table leaves connections to others.
            let of_writes = match (table, lane) {
                (Some(table), Lane::Transactions) => {
                    Some(self.lane(Lane::Writes).table(table).acquire_owned().await?)
                }
                _ => None,
            };
            let of_lane = Arc::clone(&state.permits).acquire_owned().await?;
            let of_pool = Arc::clone(&self.permits).acquire_owned().await?;
            Ok::<_, tokio::sync::AcquireError>([of_table, of_writes, Some(of_lane), Some(of_pool)])
        };
        let waiting = Waiting::count(&state.waiting);
        let permits = tokio::time::timeout(ACQUIRE_TIMEOUT, permits).await;
        drop(waiting);
        let permits = match permits {
            Ok(permits) => permits.map_err(|_| Error::Unavailable("the pool is closed".to_owned()))?,
            Err(_) => {
                state.expired.fetch_add(1, Ordering::Relaxed);
                let cause = "too many requests wait for a connection to the database";
                return Err(Error::Unavailable(cause.to_owned()));
            }
        };
        let connection = match self.take_idle(lane) {
            Some(connection) => connection,
            None => self.server.connect(lane.session()).await?,
        };
        Ok(PooledConnection {
            connection: Some(connection),
            pool: Arc::clone(self),
            lane,
            before_return: None,
            permits,
        })
    }

    /// Takes an idle connection of a lane. If there is none, closes one of another lane if the pool would grow beyond
    /// its limit.
    fn take_idle(&self, lane: Lane) -> Option<PostgresConnection> {
        let mut idle = self.lane(lane).idle();
        while let Some(connection) = idle.pop() {
            if connection.is_usable() {
                return Some(connection);
            }
        }
        drop(idle);
        let in_use = self.size - self.permits.available_permits();
        let others: usize = self.lanes.iter().map(|lane| lane.idle().len()).sum();
        if in_use + others > self.size {
            let mut lanes = self.lanes.iter().map(LaneState::idle);
            drop(lanes.find_map(|mut idle| (!idle.is_empty()).then(|| idle.remove(0))));
        }
        None
    }

    /// Closes idle connections that must not be used again.
    fn close_unusable(&self) {
        for lane in &self.lanes {
            lane.idle().retain(PostgresConnection::is_usable);
        }
    }

    fn lane(&self, lane: Lane) -> &LaneState {
        &self.lanes[lane as usize]
    }
}

/// Counts a waiting caller until dropped.
struct Waiting<'c>(&'c AtomicUsize);

impl<'c> Waiting<'c> {
    fn count(waiting: &'c AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl LaneState {
    fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<PostgresConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self, table: &'static str) -> Arc<Semaphore> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let permits = self.size.saturating_sub(RESERVED_FOR_OTHER_TABLES).max(1);
        let semaphore = tables
            .entry(table)
            .or_insert_with(|| Arc::new(Semaphore::new(permits)));
        Arc::clone(semaphore)
    }
}

impl PooledConnection {
    /// Closes the connection instead of returning it.
    pub(super) fn close(mut self) {
        self.connection = None;
    }

    /// Sets the work before the connection returns.
    pub(super) fn set_before_return(&mut self, work: BeforeReturn) {
        self.before_return = Some(work);
    }

    /// Whether there is work before the connection returns.
    pub(super) fn has_work_before_return(&self) -> bool {
        self.before_return.is_some()
    }
}

impl Deref for PooledConnection {
    type Target = PostgresConnection;

    fn deref(&self) -> &PostgresConnection {
        self.connection.as_ref().expect("only `close` and `drop` take it")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take().filter(PostgresConnection::is_usable) else {
            return;
        };
        match self.before_return.take() {
            None => self.pool.lane(self.lane).idle().push(connection),
            Some(work) => work(Self {
                connection: Some(connection),
                pool: Arc::clone(&self.pool),
                lane: self.lane,
                before_return: None,
                permits: std::mem::take(&mut self.permits),
            }),
        }
    }
}
