//! What the program is told to do.

use clap::{Parser, Subcommand, ValueEnum};
use model_resource::store::SqlDialect;

use crate::command::{audit, explain, routes, seed, serve, user};
use crate::failure::Failure;
use crate::{app, models, security};

/// The reference application of model-resource.
#[derive(Parser)]
#[command(version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the api; this is also what happens without a command
    Serve(serve::Serve),
    /// Prints every URL, method, operation, handler and decorator
    Routes,
    Audit(audit::Audit),
    /// Prints the SQL of the tables that the models need, to write a migration from
    Schema {
        /// The database that the SQL is for
        #[arg(long, value_enum, default_value_t = Language::Sqlite)]
        dialect: Language,
    },
    /// Prints the SQL of a list, the database's plan for it, and what has no index
    Explain(explain::Explain),
    /// Fills the database with demo data
    Seed(seed::Seed),
    /// Makes and changes accounts
    User(user::UserCommand),
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    Sqlite,
    Postgres,
}

impl Cli {
    /// Does what the command line says.
    pub async fn run(self) -> Result<(), Failure> {
        match self.command {
            None => self.serve.run().await,
            Some(Command::Serve(serve)) => serve.run().await,
            Some(Command::Routes) => {
                print!("{}", routes::table(&app::api(security::configured()).routes()));
                Ok(())
            }
            Some(Command::Audit(audit)) => audit.run().await,
            Some(Command::Schema { dialect }) => {
                let dialect = match dialect {
                    Language::Sqlite => SqlDialect::Sqlite,
                    Language::Postgres => SqlDialect::Postgres,
                };
                for table in models::tables() {
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
