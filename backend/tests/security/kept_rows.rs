//! Copies of all rows, from which tests restore what a request has changed.

use model_resource::Table;
use test_support::TestDatabase;

/// Copies of the rows of some tables.
pub(crate) struct KeptRows {
    /// Names of the tables, each after those that it references.
    tables: Vec<&'static str>,
}

impl KeptRows {
    /// Copies the rows of tables, each of which comes after those that it references.
    pub(crate) fn of<'t>(
        database: &TestDatabase,
        tables: impl IntoIterator<Item = &'t &'static Table>,
    ) -> Self {
        let tables: Vec<&'static str> = tables.into_iter().map(|table| table.name).collect();
        for table in &tables {
            database.execute(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}"));
        }
        Self { tables }
    }

    /// Restores the rows.
    pub(crate) fn restore(&self, database: &TestDatabase) {
        let emptied = self
            .tables
            .iter()
            .rev()
            .map(|name| format!("DELETE FROM {name};"));
        let filled = self
            .tables
            .iter()
            .map(|name| format!("INSERT INTO {name} SELECT * FROM kept_{name};"));
        let sql: String = emptied.chain(filled).collect();
        database.execute(&format!("BEGIN; {sql} COMMIT;"));
    }
}
