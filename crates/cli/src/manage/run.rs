//! Runs the program: parses the arguments and calls the command.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::failure::Failure;
use crate::manage::app_command::parsed;
use crate::manage::backup::Backup;
use crate::manage::builder::Manage;
use crate::manage::completions::Completions;
use crate::manage::configuration::Configuration;
use crate::manage::explain::Explain;
use crate::manage::log::LogArgs;
use crate::manage::make_migration::MakeMigration;
use crate::manage::migrate::Migrate;
use crate::manage::openapi::OpenApi;
use crate::manage::output::print;
use crate::manage::routes;
use crate::manage::schema::Schema;
use crate::manage::serve::Serve;

impl Manage {
    /// Runs the program with the arguments, the environment and the file of settings. Prints the error of a command that
    /// fails, after the name of the program.
    ///
    /// The exit status is 0, 1 if a command fails, and 2 for wrong arguments, which end the process at once.
    pub async fn run(self) -> ExitCode {
        self.run_from(std::env::args_os()).await
    }

    /// Runs the program with these arguments, of which the first is the name that the program is called by.
    pub async fn run_from(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let arguments = arguments.into_iter().map(Into::into).collect();
        match self.try_run(arguments).await {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                eprintln!("{}: {failure}", self.application.names.name);
                ExitCode::FAILURE
            }
        }
    }

    async fn try_run(&self, arguments: Vec<OsString>) -> Result<(), Failure> {
        let texts: Vec<String> = arguments
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let command = self.command_line();
        let configuration = Configuration::read(&self.application.names, &command, &texts)?;
        let mut command = configuration.apply(command);
        let matches = command
            .try_get_matches_from_mut(arguments)
            .unwrap_or_else(|error| configuration.explained(error, &command, &texts).exit());
        // Printed from the matches, which know where a value comes from.
        if let Some((name @ "config", matches)) = matches.subcommand()
            && !self.replaces(name)
        {
            let settings = command.find_subcommand(name).ok_or("no subcommand")?;
            return Ok(configuration.print(settings, matches)?);
        }
        let _log = parsed::<LogArgs>(&matches).start()?;
        match matches.subcommand() {
            None => parsed::<Serve>(&matches).run(&self.application).await,
            Some((name, matches)) => self.run_command(command.clone(), name, matches).await,
        }
    }

    async fn run_command(&self, program: Command, name: &str, matches: &ArgMatches) -> Result<(), Failure> {
        let own = self.commands.iter().find(|command| command.name() == name);
        if let Some(own) = own {
            return own.run(&self.application, matches).await;
        }
        let application = &self.application;
        match name {
            "serve" => parsed::<Serve>(matches).run(application).await?,
            "migrate" => parsed::<Migrate>(matches).run(application).await?,
            "make-migration" => parsed::<MakeMigration>(matches).run(application)?,
            "routes" => print(&routes::table(&application.api().compile().routes()))?,
            #[cfg(feature = "audit")]
            "audit" => self.print_audit(&parsed(matches))?,
            "openapi" => OpenApi::from_matches(matches).print(application)?,
            "backup" => parsed::<Backup>(matches).run().await?,
            "schema" => parsed::<Schema>(matches).print(application)?,
            "explain" => {
                let explain = Explain::from_matches(matches).unwrap_or_else(|error| error.exit());
                explain.run(application).await?;
            }
            "completions" => parsed::<Completions>(matches).print(program)?,
            _ => return Err(format!("there is no command {name}").into()),
        }
        Ok(())
    }
}
