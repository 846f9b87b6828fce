//! Migrations of a store.

use crate::backend::Backend as _;
use crate::database::call_async;
use crate::error::Result;
use crate::migration_plan::{MigrationTarget, PlannedMigration, plan};
use crate::migration_status::MigrationStatus;
use crate::migrations::Migrations;
use crate::store::Store;

impl Store {
    /// Applies pending migrations, and returns their names. Waits for another process that applies some, as long as it
    /// takes.
    ///
    /// Each migration is one transaction, together with its row in the table `model_resource_migrations`. On SQLite,
    /// foreign keys are not enforced while it runs, and checked before it is committed.
    ///
    /// A database that a newer program has migrated is left as it is, with a warning. Call [`Store::verify`]
    /// afterwards: it fails if a newer migration has removed something that this program needs.
    ///
    /// # Errors
    /// If a migration fails, or if the applied migrations are not the first ones of the program.
    pub async fn migrate(&self, migrations: &Migrations) -> Result<Vec<String>> {
        if let Some(source) = migrations.source().filter(|_| migrations.is_outdated()) {
            tracing::warn!(
                folder = %source.folder.display(),
                "the folder has migrations that this program was compiled without; build it again"
            );
        }
        warn_if_newer(&self.migration_status(migrations).await?);
        let applied = self.run_migrations(migrations, MigrationTarget::Latest).await?;
        self.create_secret().await;
        self.create_responses().await;
        Ok(applied)
    }

    /// Applies migrations up to a version, or takes back those after it, and returns their names. Version 0 takes back
    /// all of them.
    ///
    /// # Errors
    /// If no migration has the version, if one that is taken back has no statements for it, or as [`Store::migrate`].
    pub async fn migrate_to(&self, migrations: &Migrations, version: u32) -> Result<Vec<String>> {
        self.run_migrations(migrations, MigrationTarget::Version(version))
            .await
    }

    async fn run_migrations(&self, migrations: &Migrations, target: MigrationTarget) -> Result<Vec<String>> {
        let known = migrations.of(self.dialect())?;
        let history = call_async!(self.database, backend => backend.migration_history())?;
        if history.is_own && plan(known, &history.applied, target)?.is_empty() {
            return Ok(Vec::new());
        }
        let known = known.to_vec();
        call_async!(self.database, backend => backend.migrate(known, target))
    }

    /// Returns the migrations that [`Store::migrate`] or, with a version, [`Store::migrate_to`] would run, without a
    /// change.
    ///
    /// # Errors
    /// As those.
    pub async fn planned_migrations(
        &self,
        migrations: &Migrations,
        version: Option<u32>,
    ) -> Result<Vec<PlannedMigration>> {
        let target = version.map_or(MigrationTarget::Latest, MigrationTarget::Version);
        let history = call_async!(self.database, backend => backend.migration_history())?;
        let runs = plan(migrations.of(self.dialect())?, &history.applied, target)?;
        Ok(runs.iter().map(|run| run.planned()).collect())
    }

    /// Checks that every migration of a program is applied, without a change. Newer ones are a warning, as for
    /// [`Store::migrate`].
    ///
    /// # Errors
    /// If migrations are pending, or if the database has others.
    pub async fn check_migrations(&self, migrations: &Migrations) -> Result<()> {
        let status = self.migration_status(migrations).await?;
        warn_if_newer(&status);
        status.require_current()
    }

    /// Compares a program's migrations with the applied ones, without a change.
    ///
    /// # Errors
    /// If the database does not respond, or if the files of the migrations have wrong names.
    pub async fn migration_status(&self, migrations: &Migrations) -> Result<MigrationStatus> {
        let known = migrations.of(self.dialect())?;
        let history = call_async!(self.database, backend => backend.migration_history())?;
        Ok(MigrationStatus::compare(known, &history.applied))
    }
}

/// Warns of migrations that a newer program has applied, if there are any.
fn warn_if_newer(status: &MigrationStatus) {
    if status.is_newer() {
        tracing::warn!(
            migrations = status.unknown.join(", "),
            "the database was migrated by a newer program; it is served if its tables fit"
        );
    }
}
