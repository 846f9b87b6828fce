//! The command line's subcommands.

use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use model_resource::SqlDialect;

use crate::command::configuration::Configuration;
use crate::command::log::LogArgs;
use crate::command::{audit, backup, explain, migrate, openapi, routes, seed, serve, user};
use crate::failure::Failure;
use crate::{app, security};

/// Version and commit.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("BUILD_COMMIT"), ")");

/// The reference application of model-resource.
#[derive(Parser)]
#[command(version = VERSION, about, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
    #[command(flatten)]
    log: LogArgs,
    /// A file with settings; `backend.toml` by default, if it exists
    #[arg(long, env = "BACKEND_CONFIG", value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the api (the default)
    Serve(serve::Serve),
    Migrate(migrate::Migrate),
    /// Prints the settings in force, and where each comes from
    Config(serve::Serve),
    /// Prints every URL, method, operation, handler and decorator
    Routes,
    Audit(audit::Audit),
    Openapi(openapi::OpenApi),
    /// Copies a SQLite database to a new file, while servers use it
    Backup(backup::Backup),
    /// Prints the SQL of the models' tables, as a base for a migration
    Schema {
        /// SQL dialect of the database
        #[arg(long, value_enum, default_value_t = SqlDialectArgument::Sqlite)]
        dialect: SqlDialectArgument,
    },
    /// Prints the SQL of a list, the database's query plan, and filters and sort keys without an index
    Explain(explain::Explain),
    /// Fills the database with demo data
    Seed(seed::Seed),
    /// Creates and changes accounts
    User(user::UserCommand),
}

#[derive(Clone, Copy, ValueEnum)]
enum SqlDialectArgument {
    Sqlite,
    Postgres,
}

/// Runs the program with the arguments, the environment and the file of settings.
pub async fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let configuration = Configuration::read(&Cli::command(), &arguments)?;
    let mut command = configuration.apply(Cli::command());
    let matches = command.get_matches_mut();
    if let Some((name @ "config", matches)) = matches.subcommand() {
        let settings = command.find_subcommand(name).ok_or("no subcommand")?;
        configuration.print(settings, matches);
        return Ok(());
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    cli.run().await
}

impl Cli {
    /// Starts the log and runs the subcommand.
    async fn run(self) -> Result<(), Failure> {
        let _log = self.log.start()?;
        match self.command {
            None => self.serve.run().await,
            Some(Command::Serve(serve)) => serve.run().await,
            Some(Command::Migrate(migrate)) => migrate.run().await,
            // Printed from the matches, which know where a value comes from.
            Some(Command::Config(_)) => Ok(()),
            Some(Command::Routes) => {
                print!(
                    "{}",
                    routes::table(&app::api(security::authenticator()).compile().routes())
                );
                Ok(())
            }
            Some(Command::Audit(audit)) => audit.run().await,
            Some(Command::Backup(backup)) => backup.run().await,
            Some(Command::Openapi(openapi)) => {
                openapi.print()?;
                Ok(())
            }
            Some(Command::Schema { dialect }) => {
                let dialect = match dialect {
                    SqlDialectArgument::Sqlite => SqlDialect::Sqlite,
                    SqlDialectArgument::Postgres => SqlDialect::Postgres,
                };
                for table in app::tables() {
                    println!("{}\n", dialect.create_table_sql(table));
                }
                Ok(())
            }
            Some(Command::Explain(explain)) => explain.run().await,
            Some(Command::Seed(seed)) => seed.run().await,
            Some(Command::User(user)) => user.run().await,
        }
    }
}
