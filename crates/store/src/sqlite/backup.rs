//! Online backups: a consistent copy of the database in a new file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use super::connection::open_reader;
use super::error::map_error;
use super::url::SqliteUrl;
use crate::error::{Error, Result};

/// Copies the database through a connection of its own, so that reads and searches do not wait for it.
pub(super) async fn copy_in_thread(location: Arc<SqliteUrl>, file: PathBuf) -> Result<()> {
    let (reply, copied) = oneshot::channel();
    let thread = std::thread::Builder::new().name("store-backup".to_owned());
    let spawned = thread.spawn(move || {
        let result = open_reader(&location).and_then(|connection| copy(&connection, &file));
        reply.send(result).ok();
    });
    spawned.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
    copied
        .await
        .map_err(|_| Error::Failed("the backup was not finished".to_owned()))?
}

/// Copies the database as it is now to a new file, and checks the copy. Readers and writers continue meanwhile.
pub(super) fn copy(connection: &Connection, file: &Path) -> Result<()> {
    create(file)?;
    let copied = write(connection, file);
    if copied.is_err() {
        // Without this, the next attempt would find a file that is not a backup.
        fs::remove_file(file).ok();
    }
    copied
}

/// Creates the file, readable by its owner only. Fails if it exists.
fn create(file: &Path) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Error::Failed(format!(
            "{} exists already: name a new file for the backup",
            file.display()
        ))),
        Err(error) => Err(Error::Failed(format!(
            "cannot create {}: {error}",
            file.display()
        ))),
    }
}

fn write(connection: &Connection, file: &Path) -> Result<()> {
    let Some(name) = file.to_str() else {
        let text = format!("the name of {} is not UTF-8", file.display());
        return Err(Error::Failed(text));
    };
    connection.execute("VACUUM INTO ?1", [name]).map_err(map_error)?;
    File::open(file)
        .and_then(|file| file.sync_all())
        .map_err(|error| Error::Unavailable(format!("cannot sync {name}: {error}")))?;
    check(file)
}

/// Fails if the copy is damaged.
fn check(file: &Path) -> Result<()> {
    let copy = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(map_error)?;
    let found: String = copy
        .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
        .map_err(map_error)?;
    if found == "ok" {
        return Ok(());
    }
    Err(Error::Failed(format!("the backup is damaged: {found}")))
}
