//! `backup`: copies a SQLite database while it is in use.

use std::path::{Path, PathBuf};

use clap::Args;
use model_resource::Store;

use crate::database::DatabaseArgs;
use crate::failure::Failure;

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
        self.require_database()?;
        let store = Store::open(&self.database.database).await?;
        let copied = store.backup(&self.file).await;
        store.close().await;
        copied?;
        println!("{} copied to {}", self.database.shown(), self.file.display());
        Ok(())
    }

    /// Rejects the name of a file that does not exist, which opening the database would create.
    fn require_database(&self) -> Result<(), Failure> {
        let Some(file) = self.database.database.strip_prefix("sqlite:") else {
            return Ok(());
        };
        let file = file.strip_prefix("//").unwrap_or(file);
        let file = file.split('?').next().unwrap_or_default();
        if Path::new(file).exists() {
            Ok(())
        } else {
            Err(format!("there is no database {file}: name it with --database").into())
        }
    }
}
