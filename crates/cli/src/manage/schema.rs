//! `schema`: the SQL of the models' tables.

use std::io;

use clap::Args;
use clap::builder::PossibleValuesParser;
use model_resource::SqlDialect;

use crate::manage::application::ManagedApplication;
use crate::manage::output::print;

/// Prints the SQL of the models' tables
#[derive(Args)]
pub(crate) struct Schema {
    /// SQL dialect of the database
    #[arg(long, default_value = SqlDialect::COMPILED_IN[0].name(), value_parser = dialects())]
    dialect: String,
}

/// Names of the dialects, also of databases that the program is compiled without.
fn dialects() -> PossibleValuesParser {
    PossibleValuesParser::new(SqlDialect::ALL.map(SqlDialect::name))
}

impl Schema {
    pub(crate) fn print(self, application: &ManagedApplication) -> io::Result<()> {
        let mut dialects = SqlDialect::ALL.into_iter();
        let Some(dialect) = dialects.find(|dialect| dialect.name() == self.dialect) else {
            return Ok(());
        };
        let tables = application.tables().iter();
        let tables = tables.map(|table| format!("{}\n\n", dialect.create_table_sql(table)));
        print(&tables.collect::<String>())
    }
}
