//! One migration.

use std::borrow::Cow;
use std::hash::{Hash as _, Hasher as _};

use siphasher::sip::SipHasher13;

/// A change of the database: the statements that make it, and those that take it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    version: u32,
    name: Cow<'static, str>,
    up: Cow<'static, str>,
    down: Option<Cow<'static, str>>,
    checksum: u64,
}

impl Migration {
    /// Creates a migration. Versions are numbers from 1, in the order in which migrations are applied.
    pub fn new(version: u32, name: impl Into<Cow<'static, str>>, up: impl Into<Cow<'static, str>>) -> Self {
        let name: Cow<'static, str> = name.into();
        let up: Cow<'static, str> = up.into();
        let mut hasher = SipHasher13::new();
        name.hash(&mut hasher);
        version.hash(&mut hasher);
        up.hash(&mut hasher);
        Self {
            version,
            name,
            up,
            down: None,
            checksum: hasher.finish(),
        }
    }

    /// Sets the statements that take the migration back.
    pub fn down(mut self, sql: impl Into<Cow<'static, str>>) -> Self {
        self.down = Some(sql.into());
        self
    }

    /// Version of the migration.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Name of the migration, such as `tags` of the file `V3__tags.sql`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Statements of the migration.
    pub fn up_sql(&self) -> &str {
        &self.up
    }

    /// Statements that take it back, if there are any.
    pub fn down_sql(&self) -> Option<&str> {
        self.down.as_deref()
    }

    /// Version and name as in the file's name, such as `V3__tags`.
    pub fn label(&self) -> String {
        label(self.version, &self.name)
    }

    /// Checksum of the version, the name and the statements; not of those that take it back, which may be corrected.
    ///
    /// It is computed as refinery does, so that the history of a database that refinery migrated stays valid.
    pub(crate) fn checksum(&self) -> String {
        self.checksum.to_string()
    }
}

/// Returns version and name as in a file's name.
pub(crate) fn label(version: u32, name: &str) -> String {
    format!("V{version}__{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksums were written by refinery 0.10.
    #[test]
    fn checksums_are_those_of_refinery() {
        let migration = Migration::new(1, "step", "SELECT 1;\n");
        assert_eq!(migration.checksum(), "650292967054188466");
        let migration = Migration::new(12, "more_steps", "CREATE TABLE a (id INTEGER);");
        assert_eq!(migration.checksum(), "1286802509528033952");
    }
}
