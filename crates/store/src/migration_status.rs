//! Comparison of a program's migrations with those that are applied to the database.

use crate::error::{Error, Result};
use crate::migration::{Migration, label};

/// Migration in the history of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedMigration {
    /// Version of the migration.
    pub version: u32,
    /// Name of the migration.
    pub name: String,
    /// Time at which it was applied (RFC 3339).
    pub applied_at: String,
    /// Checksum of its text.
    pub(crate) checksum: String,
}

impl AppliedMigration {
    /// Version and name as in the file's name, such as `V3__tags`.
    pub fn label(&self) -> String {
        label(self.version, &self.name)
    }
}

/// Migrations of a program compared with those of the database; see [`Store::migration_status`](crate::Store::migration_status).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationStatus {
    /// Applied migrations, in the order of their versions.
    pub applied: Vec<AppliedMigration>,
    /// Migrations of the program that are not applied, such as `V3__tags`.
    pub pending: Vec<String>,
    /// Applied migrations that the program does not know: a newer program has applied them.
    pub unknown: Vec<String>,
    /// Applied migrations whose text differs from that of the program.
    pub changed: Vec<String>,
    /// Whether an unknown migration is older than one that the program knows.
    has_unknown_between: bool,
    /// Pending migration that is older than an applied one.
    late: Option<String>,
}

impl MigrationStatus {
    /// Compares migrations with the applied ones.
    pub(crate) fn compare(known: &[Migration], applied: &[AppliedMigration]) -> Self {
        let mut status = Self {
            applied: applied.to_vec(),
            ..Self::default()
        };
        let latest = known.iter().map(Migration::version).max();
        let latest_applied = applied.iter().map(|applied| applied.version).max();
        for known in known {
            let found = applied.iter().find(|applied| applied.version == known.version());
            match found {
                None => {
                    status.pending.push(known.label());
                    if Some(known.version()) < latest_applied {
                        status.late.get_or_insert(known.label());
                    }
                }
                Some(found) if found.name != known.name() || found.checksum != known.checksum() => {
                    status.changed.push(found.label());
                }
                Some(_) => {}
            }
        }
        for applied in applied {
            if !known.iter().any(|known| known.version() == applied.version) {
                status.unknown.push(applied.label());
                status.has_unknown_between |= Some(applied.version) < latest;
            }
        }
        status
    }

    /// Whether the database has every migration of the program, and perhaps newer ones.
    pub fn is_current(&self) -> bool {
        self.pending.is_empty() && self.changed.is_empty() && !self.has_unknown_between
    }

    /// Fails if migrations are pending, or if the database has others.
    pub(crate) fn require_current(&self) -> Result<()> {
        if !self.pending.is_empty() {
            let pending = self.pending.join(", ");
            return Err(Error::Failed(format!("migrations are pending: {pending}")));
        }
        self.require_same_history()
    }

    /// Fails if the applied migrations are not the first ones of the program.
    pub(crate) fn require_same_history(&self) -> Result<()> {
        if !self.changed.is_empty() {
            let changed = self.changed.join(", ");
            return Err(Error::Failed(format!(
                "the database has migrations that are not those of this program: {changed} changed after it was \
                 applied; restore the file, and write the change as a new migration"
            )));
        }
        if self.has_unknown_between {
            let unknown = self.unknown.join(", ");
            return Err(Error::Failed(format!(
                "the database has migrations that are not those of this program: {unknown}"
            )));
        }
        match &self.late {
            Some(late) => Err(Error::Failed(format!(
                "the migration {late} is not applied, but later ones are: give it the next free version"
            ))),
            None => Ok(()),
        }
    }

    /// Whether the database has every migration of the program, and newer ones.
    pub(crate) fn is_newer(&self) -> bool {
        self.is_current() && !self.unknown.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(versions: &[u32]) -> Vec<Migration> {
        let known = versions.iter();
        known
            .map(|version| Migration::new(*version, "step", "SELECT 1"))
            .collect()
    }

    fn applied(version: u32, sql: &'static str) -> AppliedMigration {
        AppliedMigration {
            version,
            name: "step".to_owned(),
            applied_at: String::new(),
            checksum: Migration::new(version, "step", sql).checksum(),
        }
    }

    fn status(versions: &[u32], found: &[u32]) -> MigrationStatus {
        let found: Vec<_> = found
            .iter()
            .map(|version| applied(*version, "SELECT 1"))
            .collect();
        MigrationStatus::compare(&known(versions), &found)
    }

    #[test]
    fn pending_changed_and_newer_migrations_are_told_apart() {
        let pending = status(&[1, 2], &[1]);
        assert_eq!(pending.pending, ["V2__step"]);
        assert!(!pending.is_current() && pending.require_same_history().is_ok());
        let changed = MigrationStatus::compare(&known(&[1]), &[applied(1, "SELECT 2")]);
        assert_eq!(changed.changed, ["V1__step"]);
        assert!(!changed.is_current() && changed.require_same_history().is_err());
        let newer = status(&[1, 2], &[1, 2, 3]);
        assert_eq!(newer.unknown, ["V3__step"]);
        assert!(newer.is_current() && newer.is_newer());
    }

    #[test]
    fn an_unknown_migration_between_known_ones_is_another_history() {
        let status = status(&[1, 3], &[1, 2, 3]);
        assert!(!status.is_current() && status.require_same_history().is_err());
    }

    #[test]
    fn a_migration_that_comes_after_a_later_one_is_another_history() {
        let status = status(&[1, 2, 3], &[1, 3]);
        let message = status.require_same_history().unwrap_err().to_string();
        assert!(message.contains("V2__step"), "{message}");
    }
}
