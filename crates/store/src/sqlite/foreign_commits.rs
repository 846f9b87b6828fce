//! Detection of commits by other processes, by the index of the write-ahead log.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use super::begin_commit;
use super::file_identity::file_beside;
use crate::error::Result;

/// Position of the count of commits in the header of the index: `iChange` of SQLite's "WAL-Index File Format", in the
/// byte order of the machine.
const COMMITS: u64 = 8;
/// Maximum attempts to read a state that others change at the same time.
const MAX_ATTEMPTS: u32 = 4;

/// Counts the commits of other processes, and of other connections of this one.
///
/// Every process with the database writes the number of commits to the index of the log. If the number is another one
/// than after the last commit of the writer, somebody else has committed. Reading it takes a fraction of a microsecond,
/// while a read transaction takes several.
pub(super) struct ForeignCommits {
    /// `None` for a database in memory, which no other process can open.
    index: Option<LogIndex>,
    known: AtomicU64,
}

/// Known numbers of commits, packed into one number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    /// All commits, as the index counts them.
    all: u32,
    /// Commits that the writer has not made.
    foreign: u32,
}

impl ForeignCommits {
    /// Opens the index of the log of a database whose connection has read. Returns nothing if the platform has none that
    /// can be read.
    pub(super) fn open(database: Option<&Path>) -> Option<Self> {
        let index = match database {
            Some(database) => Some(LogIndex::open(database).ok()?),
            None => None,
        };
        Some(Self {
            index,
            known: AtomicU64::new(0),
        })
    }

    /// Number of these commits so far. It may count a commit of the writer that was made at this moment.
    pub(super) fn count(&self) -> u64 {
        let Some(index) = &self.index else {
            return 0;
        };
        loop {
            // Before the index is read, which is then at least as recent.
            let packed = self.known.load(Ordering::Acquire);
            let known = Known::unpack(packed);
            let all = index.commits();
            if all.as_ref().is_ok_and(|all| *all == known.all) {
                return known.foreign.into();
            }
            let next = Known {
                all: all.unwrap_or(known.all),
                foreign: known.foreign.wrapping_add(1),
            };
            if self.replace(packed, next) {
                return next.foreign.into();
            }
        }
    }

    fn replace(&self, packed: u64, next: Known) -> bool {
        let (set, failed) = (Ordering::AcqRel, Ordering::Relaxed);
        self.known
            .compare_exchange(packed, next.pack(), set, failed)
            .is_ok()
    }
}

impl Known {
    fn pack(self) -> u64 {
        u64::from(self.all) << 32 | u64::from(self.foreign)
    }

    fn unpack(packed: u64) -> Self {
        Self {
            all: (packed >> 32) as u32,
            foreign: packed as u32,
        }
    }
}

/// Commits of the writer, which are not foreign.
pub(super) struct OwnCommits<'f> {
    foreign: Option<&'f ForeignCommits>,
    /// SQLite's version of the database as the writer sees it. Only commits of other connections change it.
    version: Cell<i64>,
}

impl<'f> OwnCommits<'f> {
    pub(super) fn new(connection: &Connection, foreign: Option<&'f ForeignCommits>) -> Self {
        let commits = Self {
            foreign,
            version: Cell::new(0),
        };
        commits.record(connection);
        commits
    }

    /// Commits the open transaction, or rolls it back if that fails.
    pub(super) fn commit(&self, connection: &Connection) -> Result<()> {
        begin_commit::end(connection)?;
        self.record(connection);
        Ok(())
    }

    /// Accounts for a commit of the writer. Called before the commit is answered, so that the next request does not
    /// find it foreign. If the state cannot be read, it does, which only invalidates more than necessary.
    pub(super) fn record(&self, connection: &Connection) {
        let Some(ForeignCommits {
            index: Some(index),
            known,
        }) = self.foreign
        else {
            return;
        };
        let Some((all, version)) = state(connection, index) else {
            return;
        };
        let is_foreign = self.version.replace(version) != version;
        let advance = |packed| {
            let known = Known::unpack(packed);
            // Another thread already knows these commits, and has counted one of them as foreign.
            let is_known = all.wrapping_sub(known.all).cast_signed() <= 0;
            let foreign = known.foreign.wrapping_add(u32::from(is_foreign));
            (!is_known).then(|| Known { all, foreign }.pack())
        };
        known
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, advance)
            .ok();
    }
}

/// Number of commits, and the version of the database that they have led to.
fn state(connection: &Connection, index: &LogIndex) -> Option<(u32, i64)> {
    for _ in 0..MAX_ATTEMPTS {
        let commits = index.commits().ok()?;
        let version = version(connection).ok()?;
        if index.commits().ok()? == commits {
            return Some((commits, version));
        }
    }
    None
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    let mut version = connection.prepare_cached("PRAGMA data_version")?;
    version.query_row((), |row| row.get(0))
}

/// Open index of a write-ahead log.
struct LogIndex(Option<File>);

impl LogIndex {
    #[cfg(unix)]
    fn open(database: &Path) -> io::Result<Self> {
        let file = File::open(file_beside(database, "-shm"))?;
        Ok(Self(Some(file)))
    }

    /// Elsewhere the file cannot be read beside SQLite.
    #[cfg(not(unix))]
    fn open(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Number of commits since the index was made.
    fn commits(&self) -> io::Result<u32> {
        let mut number = [0; 4];
        #[cfg(unix)]
        if let Some(file) = &self.0 {
            std::os::unix::fs::FileExt::read_exact_at(file, &mut number, COMMITS)?;
        }
        Ok(u32::from_ne_bytes(number))
    }
}

/// Closes the file only if it has no name any more: SQLite has then removed it, with the last connection. To close it
/// earlier would release the locks that other connections of this process have on it, as POSIX demands.
impl Drop for LogIndex {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(file) = self.0.take() {
            let links = file
                .metadata()
                .map(|data| std::os::unix::fs::MetadataExt::nlink(&data));
            if links.is_ok_and(|links| links == 0) {
                drop(file);
            } else {
                std::mem::forget(file);
            }
        }
    }
}
