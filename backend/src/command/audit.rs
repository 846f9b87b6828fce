//! `backend audit`: the access matrix as a table.

use clap::Args;

use crate::audit::walk;
use crate::failure::Failure;

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

impl Audit {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let matrix = walk().await?;
        match (self.json, self.markdown) {
            (true, _) => println!("{}", serde_json::to_string_pretty(&matrix)?),
            (false, true) => print!("{}", matrix.page()),
            (false, false) => print!("{}", matrix.table()),
        }
        Ok(())
    }
}
