//! Check of one pair of models by the store.

use std::collections::BTreeSet;

use model_resource_migrations::{
    MigrationAnswers, MigrationQuestion, MigrationSql, SchemaState, check_migrations, migration_sql,
};
use model_resource_schema::column::Table;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::Value;
use model_resource_store::{ListQuery, Migration, Migrations, Sql, Store};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;

use super::kind::Kind;
use super::models::{RandomField, RandomModels, any_models};
use super::pair::{KeptTable, Pair, column_name, table_name};
use super::tables::{LAST_ROW, fill_of, key_wire, part_of, tables_of, wire_of};
use crate::postgres::Database;
use crate::random::random_cases;

/// Numbers of the rows that each table has.
const ROWS: [u32; 3] = [1, 2, LAST_ROW];

/// Rows of a table; a value is `None` if any is right.
type Rows = Vec<Vec<Option<Value>>>;

/// A pair on one database.
struct PairCheck<'p> {
    pair: &'p Pair,
    store: Store,
    before: Vec<&'static Table>,
    after: Vec<&'static Table>,
    /// Columns whose values an answered expression replaced: number of the table, and of the column.
    answered: BTreeSet<(usize, usize)>,
}

impl PairCheck<'_> {
    async fn open<'p>(pair: &'p Pair, url: &str) -> PairCheck<'p> {
        PairCheck {
            pair,
            store: Store::open(url).await.unwrap(),
            before: tables_of(&pair.before),
            after: tables_of(&pair.after),
            answered: BTreeSet::new(),
        }
    }

    async fn run(mut self) {
        let dialect = self.store.dialect();
        let state = |tables: &[&'static Table]| SchemaState::of_models(dialect, tables).unwrap();
        let created = migration_sql(
            &SchemaState::empty(dialect),
            &state(&self.before),
            &MigrationAnswers::new(),
        );
        let first = migration(1, created.unwrap());
        let migrated = SchemaState::of_migrations(dialect, &Migrations::new([first.clone()])).unwrap();
        let changed = self.migration_sql(&migrated, &state(&self.after));
        let sql = changed.clone().unwrap_or(MigrationSql {
            up: String::new(),
            down: String::new(),
        });
        let both = Migrations::new([first.clone(), migration(2, changed)]);
        self.store.migrate(&Migrations::new([first])).await.unwrap();
        self.store.verify(&self.before).await.unwrap();
        self.insert().await;
        let ran = self.store.migrate(&both).await;
        assert!(ran.is_ok(), "{ran:?} of\n{}", sql.up);
        let verified = self.store.verify(&self.after).await;
        assert!(verified.is_ok(), "{verified:?} after\n{}", sql.up);
        check_migrations(dialect, &self.after, &both, &MigrationAnswers::new()).unwrap();
        for table in &self.pair.tables {
            self.assert_up(table, &sql.up).await;
            self.set_null(table).await;
        }
        let ran = self.store.migrate_to(&both, 1).await;
        assert!(ran.is_ok(), "{ran:?} of\n{}", sql.down);
        let verified = self.store.verify(&self.before).await;
        assert!(verified.is_ok(), "{verified:?} after\n{}", sql.down);
        for table in &self.pair.tables {
            self.assert_down(table, &sql.down).await;
        }
        self.store.close().await;
    }

    /// Returns the migration, and answers its questions.
    fn migration_sql(&mut self, before: &SchemaState, after: &SchemaState) -> Option<MigrationSql> {
        let (dialect, mut answers) = (self.store.dialect(), self.pair.answers());
        loop {
            let question = match migration_sql(before, after, &answers) {
                Ok(sql) => return sql,
                Err(question) => question,
            };
            match question {
                MigrationQuestion::Default { table, column } => {
                    let (_, _, field) = self.find(&table, &column);
                    let text = format!("{table}.{column}={}", fill_of(&self.pair.after, field));
                    answers = answers.default_value(dialect, &self.after, &text).unwrap();
                }
                MigrationQuestion::Conversion { table, column, .. } => {
                    let (number, position, field) = self.find(&table, &column);
                    let model = self.after.iter().find(|model| model.name == table).unwrap();
                    let declared = model
                        .columns
                        .iter()
                        .find(|own| own.database_name == column)
                        .unwrap();
                    let literal = dialect
                        .literal_sql(declared, &fill_of(&self.pair.after, field))
                        .unwrap();
                    answers = answers.convert(&table, &column, &literal);
                    self.answered.insert((number, position));
                }
                other => panic!("{other}"),
            }
        }
    }

    /// Returns a column after the change by its names: with the numbers of its table and its own.
    fn find(&self, table: &str, column: &str) -> (usize, usize, &RandomField) {
        let (number, model) = self
            .pair
            .after
            .tables
            .iter()
            .find(|(number, _)| table_name(**number) == table)
            .unwrap();
        let (position, field) = model
            .columns
            .iter()
            .find(|(number, _)| column_name(**number) == column)
            .unwrap();
        (*number, *position, field)
    }

    /// Inserts rows before the change.
    async fn insert(&self) {
        let (models, dialect) = (&self.pair.before, self.store.dialect());
        for ((number, model), table) in models.tables.iter().zip(&self.before) {
            for row in ROWS {
                let values = model
                    .columns
                    .values()
                    .map(|field| wire_of(models, *number, field, row));
                let values = std::iter::once(Some(key_wire(model.key, row))).chain(values);
                let literals = values.zip(table.columns).map(|(wire, column)| match wire {
                    Some(wire) => dialect.literal_sql(column, &wire).unwrap(),
                    None => "NULL".to_owned(),
                });
                let literals: Vec<_> = literals.collect();
                let sql = format!(
                    "INSERT INTO {} VALUES ({})",
                    dialect.table_name(table),
                    literals.join(", ")
                );
                self.store.execute(Sql::new(sql)).await.unwrap();
            }
        }
    }

    /// Asserts that a table has its rows after the change, with the values of kept columns and those of new ones.
    async fn assert_up(&self, table: &KeptTable, sql: &str) {
        let model = &self.pair.after.tables[&table.new];
        let part = part_of(
            &self.pair.after,
            table.new,
            &model.columns.keys().copied().collect::<Vec<_>>(),
        );
        let expected = ROWS.map(|row| {
            let columns = model.columns.keys();
            let values = columns.map(|number| self.value_after(table, *number, row));
            std::iter::once(Some(key(&self.pair.after, table.new, row)))
                .chain(values)
                .collect()
        });
        self.assert_rows(part, &expected.to_vec(), sql).await;
    }

    /// Sets columns of the last row to null that must not be null before the change.
    async fn set_null(&self, table: &KeptTable) {
        let dialect = self.store.dialect();
        let after = &self.pair.after.tables[&table.new];
        let model = part_of(&self.pair.after, table.new, &[]);
        let key = dialect
            .literal_sql(model.key(), &key_wire(after.key, LAST_ROW))
            .unwrap();
        for (old, new) in &table.columns {
            if self.becomes_required(table, *old, *new) {
                let (name, column) = (dialect.table_name(model), column_name(*new));
                let sql = format!("UPDATE {name} SET \"{column}\" = NULL WHERE \"id\" = {key}");
                self.store.execute(Sql::new(sql)).await.unwrap();
            }
        }
    }

    /// Whether the way back gives rows without a value the empty one, which references nothing and is no label.
    fn becomes_required(&self, table: &KeptTable, old: usize, new: usize) -> bool {
        let before = &self.pair.before.tables[&table.old].columns[&old];
        let after = &self.pair.after.tables[&table.new].columns[&new];
        let is_reference = before.target.is_some() || after.target.is_some();
        let has_labels = matches!(before.kind, Kind::Choice | Kind::Enum) && before.has_check;
        after.is_nullable && !before.is_nullable && !is_reference && !has_labels
    }

    /// Asserts that a table has its rows after the way back, with the values of kept columns and null or empty ones in
    /// others.
    async fn assert_down(&self, table: &KeptTable, sql: &str) {
        let (model, dialect) = (&self.pair.before.tables[&table.old], self.store.dialect());
        let new_of = |number: &usize| {
            table
                .columns
                .iter()
                .find(|(old, _)| old == number)
                .map(|(_, new)| *new)
        };
        let numbers: Vec<_> = model.columns.keys().copied().collect();
        let expected = ROWS.map(|row| {
            let values = model.columns.iter().map(|(number, field)| {
                let kept = new_of(number).filter(|new| !self.answered.contains(&(table.new, *new)));
                let Some(new) = kept else {
                    // The value of a required column is any that the model reads.
                    return field.is_nullable.then_some(Value::Null);
                };
                if row == LAST_ROW && self.becomes_required(table, *number, new) {
                    return None;
                }
                let value = self.value_after(table, new, row)?;
                let kind = self.pair.after.tables[&table.new].columns[&new].kind;
                if value.is_null() {
                    Some(value)
                } else {
                    kind.converted(field.kind, dialect, &value)
                }
            });
            std::iter::once(Some(key(&self.pair.before, table.old, row)))
                .chain(values)
                .collect()
        });
        self.assert_rows(
            part_of(&self.pair.before, table.old, &numbers),
            &expected.to_vec(),
            sql,
        )
        .await;
    }

    /// Returns the value of a column after the change; `None` if that is not promised.
    fn value_after(&self, table: &KeptTable, number: usize, row: u32) -> Option<Value> {
        let field = &self.pair.after.tables[&table.new].columns[&number];
        let fill = || field.kind.value(&fill_of(&self.pair.after, field));
        if self.answered.contains(&(table.new, number)) {
            return Some(fill());
        }
        let old = table
            .columns
            .iter()
            .find(|(_, new)| *new == number)
            .map(|(old, _)| *old);
        let own = old.map(|old| &self.pair.before.tables[&table.old].columns[&old]);
        let wire = own.and_then(|own| wire_of(&self.pair.before, table.old, own, row));
        match (own, wire) {
            (Some(own), Some(wire)) => {
                own.kind
                    .converted(field.kind, self.store.dialect(), &own.kind.value(&wire))
            }
            _ if field.is_nullable => Some(Value::Null),
            _ => Some(fill()),
        }
    }

    async fn assert_rows(&self, table: &'static Table, expected: &Rows, sql: &str) {
        let found = self.store.records(&ListQuery::of(AnyQuery::from(table))).await;
        let found = found.unwrap_or_else(|error| panic!("{error:?} after\n{sql}"));
        let is_same = found.len() == expected.len()
            && found.iter().zip(expected).all(|(found, expected)| {
                let mut both = found.values().iter().zip(expected);
                both.all(|(found, expected)| expected.as_ref().is_none_or(|expected| found == expected))
            });
        assert!(
            is_same,
            "{}: {found:?} in place of {expected:?} after\n{sql}",
            table.name
        );
    }
}

fn key(models: &RandomModels, table: usize, row: u32) -> Value {
    let key = models.tables[&table].key;
    key.kind().value(&key_wire(key, row))
}

fn migration(version: u32, sql: Option<MigrationSql>) -> Migration {
    let (up, down) = sql.map_or_else(Default::default, |sql| (sql.up, sql.down));
    Migration::new(version, "models", up).down(down)
}

/// Checks random pairs: as many as `PROPTEST_CASES` says, or else a few.
fn check_pairs(few: u32, url: impl Fn() -> String) {
    let cases = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default().cases,
        None => few,
    };
    let config = random_cases(cases);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let pairs = (any_models(), any_models(), any::<bool>());
    let ran = TestRunner::new(config).run(&pairs, |(before, after, is_renamed)| {
        let pair = Pair::new(before, after, is_renamed);
        let url = url();
        runtime.block_on(async { PairCheck::open(&pair, &url).await.run().await });
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

/// MIG-9: between random models, migrations and their way back make `verify` content and keep the rows on SQLite.
#[test]
fn a_migration_between_random_models_keeps_the_rows_on_sqlite() {
    let folder = TempDir::new().unwrap();
    let count = std::cell::Cell::new(0);
    check_pairs(24, || {
        count.set(count.get() + 1);
        format!(
            "sqlite:{}?synchronous=normal",
            folder.path().join(format!("{}.db", count.get())).display()
        )
    });
}

/// MIG-9: between random models, migrations and their way back make `verify` content and keep the rows on PostgreSQL.
#[test]
fn a_migration_between_random_models_keeps_the_rows_on_postgres() {
    let Some(database) = Database::create() else {
        return;
    };
    check_pairs(8, || {
        database.run("DROP SCHEMA IF EXISTS crm CASCADE;");
        database.reset("");
        database.url()
    });
}
