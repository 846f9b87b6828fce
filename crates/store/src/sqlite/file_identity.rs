//! Identity of the database file and its write-ahead log, to detect that they were moved, replaced or deleted.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Identity of the opened files. SQLite keeps writing to a file whose name is gone, and those writes would be lost.
#[derive(Debug, Clone)]
pub(super) struct FileIdentity {
    database: OpenedFile,
    write_ahead_log: OpenedFile,
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
            write_ahead_log: OpenedFile::of(file_beside(file, "-wal")),
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
