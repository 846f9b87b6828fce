//! Where statements run: each by itself, or inside one transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_postgres::Row;

use super::alone::{Alone, Intent};
use super::fault::Trouble;
use super::link::Take;
use super::links::Links;
use super::statement::Statement;
use super::writes::Writes;

/// Where statements run.
#[derive(Clone)]
pub(super) enum Session {
    /// Each by itself. Reads share their connections, writes do not.
    Single { reads: Arc<Links>, writes: Arc<Writes> },
    /// Inside a transaction.
    Inside(Arc<Alone>),
}

impl Session {
    /// Runs a statement that changes nothing and gives its rows away until that is enough.
    pub(super) async fn each(&self, statement: &Statement<'_>, take: &mut Take<'_>) -> Result<(), Trouble> {
        match self {
            Session::Single { reads, .. } => reads.each(statement, take).await,
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
            Session::Single { writes, .. } => writes.each(statement, &mut take).await?,
            Session::Inside(alone) => alone.each(statement, Intent::Write, &mut take).await?,
        }
        Ok(rows)
    }

    /// So many statements have read, outside of transactions.
    pub(super) fn reads(&self) -> u64 {
        match self {
            Session::Single { reads, .. } => reads.statements(),
            Session::Inside(_) => 0,
        }
    }

    /// What keeps the rows that a transaction reads as they are until it ends.
    pub(super) fn lock(&self) -> Option<&'static str> {
        match self {
            Session::Single { .. } => None,
            Session::Inside(_) => Some(" FOR NO KEY UPDATE"),
        }
    }
}
