//! Identity of the database file and its write-ahead log, to detect that they were moved, replaced or deleted.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Identity of the opened files. SQLite keeps writing to a file whose name is gone, and those writes would be lost.
#[derive(Debug, Clone)]
pub(super) struct FileIdentity {
    database: OpenedFile,
    /// Name of the database without links, beside which SQLite keeps the others.
    target: PathBuf,
    write_ahead_log: OpenedFile,
    index: OpenedFile,
}

#[derive(Debug, Clone)]
struct OpenedFile {
    path: PathBuf,
    number: Option<(u64, u64)>,
}

impl FileIdentity {
    /// Remembers the identity of the file with this name and of its write-ahead log, which exists after the first read.
    pub(super) fn of(file: &Path) -> Self {
        Self {
            database: OpenedFile::of(file.to_owned()),
            target: file_beside(file, ""),
            write_ahead_log: OpenedFile::of(file_beside(file, "-wal")),
            index: OpenedFile::of(file_beside(file, "-shm")),
        }
    }

    /// Fails if one of the names refers to another file or to none.
    pub(super) fn check(&self) -> Result<()> {
        let changed = [&self.database, &self.write_ahead_log]
            .into_iter()
            .find(|file| !file.is_same());
        let Some(changed) = changed else {
            return Ok(());
        };
        let file = changed.path.display();
        Err(Error::Unavailable(format!(
            "{file} was moved, deleted or replaced while the database was open; start again"
        )))
    }

    /// Whether the write-ahead log has no name any more, while the database still has its own. What it holds can then
    /// still be copied to the database; another log in its place would contradict it.
    pub(super) fn has_lost_log(&self) -> bool {
        self.database.is_same() && number(&self.write_ahead_log.path).is_none()
    }

    /// Renames the write-ahead log and its index if another file has taken the place of the database, which SQLite would
    /// damage by applying the log to it. Returns the new name of the log, if it was renamed.
    ///
    /// Called while the files are open, since their numbers may belong to others later.
    pub(super) fn set_log_aside(&self) -> io::Result<Option<PathBuf>> {
        let is_replaced = number(&self.target).is_some_and(|found| Some(found) != self.database.number);
        if !is_replaced {
            return Ok(None);
        }
        let log = self.write_ahead_log.set_aside()?;
        self.index.set_aside()?;
        Ok(log)
    }
}

/// Name of a file that SQLite keeps beside a database, or beside the one that a link leads to.
pub(super) fn file_beside(database: &Path, ending: &str) -> PathBuf {
    let database = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    let mut name = database.into_os_string();
    name.push(ending);
    name.into()
}

impl OpenedFile {
    fn of(path: PathBuf) -> Self {
        let number = number(&path);
        Self { path, number }
    }

    fn is_same(&self) -> bool {
        number(&self.path) == self.number
    }

    /// Renames the file, unless its name already belongs to another one, as that of a process that has opened the new
    /// database.
    fn set_aside(&self) -> io::Result<Option<PathBuf>> {
        if self.number.is_none() || !self.is_same() {
            return Ok(None);
        }
        let unused = unused_name(&self.path);
        std::fs::rename(&self.path, &unused)?;
        Ok(Some(unused))
    }
}

/// Returns a name for a file that no database has: `app.db-wal.orphan`, or with a number if that exists.
fn unused_name(path: &Path) -> PathBuf {
    let name = |ending: &str| {
        let mut name = path.to_owned().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let first = name(".orphan");
    let others = (2..).map(|number| name(&format!(".orphan-{number}")));
    let mut names = std::iter::once(first).chain(others);
    names
        .find(|name| !name.exists())
        .expect("the numbers are endless")
}

/// Returns the device and inode numbers of a file.
#[cfg(unix)]
fn number(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).ok().map(|file| (file.dev(), file.ino()))
}

/// On other platforms an open file cannot be deleted.
#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}
