//! `openapi`: the OpenAPI document of the api.

use std::io;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use model_resource::{Caller, CompiledApi};

use crate::manage::application::ManagedApplication;
use crate::manage::output::print;

/// Name of a caller without an account.
const ANONYMOUS: &str = "anonymous";
/// Name of a caller with an account and no role.
const USER: &str = "user";
/// Option with the roles of the caller.
const ROLES: &str = "roles";

/// The document of the whole api, or of what a caller with these roles can use.
pub(crate) struct OpenApi {
    roles: Vec<String>,
}

impl OpenApi {
    /// Returns the command, which knows the roles of the application.
    pub(crate) fn command(application: &ManagedApplication) -> Command {
        let names = [ANONYMOUS, USER].map(str::to_owned).into_iter();
        let names = names.chain(application.roles.iter().cloned());
        let roles = Arg::new(ROLES)
            .long("as")
            .value_name("ROLE")
            .num_args(1..)
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(names))
            .help("Describe only what a caller can use: one without an account, one without a role, or one with these roles");
        Command::new("openapi")
            .about("Prints the OpenAPI document of the whole api, or of what a caller can use")
            .arg(roles)
    }

    pub(crate) fn from_matches(matches: &ArgMatches) -> Self {
        let roles = matches.get_many::<String>(ROLES).into_iter().flatten();
        Self {
            roles: roles.cloned().collect(),
        }
    }

    /// Prints the document, indented.
    pub(crate) fn print(&self, application: &ManagedApplication) -> io::Result<()> {
        let api = application.api().compile();
        let document = match self.caller(&api) {
            Some(caller) => api.openapi_document_for(&caller),
            None => api.openapi_document(),
        };
        print(&format!("{document:#}\n"))
    }

    fn caller(&self, api: &CompiledApi) -> Option<Caller> {
        let first = self.roles.first()?;
        if first == ANONYMOUS {
            return Some(Caller::anonymous());
        }
        let roles = self.roles.iter().filter(|role| *role != USER);
        Some(api.sample_caller().with_roles(roles.cloned()))
    }
}
