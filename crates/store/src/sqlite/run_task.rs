//! Tasks for the threads: short reads, searches and writes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::counters::Counters;
use super::database::SqliteDatabase;
use super::files::DatabaseFiles;
use super::interrupt::{self, Liveness};
use super::schema;
use super::statement::prepared;
use super::task::Task;
use crate::backend::Backend as _;
use crate::error::{Error, Result};

impl SqliteDatabase {
    /// Runs a short read.
    pub(super) fn read<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let counters = Arc::clone(&self.pool.counters);
        self.reads()
            .ask(|reply| Task::read(counted(work, counters), reply))
    }

    /// Runs a read by a key: a short one of a table, and a search of a view, which may compute all of its rows.
    pub(super) async fn read_row<T, F>(&self, table: &Table, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        if table.is_view {
            // Boxed, because reads of tables are many, and their futures small.
            return Box::pin(self.search(work)).await;
        }
        self.read(work).await
    }

    /// Runs a read that may take long. It is interrupted if its caller is dropped, or after the time limit. Inside a
    /// transaction it is not: that would end the transaction if the statement writes.
    pub(super) async fn search<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        if self.is_in_transaction() {
            return self.read(work).await;
        }
        let caller = Liveness::new();
        let (watched, limit) = (Arc::downgrade(&caller), self.pool.location.search_timeout);
        let search =
            move |connection: &Connection| interrupt::interruptible(watched, limit, || work(connection));
        let search = counted(search, Arc::clone(&self.pool.counters));
        let result = self.searches().ask(|reply| Task::read(search, reply)).await;
        drop(caller);
        if let Err(Error::TooSlow(_)) = result {
            self.pool.counters.slow_searches.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// Runs a write, in a transaction with others.
    pub(super) fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnMut(&Connection) -> Result<T> + Send + 'static,
    {
        self.pool.counters.written.fetch_add(1, Ordering::Relaxed);
        self.writes().ask(|reply| Task::write(work, reply))
    }

    /// Fails if writes are not possible.
    pub(super) async fn check_writes(&self) -> Result<()> {
        if let Err(fault) = self.pool.files.as_ref().map_or(Ok(()), DatabaseFiles::check) {
            // The writer, which reports changed files, checks them before each task.
            self.writes().send(Task::Exclusive(Box::new(|_| {})));
            return Err(fault);
        }
        self.exclusive(|connection| schema::check_writable(connection))
            .await
    }

    /// Runs work that no other write runs beside.
    pub(super) fn exclusive<T, F>(&self, work: F) -> impl Future<Output = Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        self.writes().ask(|reply| Task::exclusive(work, reply))
    }
}

/// Counts the statements of a read.
fn counted<T>(
    work: impl FnOnce(&Connection) -> Result<T>,
    counters: Arc<Counters>,
) -> impl FnOnce(&Connection) -> Result<T> {
    move |connection| {
        prepared();
        let result = work(connection);
        counters.statements.fetch_add(prepared(), Ordering::Relaxed);
        result
    }
}
