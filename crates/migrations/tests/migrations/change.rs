//! A change of a SQLite schema, made and taken back on a file with rows.

use model_resource_migrations::{MigrationAnswers, SchemaState, diff, migration_sql};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tempfile::TempDir;

/// A schema with rows and the schema that follows.
pub(crate) struct Change {
    before: String,
    after: String,
    rows: String,
    answers: MigrationAnswers,
}

/// A database that a change was made in.
pub(crate) struct Changed {
    pub(crate) connection: Connection,
    pub(crate) up: String,
    down: String,
    before: SchemaState,
    _folder: TempDir,
}

/// Returns the change between two schemas, given by the statements that create them.
pub(crate) fn change(before: &str, after: &str) -> Change {
    Change {
        before: before.to_owned(),
        after: after.to_owned(),
        rows: String::new(),
        answers: MigrationAnswers::new(),
    }
}

impl Change {
    /// Adds rows before the change.
    pub(crate) fn rows(mut self, sql: &str) -> Self {
        self.rows.push_str(sql);
        self
    }

    /// Renames a table or a column.
    pub(crate) fn rename(mut self, text: &str) -> Self {
        self.answers = self.answers.rename(text).unwrap();
        self
    }

    /// Answers questions.
    pub(crate) fn answers(mut self, answers: MigrationAnswers) -> Self {
        self.answers = answers;
        self
    }

    /// Makes the change, and asserts that it leads to the second schema.
    #[track_caller]
    pub(crate) fn up(self) -> Changed {
        let folder = TempDir::new().unwrap();
        let connection = Connection::open(folder.path().join("test.db")).unwrap();
        connection.execute_batch(&self.before).unwrap();
        connection.execute_batch(&self.rows).unwrap();
        let before = SchemaState::of_sqlite(&connection).unwrap();
        let after = state(&self.after);
        let sql = migration_sql(&before, &after, &self.answers).unwrap().unwrap();
        run(&connection, &sql.up);
        let found = SchemaState::of_sqlite(&connection).unwrap();
        assert_eq!(found.normalized(), after.normalized(), "after:\n{}", sql.up);
        assert_eq!(diff(&found, &after, &MigrationAnswers::new()), Ok(Vec::new()));
        Changed {
            connection,
            up: sql.up,
            down: sql.down,
            before,
            _folder: folder,
        }
    }
}

impl Changed {
    /// Asserts the rows of a query, with `|` between values.
    #[track_caller]
    pub(crate) fn has(self, query: &str, expected: &[&str]) -> Self {
        assert_eq!(rows(&self.connection, query), expected, "after:\n{}", self.up);
        self
    }

    /// Runs a statement after the change.
    #[track_caller]
    pub(crate) fn then(self, sql: &str) -> Self {
        self.connection.execute_batch(sql).unwrap();
        self
    }

    /// Asserts that a statement fails.
    #[track_caller]
    pub(crate) fn refuses(self, sql: &str) -> Self {
        assert!(
            self.connection.execute_batch(sql).is_err(),
            "{sql} succeeded after:\n{}",
            self.up
        );
        self
    }

    /// Asserts that the migration changes the table in place.
    #[track_caller]
    pub(crate) fn stays_in_place(self) -> Self {
        assert!(!self.up.contains("__new"), "a new table:\n{}", self.up);
        self
    }

    /// Asserts that the change cannot be taken back, which changes nothing.
    #[track_caller]
    pub(crate) fn refuses_down(self) -> Self {
        let before = rows(&self.connection, "SELECT * FROM tags");
        let ran = self
            .connection
            .execute_batch(&format!("BEGIN; {} COMMIT;", self.down));
        assert!(ran.is_err(), "succeeded:\n{}", self.down);
        self.connection.execute_batch("ROLLBACK").unwrap();
        assert_eq!(rows(&self.connection, "SELECT * FROM tags"), before);
        self
    }

    /// Takes the change back, and asserts that it leads to the first schema.
    #[track_caller]
    pub(crate) fn down(mut self) -> Self {
        run(&self.connection, &self.down);
        let found = SchemaState::of_sqlite(&self.connection).unwrap();
        assert_eq!(
            found.normalized(),
            self.before.normalized(),
            "after:\n{}",
            self.down
        );
        self.up.clone_from(&self.down);
        self
    }
}

/// Reads the schema of statements.
#[track_caller]
pub(crate) fn state(sql: &str) -> SchemaState {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    SchemaState::of_sqlite(&connection).unwrap()
}

/// Runs a migration as the store does: in a transaction, and without foreign keys, which are checked afterwards.
#[track_caller]
pub(crate) fn run(connection: &Connection, sql: &str) {
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let ran = connection.execute_batch(&format!("BEGIN IMMEDIATE;\n{sql}COMMIT;"));
    assert_eq!(ran, Ok(()), "running:\n{sql}");
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    let broken = rows(
        connection,
        "SELECT \"table\", parent FROM pragma_foreign_key_check",
    );
    assert!(broken.is_empty(), "{broken:?} after:\n{sql}");
    assert_eq!(rows(connection, "PRAGMA integrity_check"), ["'ok'"]);
}

/// Returns the rows of a query, with `|` between values.
#[track_caller]
pub(crate) fn rows(connection: &Connection, query: &str) -> Vec<String> {
    let mut prepared = connection.prepare(query).unwrap();
    let count = prepared.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let values = (0..count).map(|column| row.get_ref(column).map(text));
        Ok(values.collect::<rusqlite::Result<Vec<_>>>()?.join("|"))
    };
    prepared
        .query_map((), row)
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap()
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => format!("{bytes:02x?}"),
    }
}

/// Returns the statement that creates the table `tags` with a key and these columns.
pub(crate) fn tags(columns: &str) -> String {
    format!("CREATE TABLE \"tags\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, {columns}) STRICT;\n")
}

/// Columns of `tags` in most tests.
pub(crate) const COLUMNS: &str = "\"name\" TEXT NOT NULL, \"size\" INTEGER /* integer */";

/// Rows for those columns.
pub(crate) const ROWS: &str =
    "INSERT INTO tags (id, name, size) VALUES (1, 'rust', 10), (2, 'sql', NULL), (5, '7', 7);";
