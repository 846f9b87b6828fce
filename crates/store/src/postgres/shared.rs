//! Connection pool of all short reads, whose connections are shared, opened on demand and reopened when lost.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::attempt::{Attempt, MAX_ATTEMPTS};
use super::connection::{OnRow, PostgresConnection};
use super::error::{StatementError, is_lost};
use super::intent::Intent;
use super::server::PostgresServer;
use super::session::SessionKind;
use super::statement::PostgresStatement;
use super::url::Prepare;
use crate::error::{Error, Result};
use crate::status::LaneStatus;

/// Maximum time of a short read on a shared connection without a time limit of the server.
const UNLIMITED_READ_TIMEOUT: Duration = Duration::from_millis(500);

/// A fixed number of pipelined connections, shared by all short reads.
pub(super) struct SharedConnections {
    server: Arc<PostgresServer>,
    slots: Vec<Slot>,
    /// Number of statements started.
    statements: AtomicU64,
}

/// Slot of one connection.
#[derive(Default)]
struct Slot {
    link: RwLock<Option<Arc<PostgresConnection>>>,
    /// Held while connecting; contains the last failure, for callers that waited for it.
    connecting: Mutex<Option<(Instant, Error)>>,
    /// Number of statements waiting for responses.
    waiting: AtomicUsize,
    /// Moment of the last cancellation, if the server has no time limits.
    cancelled: Mutex<Option<Instant>>,
}

impl SharedConnections {
    pub(super) fn new(server: Arc<PostgresServer>, count: usize) -> Self {
        let slots = std::iter::repeat_with(Slot::default).take(count).collect();
        Self {
            server,
            slots,
            statements: AtomicU64::new(0),
        }
    }

    /// Runs a read and passes its rows to the callback until it breaks.
    ///
    /// Runs again on a new connection if the old one was lost before a row arrived.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        if self.server.health.check().is_err() {
            self.slots.iter().for_each(Slot::close_unusable);
        }
        let slot = self.least_busy();
        let _waiting = slot.wait();
        let mut attempt = slot.attempt(&self.server, statement, take).await;
        for _ in 1..MAX_ATTEMPTS {
            match attempt {
                Attempt::Retry(_) => attempt = slot.attempt(&self.server, statement, take).await,
                Attempt::Done(_) => break,
            }
        }
        attempt.last()
    }

    /// Whether a read can run here. Without names, its parameters must be known from an earlier run in a transaction.
    pub(super) fn accepts(&self, statement: &PostgresStatement<'_>) -> bool {
        match self.server.options.prepare {
            Prepare::Named => true,
            Prepare::Unnamed => self.server.learned.get(statement).is_some(),
        }
    }

    pub(super) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Numbers of the connections. Statements on the way count as waiting.
    pub(super) fn status(&self) -> LaneStatus {
        let waiting = |slot: &Slot| slot.waiting.load(Ordering::Relaxed);
        let is_open = |slot: &&Slot| slot.open_connection().is_some();
        LaneStatus {
            name: "reads",
            connections: self.slots.iter().filter(is_open).count(),
            idle: self
                .slots
                .iter()
                .filter(is_open)
                .filter(|slot| waiting(slot) == 0)
                .count(),
            waiting: self.slots.iter().map(waiting).sum(),
            // Statements share the connections, so that none waits for one.
            expired: 0,
        }
    }

    fn least_busy(&self) -> &Slot {
        let waiting = |slot: &&Slot| slot.waiting.load(Ordering::Relaxed);
        self.slots.iter().min_by_key(waiting).expect("READS is not 0")
    }
}

impl Slot {
    async fn attempt(
        &self,
        server: &Arc<PostgresServer>,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Attempt {
        let link = match self.connection(server).await {
            Ok(link) => link,
            Err(error) => return Attempt::Done(Err(error.into())),
        };
        let mut has_rows = false;
        let take = &mut |row| {
            has_rows = true;
            take(row)
        };
        let ran = self.within_limit(server, &link, link.each(statement, take));
        let error = match ran.await {
            Ok(ended) => {
                server.succeeded(statement.table(), Intent::Read);
                return Attempt::Done(Ok(ended.count()));
            }
            Err(failed) => failed.error,
        };
        server.failed(&error, Intent::Read);
        if link.forget_outdated(statement.sql(), &error) {
            return Attempt::Retry(error);
        }
        if is_lost(&error) {
            self.drop_connection(&link);
            if !has_rows {
                return Attempt::Retry(error);
            }
        }
        Attempt::Done(Err(error.into()))
    }

    /// Waits for a read. Without a session there is no time limit of the server, so the statement that the connection
    /// runs is cancelled if this one has to wait too long; a cancelled read runs again alone.
    async fn within_limit<T>(
        &self,
        server: &Arc<PostgresServer>,
        link: &Arc<PostgresConnection>,
        ran: impl Future<Output = T>,
    ) -> T {
        if server.options.prepare == Prepare::Named {
            return ran.await;
        }
        let mut ran = std::pin::pin!(ran);
        loop {
            match tokio::time::timeout(UNLIMITED_READ_TIMEOUT, &mut ran).await {
                Ok(ran) => return ran,
                Err(_) => self.cancel_running(server, link).await,
            }
        }
    }

    /// Cancels the statement that the connection runs, unless another caller has just done so.
    async fn cancel_running(&self, server: &Arc<PostgresServer>, link: &Arc<PostgresConnection>) {
        let Ok(mut last) = self.cancelled.try_lock() else {
            return;
        };
        if last.is_none_or(|moment| moment.elapsed() >= UNLIMITED_READ_TIMEOUT) {
            let (server, link) = (Arc::clone(server), Arc::clone(link));
            // In a task, because PgBouncer may end itself if a client closes the request early.
            tokio::spawn(async move { server.cancel(&link).await }).await.ok();
            *last = Some(Instant::now());
        }
    }

    /// Returns the connection; opens one if there is none or it was lost.
    async fn connection(&self, server: &Arc<PostgresServer>) -> Result<Arc<PostgresConnection>> {
        if let Some(link) = self.open_connection() {
            return Ok(link);
        }
        let begun = Instant::now();
        let mut failure = self.connecting.lock().await;
        if let Some(link) = self.open_connection() {
            return Ok(link);
        }
        match &*failure {
            Some((moment, error)) if *moment >= begun => return Err(error.clone()),
            _ => {}
        }
        match server.connect(SessionKind::Shared).await {
            Ok(link) => {
                let link = Arc::new(link);
                *self.link.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&link));
                Ok(link)
            }
            Err(error) => {
                *failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    fn open_connection(&self) -> Option<Arc<PostgresConnection>> {
        let link = self.link.read().unwrap_or_else(PoisonError::into_inner);
        link.as_ref().filter(|link| link.is_usable()).cloned()
    }

    /// Closes a connection that must not be used again.
    fn close_unusable(&self) {
        let mut link = self.link.write().unwrap_or_else(PoisonError::into_inner);
        *link = link.take().filter(|link| link.is_usable());
    }

    fn drop_connection(&self, lost: &Arc<PostgresConnection>) {
        let mut link = self.link.write().unwrap_or_else(PoisonError::into_inner);
        if link.as_ref().is_some_and(|link| Arc::ptr_eq(link, lost)) {
            *link = None;
        }
    }

    fn wait(&self) -> InFlight<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        InFlight(self)
    }
}

/// Counts a waiting statement until dropped.
struct InFlight<'s>(&'s Slot);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
