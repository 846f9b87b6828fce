//! `backend audit`: who may do what, as a table.

use clap::Args;

use crate::audit::walk;
use crate::failure::Failure;

/// Prints what everyone is answered at every URL, by every method
///
/// It asks the application itself: without an account, as somebody, as the owner of what is asked for, with each role, and
/// as somebody who was shut out. Each request has a database in memory of its own; no other is touched.
#[derive(Args)]
pub(super) struct Audit {
    /// As JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// As the page docs/reference/access.md
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
