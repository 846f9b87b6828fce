//! `backend migrate`: applies the migrations, or reports those that are pending.

use clap::Args;
use model_resource::Store;

use crate::app;
use crate::command::database::DatabaseArgs;
use crate::failure::Failure;

/// Applies pending migrations and verifies the tables
///
/// Waits for another process that applies some, as long as it takes.
#[derive(Args)]
pub(super) struct Migrate {
    /// Change nothing; fail if migrations are pending
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = Store::open(&self.database.database).await?;
        let status = store.migration_status(&app::migrations(store.dialect())).await?;
        if self.check {
            check(&store).await?;
        } else {
            app::migrate(&store).await?;
            for migration in &status.pending {
                println!("applied {migration}");
            }
        }
        store.close().await;
        let place = self.database.shown();
        println!("{place} has all migrations of this program");
        Ok(())
    }
}

/// Fails if migrations are pending, with the remedy.
pub(super) async fn check(store: &Store) -> Result<(), Failure> {
    let checked = store.check_migrations(&app::migrations(store.dialect())).await;
    Ok(checked.map_err(|error| format!("{error}; apply pending migrations by `backend migrate`"))?)
}
