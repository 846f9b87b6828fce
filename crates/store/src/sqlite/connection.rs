//! Opening and configuration of connections.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::map_error;
use super::exact_sum;
use super::file_identity::file_beside;
use super::interrupt;
use super::url::SqliteUrl;
use crate::error::{Error, Result};

/// Maximum time to wait for a lock held by another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between attempts to change the journal mode.
const BUSY_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum size of a connection's page cache, in KiB.
const MAX_CACHE_KIB: usize = 4 * 1024;
/// Minimum size of a connection's page cache, in KiB.
const MIN_CACHE_KIB: usize = 1024;
/// Maximum size of the page cache of the writing connection, in KiB. A write may change pages all over an index, such as
/// that of random keys, and reads each that is not cached.
const WRITER_CACHE_KIB: i64 = 16 * 1024;
/// Size of the page caches of all connections, in KiB, as far as each is within its limits.
const ALL_CACHES_KIB: usize = 64 * 1024;
/// Maximum size of the write-ahead log file after a checkpoint, in bytes.
const MAX_WAL_BYTES: i64 = 64 * 1024 * 1024;
/// Number of pages in the write-ahead log from which on a commit copies them to the database file. SQLite's default is half
/// as many; pages that are changed again and again are copied less often.
const CHECKPOINT_PAGES: i64 = 2_000;
/// Maximum number of cached prepared statements per connection.
const MAX_STATEMENTS: usize = 512;

/// Opens the writing connection. Creates the file.
pub(super) fn open_writer(location: &SqliteUrl) -> Result<Connection> {
    let connection = match &location.file {
        Some(file) => {
            reject_lone_log(file)?;
            keep_private(file);
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
                .map_err(|error| unopened(location, error))?;
            connection.busy_timeout(BUSY_TIMEOUT).map_err(map_error)?;
            write_ahead(&connection)?;
            // Creates the log, whose identity is remembered.
            connection
                .query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()))
                .map_err(map_error)?;
            connection
        }
        None => {
            let connection = Connection::open_in_memory().map_err(map_error)?;
            interrupt::watch(&connection)?;
            connection
        }
    };
    configure(&connection, location).map_err(map_error)?;
    connection
        .pragma_update(None, "cache_size", -WRITER_CACHE_KIB)
        .and_then(|()| connection.pragma_update(None, "synchronous", location.synchronous.pragma()))
        .map_err(map_error)?;
    Ok(connection)
}

/// Fails if the database is missing, but not its write-ahead log, which SQLite would delete with the writes in it.
fn reject_lone_log(file: &Path) -> Result<()> {
    let log = file_beside(file, "-wal");
    let has_writes = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if file.exists() || !has_writes {
        return Ok(());
    }
    let (file, log) = (file.display(), log.display());
    Err(Error::Failed(format!(
        "{file} is missing, but its write-ahead log {log} is there, with the last writes: put the file back, or remove \
         the log to begin with an empty database"
    )))
}

/// Makes a new database readable by its owner only, since it may hold secrets. SQLite gives the files beside it the
/// same mode. If this fails, opening the database reports why.
fn keep_private(file: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(file);
}

/// Opens a read-only connection.
pub(super) fn open_reader(location: &SqliteUrl) -> Result<Connection> {
    let file = location.file.as_deref().unwrap_or(":memory:".as_ref());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(|error| unopened(location, error))?;
    configure(&connection, location).map_err(map_error)?;
    interrupt::watch(&connection)?;
    Ok(connection)
}

/// Enables the write-ahead log, so that readers and the writer do not block each other.
///
/// The first process on a new database changes the journal mode, for which SQLite does not wait for the locks of others
/// that start at the same time.
fn write_ahead(connection: &Connection) -> Result<()> {
    let set = || connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
    let deadline = Instant::now() + BUSY_TIMEOUT;
    let mode: String = loop {
        match set() {
            Err(error) if is_locked(&error) && Instant::now() < deadline => std::thread::sleep(BUSY_INTERVAL),
            set => break set.map_err(map_error)?,
        }
    };
    if mode != "wal" {
        let cause = format!("the file system allows no write-ahead log (journal mode `{mode}`)");
        return Err(Error::Failed(cause));
    }
    connection
        .pragma_update(None, "journal_size_limit", MAX_WAL_BYTES)
        .and_then(|()| connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES))
        .map_err(map_error)
}

/// Whether another connection has a lock.
fn is_locked(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn configure(connection: &Connection, location: &SqliteUrl) -> rusqlite::Result<()> {
    let connections = location.readers + location.searches + 1;
    let cache = (ALL_CACHES_KIB / connections).clamp(MIN_CACHE_KIB, MAX_CACHE_KIB);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cache_size", -(cache as i64))?;
    // Otherwise a misspelt quoted column would silently be read as a string literal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    exact_sum::register(connection)
}

fn unopened(location: &SqliteUrl, error: rusqlite::Error) -> Error {
    let file = location
        .file
        .as_deref()
        .unwrap_or(":memory:".as_ref())
        .display()
        .to_string();
    match map_error(error) {
        Error::Unavailable(cause) => Error::Unavailable(format!("cannot open {file}: {cause}")),
        other => other,
    }
}
