//! Comparison of models with migrations.

use model_resource_schema::column::Table;
use model_resource_store::{Migrations, SqlDialect};

use crate::answers::MigrationAnswers;
use crate::diff::diff;
use crate::error::{MigrationError, MigrationResult};
use crate::state::SchemaState;

impl SchemaState {
    /// Whether the migrations of a database can be read: those of PostgreSQL always, those of SQLite with the feature
    /// `sqlite`.
    pub fn can_read_migrations(dialect: SqlDialect) -> bool {
        match dialect {
            SqlDialect::Sqlite => cfg!(feature = "sqlite"),
            SqlDialect::Postgres => true,
        }
    }

    /// Returns the schema that migrations lead to.
    ///
    /// # Errors
    /// If a migration cannot be read or fails.
    pub fn of_migrations(dialect: SqlDialect, migrations: &Migrations) -> MigrationResult<Self> {
        let migrations = migrations.of(dialect);
        let migrations = migrations.map_err(|error| MigrationError::new(error.to_string()))?;
        match dialect {
            #[cfg(feature = "sqlite")]
            SqlDialect::Sqlite => Self::of_sqlite_migrations(migrations),
            #[cfg(not(feature = "sqlite"))]
            SqlDialect::Sqlite => Err(MigrationError::new(
                "migrations of SQLite are read by SQLite: enable the feature `sqlite` of model-resource-cli",
            )),
            SqlDialect::Postgres => Self::of_postgres_migrations(migrations),
        }
    }
}

/// Checks that migrations lead to the tables of the models, for a test of the application. Answers name the tables and
/// indexes by hand that are kept.
///
/// # Errors
/// With every difference, if there are any.
pub fn check_migrations(
    dialect: SqlDialect,
    models: &[&'static Table],
    migrations: &Migrations,
    answers: &MigrationAnswers,
) -> MigrationResult {
    let before = SchemaState::of_migrations(dialect, migrations)?;
    let after = SchemaState::of_models(dialect, models)?;
    let differences = match diff(&before, &after, answers) {
        Ok(steps) if steps.is_empty() => return Ok(()),
        Ok(steps) => steps
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; "),
        Err(question) => question.to_string(),
    };
    Err(MigrationError::new(format!(
        "the migrations for {dialect} do not lead to the models: {differences}"
    )))
}
