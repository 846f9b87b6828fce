//! Where statements run: on connections that all share, or inside one transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use tokio_postgres::Row;

use super::alone::Alone;
use super::fault::Trouble;
use super::link::Take;
use super::links::{Intent, Links};
use super::statement::Statement;

/// Where statements run.
#[derive(Clone)]
pub(super) enum Session {
    /// On connections that all share. Reads have their own, so that they never wait behind a write that waits for a lock.
    Shared { reads: Arc<Links>, writes: Arc<Links> },
    /// Inside a transaction.
    Inside(Arc<Alone>),
}

impl Session {
    /// Runs a statement that changes nothing and gives its rows away until that is enough.
    pub(super) async fn each(&self, statement: &Statement<'_>, take: &mut Take<'_>) -> Result<(), Trouble> {
        match self {
            Session::Shared { reads, .. } => reads.each(statement, Intent::Read, take).await,
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
            Session::Shared { writes, .. } => writes.each(statement, Intent::Write, &mut take).await?,
            Session::Inside(alone) => alone.each(statement, Intent::Write, &mut take).await?,
        }
        Ok(rows)
    }

    /// What keeps the rows that a transaction reads as they are until it ends.
    pub(super) fn lock(&self) -> &'static str {
        match self {
            Session::Shared { .. } => "",
            Session::Inside(_) => " FOR NO KEY UPDATE",
        }
    }
}
