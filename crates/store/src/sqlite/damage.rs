//! Damage of a database file, as statements have shown it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_CORRUPT_VTAB;

use crate::error::{Error, Result};

thread_local! {
    /// File of the connection that the thread has.
    static OF_THREAD: RefCell<Option<Arc<FileDamage>>> = const { RefCell::new(None) };
}

/// Whether a statement on any connection has found the file to be damaged.
pub(super) struct FileDamage {
    file: PathBuf,
    is_seen: AtomicBool,
}

impl FileDamage {
    pub(super) fn new(file: &Path) -> Arc<Self> {
        Arc::new(Self {
            file: file.to_owned(),
            is_seen: AtomicBool::new(false),
        })
    }

    /// Attributes the errors of the thread to the file.
    pub(super) fn watch(self: &Arc<Self>) {
        OF_THREAD.set(Some(Arc::clone(self)));
    }

    pub(super) fn is_seen(&self) -> bool {
        self.is_seen.load(Ordering::Acquire)
    }

    /// Fails if the file is damaged: a write would be acknowledged and lost.
    pub(super) fn check(&self) -> Result<()> {
        if !self.is_seen() {
            return Ok(());
        }
        let file = self.file.display();
        Err(Error::Unavailable(format!(
            "{file} is damaged: stop all processes and restore a backup"
        )))
    }

    fn note(&self, error: &rusqlite::Error) {
        if !self.is_seen.swap(true, Ordering::AcqRel) {
            tracing::error!(
                %error,
                file = %self.file.display(),
                "the file of the database is damaged, so writes are refused: stop all processes, remove the file with \
                 those beside it, and restore a backup"
            );
        }
    }
}

/// Notes an error that shows the file of the thread's connection to be damaged. Returns whether it does.
pub(super) fn note(error: &rusqlite::Error) -> bool {
    let (Some(code), Some(driver_error)) = (error.sqlite_error_code(), error.sqlite_error()) else {
        return false;
    };
    let is_damage = matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase);
    // The index of a virtual table can be rebuilt.
    if !is_damage || driver_error.extended_code == SQLITE_CORRUPT_VTAB {
        return false;
    }
    OF_THREAD.with_borrow(|file| {
        if let Some(file) = file {
            file.note(error);
        }
        file.is_some()
    })
}
