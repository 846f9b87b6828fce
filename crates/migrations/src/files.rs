//! Files of made migrations.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use model_resource_store::{Migration, Migrations, SqlDialect};

use crate::error::{MigrationError, MigrationResult};
use crate::render::MigrationSql;

/// A migration on disk, such as `V3__tags.sql`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationFile {
    /// Version, from 1.
    pub version: u32,
    /// Name after the version.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

impl MigrationFile {
    /// Returns the file of a migration in a folder, which need not exist yet.
    ///
    /// # Errors
    /// If the name has other characters than small letters, digits and `_`.
    pub fn at(folder: &Path, version: u32, name: &str) -> MigrationResult<Self> {
        if !is_name(name) {
            return Err(MigrationError::new(format!(
                "a migration cannot have the name {name:?}: write one of small letters, digits and `_`"
            )));
        }
        Ok(Self {
            version,
            name: name.to_owned(),
            path: folder.join(format!("V{version}__{name}.sql")),
        })
    }

    /// Path of the file that takes a migration back.
    pub fn down_path(&self) -> PathBuf {
        self.path.with_extension("down.sql")
    }

    /// Writes a migration and the file that takes it back. Never replaces a file.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn write(&self, sql: &MigrationSql) -> MigrationResult {
        self.create_folder()?;
        write_new(&self.down_path(), &sql.down)?;
        write_new(&self.path, &sql.up)
    }

    /// Writes a migration that is not taken back. Never replaces a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_up(&self, sql: &str) -> MigrationResult {
        self.create_folder()?;
        write_new(&self.path, sql)
    }

    fn create_folder(&self) -> MigrationResult {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error.to_string()))
    }
}

/// Returns the version after the latest one, whichever database has it.
///
/// # Errors
/// If the migrations have wrong names.
pub fn next_version(migrations: &Migrations) -> MigrationResult<u32> {
    let mut latest = 0;
    for dialect in SqlDialect::ALL {
        if !migrations.has(dialect) {
            continue;
        }
        let list = migrations.of(dialect);
        let list = list.map_err(|error| MigrationError::new(error.to_string()))?;
        latest = list.iter().map(Migration::version).fold(latest, u32::max);
    }
    Ok(latest + 1)
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_plain)
}

fn write_new(path: &Path, text: &str) -> MigrationResult {
    let written = fs::File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| failed(path, &error.to_string()))
}

fn failed(path: &Path, cause: &str) -> MigrationError {
    MigrationError::new(format!("{}: {cause}", path.display()))
}
