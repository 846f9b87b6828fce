//! Comparison of a program's migrations with those that are applied to the database.

use refinery::{Runner, Target};

use crate::error::{Error, Result};

/// Migrations of a program compared with those of the database; see [`Store::migration_status`](crate::Store::migration_status).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MigrationStatus {
    /// Migrations of the program that are not applied, such as `V3__tags`.
    pub pending: Vec<String>,
    /// Applied migrations that the program does not know: a newer program has applied them.
    pub unknown: Vec<String>,
    /// Applied migrations whose text differs from that of the program.
    pub changed: Vec<String>,
    /// Whether an unknown migration is older than one that the program knows.
    has_unknown_between: bool,
}

impl MigrationStatus {
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
        if self.is_current() {
            return Ok(());
        }
        let others: Vec<_> = self.changed.iter().chain(&self.unknown).cloned().collect();
        let others = others.join(", ");
        Err(Error::Failed(format!(
            "the database has migrations that are not those of this program: {others}"
        )))
    }

    /// Whether the database has every migration of the program, and newer ones.
    pub(crate) fn is_newer(&self) -> bool {
        self.is_current() && !self.unknown.is_empty()
    }
}

/// Migration in refinery's table.
pub(crate) struct AppliedMigration {
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) checksum: String,
}

impl AppliedMigration {
    /// Table of the applied migrations, which refinery writes.
    pub(crate) const TABLE: &str = "refinery_schema_history";
    /// Lists the applied migrations.
    pub(crate) const SELECT: &str =
        "SELECT version, name, checksum FROM refinery_schema_history ORDER BY version";
}

/// Migrations of a program, without their SQL.
#[derive(Debug, Clone)]
pub(crate) struct KnownMigrations(Vec<KnownMigration>);

#[derive(Debug, Clone)]
struct KnownMigration {
    version: i64,
    name: String,
    checksum: String,
}

impl KnownMigrations {
    pub(crate) fn of(runner: &Runner) -> Self {
        let known = runner.get_migrations().iter().map(|migration| KnownMigration {
            version: i64::from(migration.version()),
            name: migration.name().to_owned(),
            checksum: migration.checksum().to_string(),
        });
        Self(known.collect())
    }

    /// Compares the migrations with the applied ones.
    pub(crate) fn compare(&self, applied: &[AppliedMigration]) -> MigrationStatus {
        let mut status = MigrationStatus::default();
        let latest = self.0.iter().map(|known| known.version).max();
        for known in &self.0 {
            let found = applied.iter().find(|applied| applied.version == known.version);
            match found {
                None => status.pending.push(label(known.version, &known.name)),
                Some(found) if found.name != known.name || found.checksum != known.checksum => {
                    status.changed.push(label(found.version, &found.name));
                }
                Some(_) => {}
            }
        }
        for applied in applied {
            if !self.0.iter().any(|known| known.version == applied.version) {
                status.unknown.push(label(applied.version, &applied.name));
                status.has_unknown_between |= Some(applied.version) < latest;
            }
        }
        status
    }
}

fn label(version: i64, name: &str) -> String {
    format!("V{version}__{name}")
}

/// Targets of a runner, one per migration: a run up to each of them applies one migration, and registers it in the same
/// transaction. Otherwise a process that is killed between the two leaves a migration that fails at the next start.
pub(crate) fn targets(runner: &Runner) -> Vec<Target> {
    let migrations = runner.get_migrations().iter();
    let mut versions: Vec<_> = migrations.map(refinery::Migration::version).collect();
    versions.sort_unstable();
    versions.into_iter().map(Target::Version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(versions: &[i64]) -> KnownMigrations {
        let known = versions.iter().map(|version| KnownMigration {
            version: *version,
            name: "step".to_owned(),
            checksum: "1".to_owned(),
        });
        KnownMigrations(known.collect())
    }

    fn applied(version: i64, checksum: &str) -> AppliedMigration {
        AppliedMigration {
            version,
            name: "step".to_owned(),
            checksum: checksum.to_owned(),
        }
    }

    #[test]
    fn pending_changed_and_newer_migrations_are_told_apart() {
        let status = known(&[1, 2]).compare(&[applied(1, "1")]);
        assert_eq!(status.pending, ["V2__step"]);
        assert!(!status.is_current());
        let status = known(&[1]).compare(&[applied(1, "2")]);
        assert_eq!(status.changed, ["V1__step"]);
        assert!(!status.is_current());
        let status = known(&[1, 2]).compare(&[applied(1, "1"), applied(2, "1"), applied(3, "1")]);
        assert_eq!(status.unknown, ["V3__step"]);
        assert!(status.is_current() && status.is_newer());
    }

    #[test]
    fn an_unknown_migration_between_known_ones_is_another_history() {
        let status = known(&[1, 3]).compare(&[applied(1, "1"), applied(2, "1"), applied(3, "1")]);
        assert!(!status.is_current());
    }
}
