//! Both directions of a migration.

use model_resource_store::SqlDialect;

use super::empty_texts::empty_text_comments;
use super::postgres;
use super::sqlite;
use crate::answers::{MigrationAnswers, MigrationQuestion};
use crate::diff::diff;
use crate::state::SchemaState;
use crate::step::{MigrationStep, inverse};

/// SQL of a migration in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationSql {
    /// Statements of the migration.
    pub up: String,
    /// Statements that take it back.
    pub down: String,
}

/// Returns the SQL from one schema to another; `None` if they do not differ.
///
/// # Errors
/// A question that the answers leave open.
pub fn migration_sql(
    before: &SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Result<Option<MigrationSql>, MigrationQuestion> {
    let steps = diff(before, after, answers)?;
    if steps.is_empty() {
        return Ok(None);
    }
    let mut reached = before.clone();
    reached.apply(&steps);
    Ok(Some(MigrationSql {
        up: steps_sql(before, &steps),
        down: empty_text_comments(before.dialect, &steps) + &steps_sql(&reached, &inverse(&steps)),
    }))
}

/// Returns the SQL of steps from a schema, in its dialect.
///
/// On SQLite, foreign keys must be disabled while it runs, as the store does: a table that is built anew would otherwise
/// delete the rows that reference it.
pub fn steps_sql(before: &SchemaState, steps: &[MigrationStep]) -> String {
    match before.dialect {
        SqlDialect::Sqlite => sqlite::steps_sql(before, steps),
        SqlDialect::Postgres => postgres::steps_sql(before, steps),
    }
}
