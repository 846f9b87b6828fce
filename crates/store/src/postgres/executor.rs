//! Executors: where statements run, separately or inside one transaction.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::Row;

use super::connection::OnRow;
use super::error::{StatementError, is_stalled};
use super::exclusive::ExclusiveStatements;
use super::intent::Intent;
use super::long_lists::LongLists;
use super::session::BRIEF_STATEMENT_TIMEOUT;
use super::shared::SharedConnections;
use super::stalled::StalledStatements;
use super::statement::PostgresStatement;
use super::transaction::OpenTransaction;
use crate::error::Error;
use crate::status::LaneStatus;

/// Maximum time of a read that may share a connection again.
const MAX_SHORT_READ: Duration = Duration::from_millis(100);

/// Connection strategy of statements.
#[derive(Clone)]
pub(super) enum Executor {
    /// Separate statements. Reads share connections; writes and long reads do not.
    Shared(Arc<Connections>),
    /// Separate statements of lists that are expected to be short, on exclusive connections with a short time limit.
    Brief(Arc<Connections>),
    /// Separate statements that may take long, on exclusive connections.
    Exclusive(Arc<Connections>),
    /// Statements inside a transaction, with the connections outside of it.
    InTransaction(Arc<OpenTransaction>, Arc<Connections>),
}

/// Connection pools of separate statements.
pub(super) struct Connections {
    pub(super) reads: SharedConnections,
    pub(super) lists: ExclusiveStatements,
    pub(super) long_reads: ExclusiveStatements,
    /// Reads by handwritten SQL, on the connections of long reads.
    pub(super) raw_reads: ExclusiveStatements,
    pub(super) writes: ExclusiveStatements,
    pub(super) stalled: StalledStatements,
    /// Lists that were recently not as short as expected.
    pub(super) long_lists: LongLists,
    /// Number of reads in transactions, which have connections of their own.
    pub(super) reads_in_transactions: AtomicU64,
}

impl Connections {
    /// Runs a statement that counts as a read in a transaction.
    async fn read_in(
        &self,
        transaction: &OpenTransaction,
        statement: &PostgresStatement<'_>,
        intent: Intent,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        self.reads_in_transactions.fetch_add(1, Ordering::Relaxed);
        transaction.each(statement, intent, take).await
    }

    fn read_count(&self) -> u64 {
        self.reads.statements()
            + self.lists.statements()
            + self.long_reads.statements()
            + self.raw_reads.statements()
            + self.reads_in_transactions.load(Ordering::Relaxed)
    }

    /// Runs a short read on a shared connection, or alone if it stalls there.
    async fn read_short(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        if self.stalled.contains(statement.sql()) {
            return self.read_stalled(statement, take).await;
        }
        if !self.reads.accepts(statement) {
            return self.long_reads.each(statement, take).await;
        }
        let mut has_rows = false;
        let mut take_shared = |row| {
            has_rows = true;
            take(row)
        };
        match self.reads.each(statement, &mut take_shared).await {
            Err(StatementError::Database(error)) if is_stalled(&error) && !has_rows => {
                self.stalled.add(statement.sql());
                self.read_stalled(statement, take).await
            }
            read => read,
        }
    }

    /// Runs a read with a short time limit, unless it has recently exceeded that.
    async fn read_briefly(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        if self.long_lists.contains(statement.sql()) {
            return Err(Error::TooSlow(BRIEF_STATEMENT_TIMEOUT).into());
        }
        let read = self.lists.each(statement, take).await;
        if let Err(StatementError::Other(Error::TooSlow(_))) = read {
            self.long_lists.add(statement.sql());
        }
        read
    }

    /// Runs a read that has stalled, alone. Once it is quick again, the next ones share connections.
    async fn read_stalled(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        let begin = Instant::now();
        let read = self.long_reads.each(statement, take).await;
        if read.is_ok() && begin.elapsed() < MAX_SHORT_READ {
            self.stalled.remove(statement.sql());
        }
        read
    }
}

impl Executor {
    /// Returns the executor for reads that may take long.
    pub(super) fn for_long_reads(&self) -> Self {
        match self {
            Executor::Shared(connections) => Executor::Exclusive(Arc::clone(connections)),
            other => other.clone(),
        }
    }

    /// Returns the executor for lists that are expected to be short. It fails with [`Error::TooSlow`] if they are not. `None`
    /// inside a transaction.
    pub(super) fn for_brief_reads(&self) -> Option<Self> {
        match self {
            Executor::Shared(connections) => Some(Executor::Brief(Arc::clone(connections))),
            Executor::Brief(_) | Executor::Exclusive(_) | Executor::InTransaction(..) => None,
        }
    }

    /// Runs a read and passes its rows to the callback until it breaks.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        match self {
            Executor::Shared(connections) => connections.read_short(statement, take).await,
            Executor::Brief(connections) => connections.read_briefly(statement, take).await,
            Executor::Exclusive(connections) => connections.long_reads.each(statement, take).await,
            Executor::InTransaction(transaction, outside) => {
                outside.read_in(transaction, statement, Intent::Read, take).await
            }
        }
    }

    /// Runs a read and returns its rows.
    pub(super) async fn read(&self, statement: &PostgresStatement<'_>) -> Result<Vec<Row>, StatementError> {
        let mut rows = Vec::new();
        self.each(statement, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })
        .await?;
        Ok(rows)
    }

    /// Runs a write and returns its rows.
    pub(super) async fn write(&self, statement: &PostgresStatement<'_>) -> Result<Vec<Row>, StatementError> {
        let mut rows = Vec::new();
        self.each_written(statement, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })
        .await?;
        Ok(rows)
    }

    /// Runs a write and returns the number of rows that it changed.
    pub(super) async fn execute(&self, statement: &PostgresStatement<'_>) -> Result<u64, StatementError> {
        self.each_written(statement, &mut |_| ControlFlow::Continue(()))
            .await
    }

    async fn each_written(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        match self {
            Executor::Shared(connections)
            | Executor::Brief(connections)
            | Executor::Exclusive(connections) => connections.writes.each(statement, take).await,
            Executor::InTransaction(transaction, _) => transaction.each(statement, Intent::Write, take).await,
        }
    }

    /// Passes the rows of a handwritten statement to the callback. It may write only inside a transaction.
    pub(super) async fn fetch(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<u64, StatementError> {
        match self {
            Executor::Shared(connections)
            | Executor::Brief(connections)
            | Executor::Exclusive(connections) => connections.raw_reads.each(statement, take).await,
            Executor::InTransaction(transaction, outside) => {
                outside.read_in(transaction, statement, Intent::Write, take).await
            }
        }
    }

    /// Numbers of the shared connections, outside of transactions.
    pub(super) fn shared_status(&self) -> Option<LaneStatus> {
        match self {
            Executor::Shared(connections)
            | Executor::Brief(connections)
            | Executor::Exclusive(connections) => Some(connections.reads.status()),
            Executor::InTransaction(..) => None,
        }
    }

    /// Number of reads, inside and outside of transactions.
    pub(super) fn read_count(&self) -> u64 {
        match self {
            Executor::Shared(connections)
            | Executor::Brief(connections)
            | Executor::Exclusive(connections)
            | Executor::InTransaction(_, connections) => connections.read_count(),
        }
    }

    /// Locking clause that keeps rows read in a transaction unchanged until its end.
    pub(super) fn lock(&self) -> Option<&'static str> {
        match self {
            Executor::Shared(_) | Executor::Brief(_) | Executor::Exclusive(_) => None,
            Executor::InTransaction(..) => Some(" FOR NO KEY UPDATE"),
        }
    }
}
