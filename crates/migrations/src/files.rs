//! Files of migrations, as refinery reads them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

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
    /// Lists the migrations of a folder in the order of their versions; none if it does not exist.
    ///
    /// Files that take migrations back (`V3__tags.down.sql`) are ignored, as they are by refinery.
    ///
    /// # Errors
    /// If the folder cannot be read, or if two migrations have one version.
    pub fn list(folder: &Path) -> MigrationResult<Vec<Self>> {
        let mut found = Vec::new();
        if !folder.exists() {
            return Ok(found);
        }
        let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error.to_string()))?;
        for entry in entries {
            let path = entry.map_err(|error| failed(folder, &error.to_string()))?.path();
            found.extend(Self::at(path));
        }
        found.sort_by_key(|migration| migration.version);
        for pair in found.windows(2) {
            if pair[0].version == pair[1].version {
                return Err(failed(&pair[1].path, "another migration has this version"));
            }
        }
        Ok(found)
    }

    fn at(path: PathBuf) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(".sql")?;
        let (version, name) = stem.strip_prefix('V')?.split_once("__")?;
        let (version, name) = (version.parse().ok()?, name.to_owned());
        is_name(&name).then_some(Self { version, name, path })
    }

    /// Reads the SQL.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn sql(&self) -> MigrationResult<String> {
        fs::read_to_string(&self.path).map_err(|error| self.failed(&error.to_string()))
    }

    pub(crate) fn failed(&self, cause: &str) -> MigrationError {
        failed(&self.path, cause)
    }

    /// Path of the file that takes a migration back.
    pub fn down_path(&self) -> PathBuf {
        self.path.with_extension("down.sql")
    }

    /// Writes a migration and the file that takes it back. Never replaces a file.
    ///
    /// # Errors
    /// If the name has other characters than small letters, digits and `_`, or if the files cannot be written.
    pub fn write(folder: &Path, version: u32, name: &str, sql: &MigrationSql) -> MigrationResult<Self> {
        if !is_name(name) {
            return Err(MigrationError::new(format!(
                "a migration cannot have the name {name:?}: write one of small letters, digits and `_`"
            )));
        }
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error.to_string()))?;
        let path = folder.join(format!("V{version}__{name}.sql"));
        let file = Self {
            version,
            name: name.to_owned(),
            path,
        };
        write_new(&file.down_path(), &sql.down)?;
        write_new(&file.path, &sql.up)?;
        Ok(file)
    }
}

/// Returns the version after the latest one of these folders, which hold the same migrations for several databases.
///
/// # Errors
/// If a folder cannot be read.
pub fn next_version(folders: &[&Path]) -> MigrationResult<u32> {
    let mut latest = 0;
    for folder in folders {
        let versions = MigrationFile::list(folder)?;
        latest = versions
            .iter()
            .map(|file| file.version)
            .max()
            .unwrap_or_default()
            .max(latest);
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
