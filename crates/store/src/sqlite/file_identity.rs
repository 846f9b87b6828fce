//! Identity of the database file, to detect that it was moved, replaced or deleted.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Identity of the opened file. SQLite keeps writing to a file whose name is gone, and those writes would be lost.
#[derive(Debug, Clone)]
pub(super) struct FileIdentity {
    file: PathBuf,
    opened: Option<(u64, u64)>,
}

impl FileIdentity {
    /// Remembers the identity of the file with this name.
    pub(super) fn of(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            opened: number(file),
        }
    }

    /// Fails if the name refers to another file or to none.
    pub(super) fn check(&self) -> Result<()> {
        if number(&self.file) == self.opened {
            return Ok(());
        }
        let file = self.file.display();
        Err(Error::Unavailable(format!(
            "{file} was moved, deleted or replaced; put it back or start again"
        )))
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
