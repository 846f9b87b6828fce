//! `audit`: the access matrix of the application.

use std::sync::LazyLock;

use clap::Args;
use model_resource::store::StoreResult;
use model_resource::{Api, ApiService, Store};
use model_resource_audit::{Audit, Audited, access_matrix};

use crate::failure::Failure;
use crate::manage::builder::Manage;
use crate::manage::output::print;
use crate::manage::settings::Settings;

/// Declaration of an application without one.
static UNDECLARED: LazyLock<Audit> = LazyLock::new(Audit::new);

/// Prints the response to every caller at every URL, by every method
///
/// The requests go to the application itself, each on a new database in memory. No other database is touched.
#[derive(Args)]
pub(crate) struct AuditOptions {
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a page for the documentation
    #[arg(long)]
    markdown: bool,
}

impl Manage {
    /// Adds the command `audit`, which prints the access matrix of the application: the status that each caller gets from
    /// each method of each URL. The declaration has the callers and the rows; an application without accounts may pass
    /// `Audit::new()`.
    ///
    /// A test keeps the printed page up to date: `assert_access_matrix!(manage(), "docs/access.md")` of
    /// model-resource-audit.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Prints the access matrix.
    pub(crate) fn print_audit(&self, options: &AuditOptions) -> Result<(), Failure> {
        let matrix = access_matrix(self)?;
        print(&match (options.json, options.markdown) {
            (true, _) => matrix.json() + "\n",
            (false, true) => matrix.page(),
            (false, false) => matrix.table(),
        })?;
        Ok(())
    }
}

impl Audited for Manage {
    fn api(&self) -> Api {
        self.application.api()
    }

    fn declaration(&self) -> &Audit {
        self.audit.as_ref().unwrap_or(&UNDECLARED)
    }

    async fn open(&self) -> StoreResult<Store> {
        self.application.open("sqlite::memory:").await
    }

    fn service(&self, store: Store) -> ApiService {
        self.application.service(store, &Settings::unlimited())
    }

    fn roles(&self) -> Vec<String> {
        self.application.roles.clone()
    }
}
