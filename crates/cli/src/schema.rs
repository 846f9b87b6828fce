//! `schema`: the SQL of the models' tables.

use clap::{Args, ValueEnum};
use model_resource::SqlDialect;

use crate::application::ManagedApplication;

/// Prints the SQL of the models' tables, as a base for a migration
#[derive(Args)]
pub(crate) struct Schema {
    /// SQL dialect of the database
    #[arg(long, value_enum, default_value_t = SqlDialectArgument::Sqlite)]
    dialect: SqlDialectArgument,
}

#[derive(Clone, Copy, ValueEnum)]
enum SqlDialectArgument {
    Sqlite,
    Postgres,
}

impl Schema {
    pub(crate) fn print(self, application: &ManagedApplication) {
        let dialect = match self.dialect {
            SqlDialectArgument::Sqlite => SqlDialect::Sqlite,
            SqlDialectArgument::Postgres => SqlDialect::Postgres,
        };
        for table in application.tables() {
            println!("{}\n", dialect.create_table_sql(table));
        }
    }
}
