//! The option that names the database.

use clap::Args;

/// Where the records are.
#[derive(Args)]
pub(super) struct Database {
    /// The database: `sqlite:FILE`, or `sqlite::memory:`
    #[arg(long, env = "BACKEND_DATABASE", default_value = "sqlite:backend.db")]
    pub(super) database: String,
}
