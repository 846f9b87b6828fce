//! Where statements run: each by itself, or inside one transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_postgres::Row;

use super::alone::{Alone, Intent};
use super::fault::Trouble;
use super::link::Take;
use super::links::Links;
use super::pooled::Pooled;
use super::statement::Statement;

/// Where statements run.
#[derive(Clone)]
pub(super) enum Session {
    /// Each by itself. Reads share their connections, writes and reads that may take long do not.
    Single(Arc<Connections>),
    /// The same for reads that may take long.
    Long(Arc<Connections>),
    /// Inside a transaction.
    Inside(Arc<Alone>),
}

/// The connections of single statements.
pub(super) struct Connections {
    pub(super) reads: Links,
    pub(super) long_reads: Pooled,
    pub(super) writes: Pooled,
}

impl Session {
    /// Where reads run that may take long.
    pub(super) fn for_long(&self) -> Self {
        match self {
            Session::Single(connections) => Session::Long(Arc::clone(connections)),
            other => other.clone(),
        }
    }

    /// Runs a statement that changes nothing and gives its rows away until that is enough.
    pub(super) async fn each(&self, statement: &Statement<'_>, take: &mut Take<'_>) -> Result<(), Trouble> {
        match self {
            Session::Single(connections) => connections.reads.each(statement, take).await,
            Session::Long(connections) => connections.long_reads.each(statement, take).await,
            Session::Inside(alone) => alone.each(statement, Intent::Read, take).await,
        }
    }

    /// The rows of a statement that changes nothing.
    pub(super) async fn read(&self, statement: &Statement<'_>) -> Result<Vec<Row>, Trouble> {
        let mut rows = Vec::new();
        self.each(statement, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })
        .await?;
        Ok(rows)
    }

    /// Runs a statement that writes and gives its rows.
    pub(super) async fn write(&self, statement: &Statement<'_>) -> Result<Vec<Row>, Trouble> {
        let mut rows = Vec::new();
        let mut take = |row| {
            rows.push(row);
            ControlFlow::Continue(())
        };
        match self {
            Session::Single(connections) | Session::Long(connections) => {
                connections.writes.each(statement, &mut take).await?;
            }
            Session::Inside(alone) => alone.each(statement, Intent::Write, &mut take).await?,
        }
        Ok(rows)
    }

    /// So many statements have read, outside of transactions.
    pub(super) fn reads(&self) -> u64 {
        match self {
            Session::Single(connections) | Session::Long(connections) => {
                connections.reads.statements() + connections.long_reads.statements()
            }
            Session::Inside(_) => 0,
        }
    }

    /// What keeps the rows that a transaction reads as they are until it ends.
    pub(super) fn lock(&self) -> Option<&'static str> {
        match self {
            Session::Single(_) | Session::Long(_) => None,
            Session::Inside(_) => Some(" FOR NO KEY UPDATE"),
        }
    }
}
