//! Images of a database: its pages as bytes, from which another connection continues in memory.

use rusqlite::{Connection, MAIN_DB};

use super::database::SqliteDatabase;
use super::error::map_error;
use crate::backend::Backend as _;
use crate::error::Result;

/// Bytes of the header with the journal mode for writes and for reads.
const JOURNAL_MODES: [usize; 2] = [18, 19];
/// Journal mode with a rollback journal. A database in memory cannot have a write-ahead log.
const ROLLBACK_JOURNAL: u8 = 1;

impl SqliteDatabase {
    /// Copies the database to a new one in memory.
    pub(super) async fn in_memory(&self) -> Result<Self> {
        let image = self.exclusive(|connection| read(connection)).await?;
        let copy = Self::open("sqlite::memory:").await?;
        copy.exclusive(move |connection| load(connection, &image)).await?;
        Ok(copy)
    }
}

fn read(connection: &Connection) -> Result<Vec<u8>> {
    let mut image = connection.serialize(MAIN_DB).map_err(map_error)?.to_vec();
    for position in JOURNAL_MODES {
        if let Some(mode) = image.get_mut(position) {
            *mode = ROLLBACK_JOURNAL;
        }
    }
    Ok(image)
}

fn load(connection: &mut Connection, image: &[u8]) -> Result<()> {
    let is_read_only = false;
    connection
        .deserialize_read_exact(MAIN_DB, image, image.len(), is_read_only)
        .map_err(map_error)
}
