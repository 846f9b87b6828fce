//! Where statements run: each by itself, or inside one transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_postgres::Row;

use super::connection::OnRow;
use super::error::StatementError;
use super::exclusive::ExclusiveStatements;
use super::shared::SharedConnections;
use super::statement::PostgresStatement;
use super::transaction::{Intent, OpenTransaction};

/// Where statements run.
#[derive(Clone)]
pub(super) enum Executor {
    /// Each by itself. Reads share their connections, writes and reads that may take long do not.
    Shared(Arc<Connections>),
    /// The same for reads that may take long.
    Exclusive(Arc<Connections>),
    /// Inside a transaction.
    InTransaction(Arc<OpenTransaction>),
}

/// The connections of single statements.
pub(super) struct Connections {
    pub(super) reads: SharedConnections,
    pub(super) long_reads: ExclusiveStatements,
    pub(super) writes: ExclusiveStatements,
}

impl Executor {
    /// Where reads run that may take long.
    pub(super) fn for_long_reads(&self) -> Self {
        match self {
            Executor::Shared(connections) => Executor::Exclusive(Arc::clone(connections)),
            other => other.clone(),
        }
    }

    /// Runs a statement that changes nothing and gives its rows away until that is enough.
    pub(super) async fn each(
        &self,
        statement: &PostgresStatement<'_>,
        take: &mut OnRow<'_>,
    ) -> Result<(), StatementError> {
        match self {
            Executor::Shared(connections) => connections.reads.each(statement, take).await,
            Executor::Exclusive(connections) => connections.long_reads.each(statement, take).await,
            Executor::InTransaction(alone) => alone.each(statement, Intent::Read, take).await,
        }
    }

    /// The rows of a statement that changes nothing.
    pub(super) async fn read(&self, statement: &PostgresStatement<'_>) -> Result<Vec<Row>, StatementError> {
        let mut rows = Vec::new();
        self.each(statement, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })
        .await?;
        Ok(rows)
    }

    /// Runs a statement that writes and gives its rows.
    pub(super) async fn write(&self, statement: &PostgresStatement<'_>) -> Result<Vec<Row>, StatementError> {
        let mut rows = Vec::new();
        let mut take = |row| {
            rows.push(row);
            ControlFlow::Continue(())
        };
        match self {
            Executor::Shared(connections) | Executor::Exclusive(connections) => {
                connections.writes.each(statement, &mut take).await?;
            }
            Executor::InTransaction(alone) => alone.each(statement, Intent::Write, &mut take).await?,
        }
        Ok(rows)
    }

    /// So many statements have read, outside of transactions.
    pub(super) fn read_count(&self) -> u64 {
        match self {
            Executor::Shared(connections) | Executor::Exclusive(connections) => {
                connections.reads.statements() + connections.long_reads.statements()
            }
            Executor::InTransaction(_) => 0,
        }
    }

    /// What keeps the rows that a transaction reads as they are until it ends.
    pub(super) fn lock(&self) -> Option<&'static str> {
        match self {
            Executor::Shared(_) | Executor::Exclusive(_) => None,
            Executor::InTransaction(_) => Some(" FOR NO KEY UPDATE"),
        }
    }
}
