//! Migrations of a store.

use crate::backend::Backend as _;
use crate::database::call_async;
use crate::error::Result;
use crate::migration_status::{KnownMigrations, MigrationStatus};
use crate::store::Store;

impl Store {
    /// Applies pending migrations. Waits for another process that applies some, as long as it takes.
    ///
    /// A database that a newer program has migrated is left as it is, with a warning. Call [`Store::verify`]
    /// afterwards: it fails if a newer migration has removed something that this program needs.
    pub async fn migrate(&self, runner: refinery::Runner) -> Result<()> {
        self.apply(runner).await?;
        self.create_secret().await;
        self.create_responses().await;
        Ok(())
    }

    async fn apply(&self, runner: refinery::Runner) -> Result<()> {
        let known = KnownMigrations::of(&runner);
        if self.is_migrated_by_newer(&known).await? {
            // Applies nothing, but checks what the migrations have left.
            let runner = runner.set_abort_missing(false);
            return call_async!(self.database, backend => backend.migrate(runner));
        }
        match call_async!(self.database, backend => backend.migrate(runner)) {
            // Another process may have applied newer migrations meanwhile.
            Err(_) if self.is_migrated_by_newer(&known).await? => Ok(()),
            outcome => outcome,
        }
    }

    /// Checks that every migration of a program is applied, without a change. Newer ones are a warning, as for
    /// [`Store::migrate`].
    ///
    /// # Errors
    /// If migrations are pending, or if the database has others.
    pub async fn check_migrations(&self, runner: &refinery::Runner) -> Result<()> {
        let status = self.migration_status(runner).await?;
        warn_if_newer(&status);
        status.require_current()
    }

    /// Whether the database has newer migrations than those of this program, all of which it has too.
    async fn is_migrated_by_newer(&self, known: &KnownMigrations) -> Result<bool> {
        let applied = call_async!(self.database, backend => backend.applied_migrations())?;
        let status = known.compare(&applied);
        Ok(warn_if_newer(&status))
    }

    /// Compares a program's migrations with the applied ones, without a change. They are recorded in refinery's table
    /// `refinery_schema_history`.
    pub async fn migration_status(&self, runner: &refinery::Runner) -> Result<MigrationStatus> {
        let applied = call_async!(self.database, backend => backend.applied_migrations())?;
        Ok(KnownMigrations::of(runner).compare(&applied))
    }
}

/// Warns of migrations that a newer program has applied, if there are any. Returns whether there are.
fn warn_if_newer(status: &MigrationStatus) -> bool {
    if status.is_newer() {
        tracing::warn!(
            migrations = status.unknown.join(", "),
            "the database was migrated by a newer program; it is served if its tables fit"
        );
    }
    status.is_newer()
}
