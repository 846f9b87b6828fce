//! Table of the applied migrations, and its SQL.

use model_resource_schema::calendar;

use crate::migration_plan::MigrationRun;
use crate::migration_status::AppliedMigration;
use crate::sql::quote::push_quoted;

/// Table of the applied migrations.
pub(crate) const HISTORY: &str = "model_resource_migrations";
/// Table of refinery, which earlier versions of this crate used.
pub(crate) const REFINERY_HISTORY: &str = "refinery_schema_history";

/// Creates the table.
pub(crate) const CREATE: &str = "CREATE TABLE IF NOT EXISTS model_resource_migrations (version bigint PRIMARY KEY, \
    name text NOT NULL, checksum text NOT NULL, applied_at text NOT NULL)";

/// Copies the history of refinery. Its table stays, for programs of an earlier version that still run.
pub(crate) const ADOPT: &str = "INSERT INTO model_resource_migrations (version, name, checksum, applied_at) \
    SELECT version, coalesce(name, ''), coalesce(checksum, ''), coalesce(applied_on, '') FROM refinery_schema_history";

/// Lists the applied migrations.
pub(crate) const SELECT: &str =
    "SELECT version, name, checksum, applied_at FROM model_resource_migrations ORDER BY version";

/// Lists those of refinery.
pub(crate) const SELECT_REFINERY: &str = "SELECT CAST(version AS bigint) AS version, coalesce(name, ''), \
    coalesce(checksum, ''), coalesce(applied_on, '') FROM refinery_schema_history ORDER BY version";

/// Applied migrations of a database.
#[derive(Debug, Default)]
pub(crate) struct MigrationHistory {
    /// Whether the table exists. Otherwise the migrations are those of refinery, if there are any.
    pub(crate) is_own: bool,
    pub(crate) applied: Vec<AppliedMigration>,
}

/// Returns the SQL that adds an applied migration to the table, or removes one that was taken back.
pub(crate) fn write_sql(run: &MigrationRun<'_>) -> String {
    let version = run.migration.version();
    if run.is_down {
        return format!("DELETE FROM {HISTORY} WHERE version = {version}");
    }
    let mut sql = format!("INSERT INTO {HISTORY} (version, name, checksum, applied_at) VALUES ({version}");
    let now = calendar::now().to_string();
    for text in [run.migration.name(), &run.migration.checksum(), &now] {
        sql.push_str(", ");
        push_quoted(&mut sql, text, '\'');
    }
    sql.push(')');
    sql
}
