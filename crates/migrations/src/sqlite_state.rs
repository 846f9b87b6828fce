//! Schema of a SQLite database.

use model_resource_store::{Migration, SqlDialect};
use rusqlite::Connection;

use crate::error::{MigrationError, MigrationResult};
use crate::parse::{read_one, resolve_targets};
use crate::state::SchemaState;

/// Tables of the store and of refinery, which no migration of an application changes.
const FRAMEWORK_TABLES: [&str; 4] = [
    "model_resource_migrations",
    "refinery_schema_history",
    "model_resource_secrets",
    "model_resource_responses",
];

/// Lists the statements of ordinary tables and of what belongs to them, tables first.
const STATEMENTS: &str = "SELECT s.type, s.tbl_name, s.sql FROM sqlite_schema s \
    JOIN pragma_table_list l ON l.schema = 'main' AND l.name = s.tbl_name AND l.type = 'table' \
    WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
    ORDER BY s.type = 'table' DESC, s.type = 'index' DESC, s.rowid";

impl SchemaState {
    /// Reads the schema of a SQLite database. Views, virtual tables and tables of the framework are left out.
    ///
    /// Hidden, because the connection is a type of another crate, whose versions the public API does not follow. Tests
    /// compare the databases that migrations have changed.
    ///
    /// # Errors
    /// If the database cannot be read, or has a statement of an unknown form.
    #[doc(hidden)]
    pub fn of_sqlite(connection: &Connection) -> MigrationResult<Self> {
        let mut state = Self::empty(SqlDialect::Sqlite);
        for (kind, table, sql) in statements(connection).map_err(|error| failed(&error))? {
            if FRAMEWORK_TABLES.contains(&table.as_str()) {
                continue;
            }
            if kind != "trigger" {
                read_one(&mut state, &sql)?;
            } else if let Some(table) = state.tables.get_mut(&table) {
                table.other_statements.push(sql);
            }
        }
        resolve_targets(&mut state);
        Ok(state)
    }

    /// Returns the schema that migrations lead to, by applying them to a database in memory.
    ///
    /// # Errors
    /// If a migration fails.
    pub fn of_sqlite_migrations(migrations: &[Migration]) -> MigrationResult<Self> {
        let connection = scratch_database().map_err(|error| failed(&error))?;
        for migration in migrations {
            let applied = connection.execute_batch(migration.up_sql());
            applied.map_err(|error| MigrationError::new(format!("{}: {error}", migration.label())))?;
        }
        Self::of_sqlite(&connection)
    }
}

/// Returns the kind, the table and the SQL of each statement.
fn statements(connection: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut prepared = connection.prepare(STATEMENTS)?;
    let rows = prepared.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// Opens a database in memory that accepts references to missing rows.
fn scratch_database() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "foreign_keys", false)?;
    Ok(connection)
}

fn failed(error: &rusqlite::Error) -> MigrationError {
    MigrationError::new(format!("SQLite: {error}"))
}
