//! Migration of the resource that every new application has.

use model_resource::{Model, SqlDialect, Timestamp};
use model_resource_migrations::{MigrationAnswers, MigrationSql, SchemaState, migration_sql};

use crate::failure::Failure;

/// The model that `new` writes.
#[derive(Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1, max_length = 200)]
    title: String,
    body: String,
    #[column(created)]
    created_at: Timestamp,
    #[column(updated)]
    updated_at: Timestamp,
}

/// Returns the statements that create the table of notes on SQLite, and those that drop it.
pub(super) fn first_migration() -> Result<MigrationSql, Failure> {
    let dialect = SqlDialect::Sqlite;
    let before = SchemaState::empty(dialect);
    let after = SchemaState::of_models(dialect, &[Note::table()])?;
    let migration = migration_sql(&before, &after, &MigrationAnswers::new());
    let migration = migration.map_err(|question| question.to_string())?;
    Ok(migration.ok_or("a new table needs a migration")?)
}
