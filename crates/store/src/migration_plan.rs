//! Steps from the applied migrations to those that are wanted.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::migration_status::{AppliedMigration, MigrationStatus};

/// Migration up to which the database is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MigrationTarget {
    /// Latest migration of the program. Newer ones of the database stay.
    Latest,
    /// This version, or none of the migrations for 0.
    Version(u32),
}

/// One migration that would run, with its SQL; see [`Store::planned_migrations`](crate::Store::planned_migrations).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedMigration {
    /// Version and name, such as `V3__tags`.
    pub label: String,
    /// Whether the migration is taken back.
    pub is_down: bool,
    /// Statements that run.
    pub sql: String,
}

/// Step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MigrationRun<'m> {
    pub(crate) migration: &'m Migration,
    pub(crate) is_down: bool,
    pub(crate) sql: &'m str,
}

impl MigrationRun<'_> {
    pub(crate) fn planned(&self) -> PlannedMigration {
        PlannedMigration {
            label: self.migration.label(),
            is_down: self.is_down,
            sql: self.sql.to_owned(),
        }
    }

    /// Error of the migration, with its name.
    pub(crate) fn failed(&self, cause: &str) -> Error {
        let direction = if self.is_down { "taking back" } else { "migrating" };
        Error::Failed(format!("{direction}: {}: {cause}", self.migration.label()))
    }
}

/// Returns the migrations to run, in order.
///
/// # Errors
/// If the database has another history, if no migration has the version, or if one of those that are taken back has no
/// statements for it: then none of them is.
pub(crate) fn plan<'m>(
    known: &'m [Migration],
    applied: &[AppliedMigration],
    target: MigrationTarget,
) -> Result<Vec<MigrationRun<'m>>> {
    MigrationStatus::compare(known, applied).require_same_history()?;
    let is_applied = |version: u32| applied.iter().any(|applied| applied.version == version);
    let limit = match target {
        MigrationTarget::Latest => u32::MAX,
        MigrationTarget::Version(version) => {
            let is_known = known.iter().any(|known| known.version() == version);
            if version > 0 && !is_known {
                return Err(Error::Failed(format!("no migration has the version {version}")));
            }
            version
        }
    };
    let unknown = applied.iter().find(|applied| {
        applied.version > limit && !known.iter().any(|known| known.version() == applied.version)
    });
    if let Some(unknown) = unknown {
        return Err(Error::Failed(format!(
            "this program cannot take back {}: do so with the newer program that applied it",
            unknown.label()
        )));
    }
    let down = known.iter().rev();
    let down = down.filter(|known| known.version() > limit && is_applied(known.version()));
    let down: Vec<_> = down.map(taken_back).collect::<Result<_>>()?;
    if !down.is_empty() {
        return Ok(down);
    }
    let up = known.iter();
    let up = up.filter(|known| known.version() <= limit && !is_applied(known.version()));
    Ok(up
        .map(|migration| MigrationRun {
            migration,
            is_down: false,
            sql: migration.up_sql(),
        })
        .collect())
}

fn taken_back(migration: &Migration) -> Result<MigrationRun<'_>> {
    let label = migration.label();
    let Some(sql) = migration.down_sql() else {
        return Err(Error::Failed(format!(
            "the migration {label} cannot be taken back: write the statements into {label}.down.sql"
        )));
    };
    Ok(MigrationRun {
        migration,
        is_down: true,
        sql,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Migration> {
        (1..=3)
            .map(|version| Migration::new(version, "step", "up").down("down"))
            .collect()
    }

    fn applied(known: &[Migration]) -> Vec<AppliedMigration> {
        let applied = known.iter().map(|known| AppliedMigration {
            version: known.version(),
            name: known.name().to_owned(),
            applied_at: String::new(),
            checksum: known.checksum(),
        });
        applied.collect()
    }

    fn planned(known: &[Migration], applied: &[AppliedMigration], target: MigrationTarget) -> Vec<String> {
        let runs = plan(known, applied, target).unwrap();
        runs.iter()
            .map(|run| format!("{} {}", run.sql, run.migration.version()))
            .collect()
    }

    #[test]
    fn pending_migrations_run_in_order_up_to_the_target() {
        let known = known();
        let applied = applied(&known[..1]);
        assert_eq!(
            planned(&known, &applied, MigrationTarget::Latest),
            ["up 2", "up 3"]
        );
        assert_eq!(planned(&known, &applied, MigrationTarget::Version(2)), ["up 2"]);
        assert!(planned(&known, &applied, MigrationTarget::Version(1)).is_empty());
    }

    #[test]
    fn later_migrations_are_taken_back_in_reverse_order() {
        let known = known();
        let applied = applied(&known);
        assert_eq!(
            planned(&known, &applied, MigrationTarget::Version(0)),
            ["down 3", "down 2", "down 1"]
        );
        assert!(plan(&known, &applied, MigrationTarget::Version(7)).is_err());
    }

    #[test]
    fn nothing_is_taken_back_if_one_migration_cannot_be() {
        let mut known = known();
        known[1] = Migration::new(2, "step", "up");
        let applied = applied(&known);
        let message = plan(&known, &applied, MigrationTarget::Version(0))
            .unwrap_err()
            .to_string();
        assert!(message.contains("V2__step.down.sql"), "{message}");
        assert_eq!(planned(&known, &applied, MigrationTarget::Version(2)), ["down 3"]);
    }

    #[test]
    fn migrations_of_a_newer_program_stay_and_are_not_taken_back() {
        let known = known();
        let applied = applied(&known);
        assert!(planned(&known[..2], &applied, MigrationTarget::Latest).is_empty());
        let message = plan(&known[..2], &applied, MigrationTarget::Version(1))
            .unwrap_err()
            .to_string();
        assert!(message.contains("V3__step"), "{message}");
    }
}
