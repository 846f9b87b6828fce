//! Migrations as text.

use model_resource_store::{Migration, SqlDialect};

use super::statement;
use crate::error::{MigrationError, MigrationResult};
use crate::parse::cursor::split;
use crate::parse::resolve_targets;
use crate::state::SchemaState;
use crate::token::tokens;

impl SchemaState {
    /// Returns the schema that PostgreSQL migrations lead to, by reading their statements.
    ///
    /// # Errors
    /// If a statement changes a table in an unknown way.
    pub fn of_postgres_migrations(migrations: &[Migration]) -> MigrationResult<Self> {
        let mut state = Self::empty(SqlDialect::Postgres);
        for migration in migrations {
            let run = state.run_postgres(migration.up_sql());
            run.map_err(|error| MigrationError::new(format!("{}: {error}", migration.label())))?;
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
