//! The command line's subcommands.

use clap::{Parser, Subcommand, ValueEnum};
use model_resource::SqlDialect;

use crate::command::log::LogArgs;
use crate::command::{audit, explain, openapi, routes, seed, serve, user};
use crate::failure::Failure;
use crate::{app, security};

/// The reference application of model-resource.
#[derive(Parser)]
#[command(version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the api (the default)
    Serve(serve::Serve),
    /// Prints every URL, method, operation, handler and decorator
    Routes,
    Audit(audit::Audit),
    Openapi(openapi::OpenApi),
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

impl Cli {
    /// Starts the log and runs the subcommand.
    pub async fn run(self) -> Result<(), Failure> {
        let _log = self.log.start()?;
        match self.command {
            None => self.serve.run().await,
            Some(Command::Serve(serve)) => serve.run().await,
            Some(Command::Routes) => {
                print!(
                    "{}",
                    routes::table(&app::api(security::authenticator()).compile().routes())
                );
                Ok(())
            }
            Some(Command::Audit(audit)) => audit.run().await,
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
