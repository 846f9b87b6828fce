//! `migrate`: applies the migrations, or reports those that are pending.

use clap::Args;
use model_resource::Store;

use crate::application::ManagedApplication;
use crate::database::DatabaseArgs;
use crate::failure::Failure;

/// Applies pending migrations and verifies the tables
///
/// Waits for another process that applies some, as long as it takes.
#[derive(Args)]
pub(crate) struct Migrate {
    /// Change nothing; fail if migrations are pending
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl Migrate {
    pub(crate) async fn run(self, application: &ManagedApplication) -> Result<(), Failure> {
        let store = Store::open(&self.database.database).await?;
        if self.check {
            check(application, &store).await?;
        } else {
            let pending = pending(application, &store).await?;
            application.migrate(&store).await?;
            for migration in pending {
                println!("applied {migration}");
            }
        }
        store.close().await;
        let place = self.database.shown();
        println!("{place} has all migrations of this program");
        Ok(())
    }
}

/// Returns the names of the migrations that are not applied.
async fn pending(application: &ManagedApplication, store: &Store) -> Result<Vec<String>, Failure> {
    let Some(migrations) = application.migrations(store.dialect()) else {
        return Ok(Vec::new());
    };
    Ok(store.migration_status(&migrations).await?.pending)
}

/// Fails if migrations are pending, with the remedy.
pub(crate) async fn check(application: &ManagedApplication, store: &Store) -> Result<(), Failure> {
    let Some(migrations) = application.migrations(store.dialect()) else {
        return Ok(());
    };
    let checked = store.check_migrations(&migrations).await;
    let program = &application.names.name;
    Ok(checked.map_err(|error| format!("{error}; apply pending migrations by `{program} migrate`"))?)
}
