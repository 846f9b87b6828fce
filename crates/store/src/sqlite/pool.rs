//! Threads of an open database.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::Mutex;

use super::counters::Counters;
use super::files::DatabaseFiles;
use super::foreign_commits::ForeignCommits;
use super::queue::Queue;
use super::reader::{self, ReaderKind};
use super::task::Task;
use super::url::SqliteUrl;
use super::{watchdog, writer};
use crate::error::Result;
use crate::status::StoreStatus;

/// Threads of an open database, with the queues of their tasks. In memory, all queues are the same.
pub(super) struct SqlitePool {
    /// Short reads.
    pub(super) reads: Queue<Task>,
    /// Reads that may take long.
    pub(super) searches: Queue<Task>,
    pub(super) writes: Queue<Task>,
    pub(super) files: Option<DatabaseFiles>,
    pub(super) location: Arc<SqliteUrl>,
    pub(super) counters: Arc<Counters>,
    pub(super) foreign_commits: Option<Arc<ForeignCommits>>,
    /// Held by the one transaction of many writes that is open or waits for the writer.
    pub(super) long_writes: Arc<Mutex<()>>,
}

impl SqlitePool {
    /// Opens a database and starts its threads.
    pub(super) async fn open(url: &str) -> Result<Self> {
        let location = SqliteUrl::parse(url)?;
        let counters = Arc::default();
        let started = writer::start(&location, &counters).await?;
        let (writes, mut watches) = (started.queue, vec![started.watch]);
        let (mut reads, mut searches) = (writes.clone(), writes.clone());
        if location.file.is_some() {
            for (queue, kind) in [
                (&mut reads, ReaderKind::Short),
                (&mut searches, ReaderKind::Search),
            ] {
                let (started, watch) =
                    reader::start(kind, &location, &started.files, &writes, &counters).await?;
                *queue = started;
                watches.push(watch);
            }
        }
        watchdog::start(watches)?;
        Ok(Self {
            reads,
            searches,
            writes,
            files: started.files,
            location: Arc::new(location),
            counters,
            foreign_commits: started.foreign_commits,
            long_writes: Arc::default(),
        })
    }

    pub(super) fn status(&self) -> StoreStatus {
        let counters = &self.counters;
        let mut lanes = vec![("writes", &counters.writer, &self.writes)];
        if self.files.is_some() {
            lanes.push(("reads", &counters.readers, &self.reads));
            lanes.push(("searches", &counters.searchers, &self.searches));
        }
        let group_sizes = counters.groups.sizes();
        StoreStatus {
            lanes: lanes
                .into_iter()
                .map(|(name, threads, queue)| threads.status(name, queue))
                .collect(),
            group_commits: group_sizes.iter().map(|size| size.commits).sum(),
            group_committed_writes: counters.groups.writes(),
            group_sizes,
            refused_searches: self.searches.refused() + self.searches.expired(),
            slow_searches: counters.slow_searches.load(Ordering::Relaxed),
        }
    }
}
