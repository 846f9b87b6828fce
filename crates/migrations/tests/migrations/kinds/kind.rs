//! A kind of change, and its check on both databases.

use model_resource_migrations::{MigrationAnswers, SchemaState, check_migrations, migration_sql};
use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_store::{Migration, Migrations, Sql, SqlDialect, Store};
use tempfile::TempDir;

use crate::postgres::Database;

/// Primary key of the tables.
pub(super) const KEY: Column =
    Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement));
/// Required text.
pub(super) const NAME: Column = Column::new("name", DataType::Text);
/// Number that may be null.
pub(super) const SIZE: Column = Column::new("size", DataType::I32).nullable(true);
/// Rows of a table `tags` with these columns.
pub(super) const ROWS: &str =
    "INSERT INTO tags (id, name, size) VALUES (1, 'rust', 10), (2, 'sql', NULL), (5, 'seven', 7)";
/// Lines of these rows.
pub(super) const LINES: &[&str] = &["1|rust|10", "2|sql|null", "5|seven|7"];

/// Returns a table `tags` with a key and these columns.
pub(super) fn tags<const N: usize>(columns: [Column; N]) -> Table {
    table("tags", columns)
}

/// Returns a table with a key and these columns.
pub(super) fn table<const N: usize>(name: &'static str, columns: [Column; N]) -> Table {
    let columns = std::iter::once(KEY).chain(columns).collect::<Vec<_>>();
    Table::new(name, "Model", columns.leak())
}

/// Models before and after a change, and rows.
pub(super) struct Kind {
    before: Vec<&'static Table>,
    after: Vec<&'static Table>,
    /// Statements on SQLite and on PostgreSQL.
    rows: Vec<(&'static str, &'static str)>,
    answer: fn(MigrationAnswers, SqlDialect) -> MigrationAnswers,
    up: Vec<Lines>,
    /// Statements after the change.
    then: Vec<&'static str>,
    down: Vec<Lines>,
    /// Statements that fail after the change, and whether they succeed after the way back.
    refused: Vec<(&'static str, bool)>,
}

/// Rows that a table has, on SQLite and on PostgreSQL.
struct Lines {
    table: &'static str,
    columns: &'static str,
    sqlite: &'static [&'static str],
    postgres: &'static [&'static str],
}

/// Returns the change from some models to others.
pub(super) fn kind(before: impl IntoIterator<Item = Table>, after: impl IntoIterator<Item = Table>) -> Kind {
    let leaked = |table: Table| -> &'static Table { Box::leak(Box::new(table)) };
    Kind {
        before: before.into_iter().map(leaked).collect(),
        after: after.into_iter().map(leaked).collect(),
        rows: Vec::new(),
        answer: |answers, _| answers,
        up: Vec::new(),
        then: Vec::new(),
        down: Vec::new(),
        refused: Vec::new(),
    }
}

/// Returns a change of the table `tags` with its name, its size and their rows.
pub(super) fn tags_become(after: Table) -> Kind {
    kind([tags([NAME, SIZE])], [after])
        .rows(ROWS)
        .down("tags", "id, name, size", LINES)
}

impl Kind {
    /// Adds rows before the change.
    pub(super) fn rows(self, sql: &'static str) -> Self {
        self.rows_on(sql, sql)
    }

    /// Adds rows before the change by statements that differ between the databases.
    pub(super) fn rows_on(mut self, sqlite: &'static str, postgres: &'static str) -> Self {
        self.rows.push((sqlite, postgres));
        self
    }

    /// Answers questions.
    pub(super) fn answers(mut self, answer: fn(MigrationAnswers, SqlDialect) -> MigrationAnswers) -> Self {
        self.answer = answer;
        self
    }

    /// Asserts the rows of a table after the change.
    pub(super) fn up(
        self,
        table: &'static str,
        columns: &'static str,
        lines: &'static [&'static str],
    ) -> Self {
        self.up_on(table, columns, lines, lines)
    }

    /// Asserts the rows of a table after the change, whose texts differ between the databases.
    pub(super) fn up_on(
        mut self,
        table: &'static str,
        columns: &'static str,
        sqlite: &'static [&'static str],
        postgres: &'static [&'static str],
    ) -> Self {
        self.up.push(Lines {
            table,
            columns,
            sqlite,
            postgres,
        });
        self
    }

    /// Runs a statement after the change.
    pub(super) fn then(mut self, sql: &'static str) -> Self {
        self.then.push(sql);
        self
    }

    /// Asserts the rows of a table after the way back.
    pub(super) fn down(
        self,
        table: &'static str,
        columns: &'static str,
        lines: &'static [&'static str],
    ) -> Self {
        self.down_on(table, columns, lines, lines)
    }

    /// Asserts the rows of a table after the way back, whose texts differ between the databases.
    pub(super) fn down_on(
        mut self,
        table: &'static str,
        columns: &'static str,
        sqlite: &'static [&'static str],
        postgres: &'static [&'static str],
    ) -> Self {
        self.down.push(Lines {
            table,
            columns,
            sqlite,
            postgres,
        });
        self
    }

    /// Asserts the rows after the way back again, in place of earlier ones.
    pub(super) fn only_down(
        mut self,
        table: &'static str,
        columns: &'static str,
        lines: &'static [&'static str],
    ) -> Self {
        self.down.clear();
        self.down(table, columns, lines)
    }

    /// Asserts that a statement fails after the change, and succeeds after the way back.
    pub(super) fn refuses(mut self, sql: &'static str) -> Self {
        self.refused.push((sql, true));
        self
    }

    /// Asserts that a statement fails after the change.
    pub(super) fn refuses_up(mut self, sql: &'static str) -> Self {
        self.refused.push((sql, false));
        self
    }

    /// Checks the change on both databases.
    #[track_caller]
    pub(super) fn check(self) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let folder = TempDir::new().unwrap();
        let file = format!("sqlite:{}", folder.path().join("test.db").display());
        runtime.block_on(self.check_on(&file));
        if let Some(database) = Database::create() {
            runtime.block_on(self.check_on(&database.url()));
        }
    }

    async fn check_on(&self, url: &str) {
        let store = Store::open(url).await.unwrap();
        let dialect = store.dialect();
        let answers = (self.answer)(MigrationAnswers::new(), dialect);
        let (empty, before, after) = (
            SchemaState::empty(dialect),
            state(dialect, &self.before),
            state(dialect, &self.after),
        );
        let first = migration(1, &empty, &before, &MigrationAnswers::new());
        let both = Migrations::new([first.clone(), migration(2, &before, &after, &answers)]);
        store.migrate(&Migrations::new([first])).await.unwrap();
        store.verify(&self.before).await.unwrap();
        for (sqlite, postgres) in &self.rows {
            let sql = match dialect {
                SqlDialect::Sqlite => sqlite,
                SqlDialect::Postgres => postgres,
            };
            store.execute(Sql::new(*sql)).await.unwrap();
        }
        for round in 0..2 {
            store.migrate(&both).await.unwrap();
            store.verify(&self.after).await.unwrap();
            check_migrations(dialect, &self.after, &both, &MigrationAnswers::new()).unwrap();
            if round == 0 {
                assert_lines(&store, &self.up).await;
            }
            for sql in &self.then {
                store.execute(Sql::new(*sql)).await.unwrap();
            }
            for (sql, _) in &self.refused {
                assert!(store.execute(Sql::new(*sql)).await.is_err(), "{dialect}: {sql}");
            }
            store.migrate_to(&both, 1).await.unwrap();
            store.verify(&self.before).await.unwrap();
            // A conversion there and back may change values again in the second round.
            if round == 0 {
                assert_lines(&store, &self.down).await;
            }
        }
        for (sql, _) in self.refused.iter().filter(|(_, returns)| *returns) {
            store.execute(Sql::new(*sql)).await.unwrap();
        }
        store.close().await;
    }
}

fn state(dialect: SqlDialect, tables: &[&'static Table]) -> SchemaState {
    SchemaState::of_models(dialect, tables).unwrap()
}

/// Returns the migration between two schemas. It is empty where a database makes no difference between them.
fn migration(
    version: u32,
    before: &SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Migration {
    match migration_sql(before, after, answers).unwrap() {
        Some(sql) => Migration::new(version, "change", sql.up).down(sql.down),
        None => Migration::new(version, "change", "").down(""),
    }
}

/// Asserts the rows of tables, with `|` between the values, in the order of the first column.
async fn assert_lines(store: &Store, expected: &[Lines]) {
    for lines in expected {
        let values: Vec<_> = lines
            .columns
            .split(", ")
            .map(|column| format!("coalesce(CAST(\"{column}\" AS text), 'null')"))
            .collect();
        let sql = format!(
            "SELECT {} AS line FROM \"{}\" ORDER BY 1",
            values.join(" || '|' || "),
            lines.table
        );
        let rows = store.fetch(Sql::new(sql)).await.unwrap();
        let found: Vec<String> = rows.iter().map(|row| row.get("line").unwrap()).collect();
        let expected = match store.dialect() {
            SqlDialect::Sqlite => lines.sqlite,
            SqlDialect::Postgres => lines.postgres,
        };
        assert_eq!(found, expected, "{} of {}", store.dialect(), lines.table);
    }
}

/// Declares kinds of change as tests, and counts them.
macro_rules! kinds {
    ($($name:ident => $kind:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $kind.check();
            }
        )+

        pub(super) const COUNT: usize = [$(stringify!($name)),+].len();
    };
}
pub(super) use kinds;
