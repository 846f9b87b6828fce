//! Commands and options of a program, as clap parses them.

use clap::{Arg, Args, Command, value_parser};

use crate::manage::backup::Backup;
use crate::manage::builder::{Manage, SettingText};
use crate::manage::completions::Completions;
use crate::manage::configuration::setting;
use crate::manage::database::DatabaseArgs;
use crate::manage::explain::Explain;
use crate::manage::log::LogArgs;
use crate::manage::make_migration::MakeMigration;
use crate::manage::migrate::Migrate;
use crate::manage::openapi::OpenApi;
use crate::manage::program::ProgramNames;
use crate::manage::schema::Schema;
use crate::manage::serve::Serve;

/// Order of the commands in the help. Others follow.
const ORDER: [&str; 13] = [
    "serve",
    "migrate",
    "make-migration",
    "config",
    "routes",
    "audit",
    "openapi",
    "backup",
    "schema",
    "explain",
    "seed",
    "user",
    "completions",
];

impl Manage {
    /// Returns the commands and options, without the settings of the file. Tests can check them, and other tools make
    /// manual pages of them.
    pub fn command_line(&self) -> Command {
        let names = &self.application.names;
        let mut commands = self.built_in_commands();
        commands.retain(|command| !self.replaces(command.get_name()));
        commands.extend(self.commands.iter().map(|command| command.command.clone()));
        commands.retain(|command| !self.left_out.iter().any(|name| name == command.get_name()));
        commands.sort_by_key(|command| position(command.get_name()));
        let mut program = LogArgs::augment_args(Serve::add_options(Command::new(names.name.clone())))
            .arg(config_argument(names))
            .args_conflicts_with_subcommands(true)
            .subcommands(commands);
        if let Some(version) = names.full_version() {
            program = program.version(version);
        }
        if let Some(about) = &names.about {
            program = program.about(about);
        }
        self.with_settings(with_names(names, program))
    }

    fn built_in_commands(&self) -> Vec<Command> {
        let application = &self.application;
        let mut commands = vec![
            Serve::add_options(Command::new("serve")).about("Serves the api (the default)"),
            Serve::add_options(Command::new("config"))
                .about("Prints the settings in force, and where each comes from"),
            Command::new("routes").about("Prints every URL, method, operation, handler and decorator"),
            OpenApi::command(application),
            Backup::augment_args(Command::new("backup")),
            Schema::augment_args(Command::new("schema")),
            Explain::command(application),
            Completions::augment_args(Command::new("completions")),
        ];
        #[cfg(feature = "audit")]
        if self.audit.is_some() {
            commands.push(crate::manage::audit::AuditOptions::augment_args(Command::new(
                "audit",
            )));
        }
        if application.migrations.is_some() {
            commands.push(Migrate::augment_args(Command::new("migrate")));
            commands.push(MakeMigration::augment_args(Command::new("make-migration")));
        }
        commands
    }

    /// Whether the application has its own command of this name.
    pub(crate) fn replaces(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command.name() == name)
    }

    /// Applies the application's changes of help and defaults.
    fn with_settings(&self, command: Command) -> Command {
        let command = command.mut_args(|argument| {
            let Some(key) = setting(&self.application.names, &argument) else {
                return argument;
            };
            let changes = self.setting_changes.iter();
            let changes = changes.filter(|change| change.setting == key);
            changes.fold(argument, |argument, change| match &change.text {
                SettingText::Help(help) => argument.help(help),
                SettingText::Default(value) => argument.default_value(value),
            })
        });
        command.mut_subcommands(|subcommand| self.with_settings(subcommand))
    }
}

fn position(name: &str) -> usize {
    let found = ORDER.iter().position(|known| *known == name);
    found.unwrap_or(ORDER.len())
}

fn config_argument(names: &ProgramNames) -> Arg {
    let file = &names.file;
    Arg::new("config")
        .long("config")
        .env("CONFIG")
        .value_name("FILE")
        .global(true)
        .value_parser(value_parser!(std::path::PathBuf))
        .help(format!("A file with settings; `{file}` by default, if it exists"))
}

/// Adds the prefix to the environment variables of a command and its subcommands, and sets the default database.
fn with_names(names: &ProgramNames, command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let variable = argument.get_env().and_then(|name| name.to_str());
        let variable = variable.filter(|name| !name.starts_with(&names.prefix));
        let Some(variable) = variable.map(|name| format!("{}{name}", names.prefix)) else {
            return argument;
        };
        let argument = argument.env(variable);
        if argument.get_id() == DatabaseArgs::ID {
            argument.default_value(&names.database)
        } else {
            argument
        }
    });
    command.mut_subcommands(|subcommand| with_names(names, subcommand))
}
