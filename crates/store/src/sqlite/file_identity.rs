//! Which file the database is, to notice when it is moved away or deleted under the program.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The file that was opened. SQLite goes on with it when its name is gone, and what is written then is lost.
#[derive(Debug, Clone)]
pub(super) struct FileIdentity {
    file: PathBuf,
    opened: Option<(u64, u64)>,
}

impl FileIdentity {
    /// Remembers the file that is open under this name.
    pub(super) fn of(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            opened: number(file),
        }
    }

    /// Fails while another file, or none, has the name.
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

/// What tells a file from every other one.
#[cfg(unix)]
fn number(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).ok().map(|file| (file.dev(), file.ino()))
}

/// Elsewhere a file that is open cannot be deleted.
#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}
