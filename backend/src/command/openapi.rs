//! `backend openapi`: the OpenAPI document of the api.

use std::io::{self, Write};

use clap::Args;
use model_resource::Caller;

use crate::{app, security};

/// Name of a caller without an account.
const ANONYMOUS: &str = "anonymous";
/// Name of a caller with an account and no role.
const USER: &str = "user";

/// Prints the OpenAPI document of the whole api, or of what a caller can use
#[derive(Args)]
pub(super) struct OpenApi {
    /// Describe only what a caller can use: one without an account, one without a role, or one with these roles
    #[arg(long = "as", value_name = "ROLE", num_args = 1.., value_parser = [ANONYMOUS, USER, security::ADMIN])]
    roles: Vec<String>,
}

impl OpenApi {
    /// Prints the document, indented. A reader that has seen enough, such as `head`, may close the pipe.
    pub(super) fn print(&self) -> io::Result<()> {
        match writeln!(io::stdout(), "{}", self.document()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    fn document(&self) -> String {
        let api = app::api(security::authenticator()).compile();
        let document = match self.caller() {
            Some(caller) => api.openapi_document_for(&caller),
            None => api.openapi_document(),
        };
        format!("{document:#}")
    }

    fn caller(&self) -> Option<Caller> {
        let first = self.roles.first()?;
        if first == ANONYMOUS {
            return Some(Caller::anonymous());
        }
        let roles = self.roles.iter().filter(|role| *role != USER);
        Some(Caller::of(0_i64).with_roles(roles.cloned()))
    }
}
