//! `backend audit`: the access matrix as a table.

use clap::Args;
use model_resource_cli::Failure;

use crate::audit::walk;

/// Prints the response to every caller at every URL, by every method
///
/// The requests go to the application itself, as an anonymous caller, a user, the owner of the rows, a user with each
/// role, and a disabled user. Each request runs on an in-memory database of its own; no other database is touched.
#[derive(Args)]
pub(super) struct Audit {
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the page docs/reference/access.md
    #[arg(long)]
    markdown: bool,
}

pub(super) async fn audit(options: Audit) -> Result<(), Failure> {
    let matrix = walk().await?;
    match (options.json, options.markdown) {
        (true, _) => println!("{}", serde_json::to_string_pretty(&matrix)?),
        (false, true) => print!("{}", matrix.page()),
        (false, false) => print!("{}", matrix.table()),
    }
    Ok(())
}
