//! Migrations on disk.

use model_resource_store::SqlDialect;

use super::statement;
use crate::error::MigrationResult;
use crate::files::MigrationFile;
use crate::parse::cursor::split;
use crate::parse::resolve_targets;
use crate::state::SchemaState;
use crate::token::tokens;

impl SchemaState {
    /// Returns the schema that PostgreSQL migrations lead to, by reading their statements.
    ///
    /// # Errors
    /// If a file cannot be read, or if a statement changes a table in an unknown way.
    pub fn of_postgres_migrations(migrations: &[MigrationFile]) -> MigrationResult<Self> {
        let mut state = Self::empty(SqlDialect::Postgres);
        for migration in migrations {
            let run = state.run_postgres(&migration.sql()?);
            run.map_err(|error| migration.failed(&error.to_string()))?;
        }
        Ok(state)
    }

    /// Applies PostgreSQL statements that create, change and remove tables, indexes and enum types. Other statements
    /// are ignored.
    ///
    /// # Errors
    /// If a statement changes a table in an unknown way.
    pub fn run_postgres(&mut self, sql: &str) -> MigrationResult {
        for statement in split(&tokens(sql), ";") {
            statement::run(self, statement)?;
        }
        resolve_targets(self);
        Ok(())
    }
}
