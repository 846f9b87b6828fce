//! Comparison of models with the migrations on disk.

use std::path::Path;

use model_resource_schema::column::Table;
use model_resource_store::SqlDialect;

use crate::answers::MigrationAnswers;
use crate::diff::diff;
use crate::error::{MigrationError, MigrationResult};
use crate::files::MigrationFile;
use crate::state::SchemaState;

impl SchemaState {
    /// Returns the schema that the migrations of a folder lead to.
    ///
    /// # Errors
    /// If a migration cannot be read or fails.
    pub fn of_folder(dialect: SqlDialect, folder: &Path) -> MigrationResult<Self> {
        let migrations = MigrationFile::list(folder)?;
        match dialect {
            #[cfg(feature = "sqlite")]
            SqlDialect::Sqlite => Self::of_sqlite_migrations(&migrations),
            #[cfg(feature = "postgres")]
            SqlDialect::Postgres => Self::of_postgres_migrations(&migrations),
        }
    }
}

/// Checks that the migrations of a folder lead to the tables of the models, for a test of the application. Answers name
/// the tables and indexes by hand that are kept.
///
/// # Errors
/// With every difference, if there are any.
pub fn check_migrations(
    dialect: SqlDialect,
    models: &[&'static Table],
    folder: &Path,
    answers: &MigrationAnswers,
) -> MigrationResult {
    let before = SchemaState::of_folder(dialect, folder)?;
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
        "the migrations in {} do not lead to the models: {differences}",
        folder.display()
    )))
}
