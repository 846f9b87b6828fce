//! `backup`: copies a SQLite database while it is in use.

use std::path::PathBuf;

use clap::Args;
use model_resource::Store;

use crate::failure::Failure;
use crate::manage::database::DatabaseArgs;

/// Copies a SQLite database to a new file, while servers use it
#[derive(Args)]
pub(crate) struct Backup {
    /// The file of the copy, which must not exist yet
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl Backup {
    pub(crate) async fn run(self) -> Result<(), Failure> {
        self.database.require_file()?;
        let store = Store::open(&self.database.database).await?;
        let copied = store.backup(&self.file).await;
        store.close().await;
        copied?;
        println!("{} copied to {}", self.database.shown(), self.file.display());
        Ok(())
    }
}
