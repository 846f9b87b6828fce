//! Random pairs of schemas.

use std::collections::BTreeMap;

use model_resource_migrations::{MigrationAnswers, SchemaState, migration_sql};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::change::{run, state};

/// Value of existing rows in which a required column was null.
const FILL: f64 = 99.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Integer,
    Text,
    Real,
}

#[derive(Debug, Clone)]
pub(crate) struct RandomColumn {
    kind: Kind,
    is_nullable: bool,
    is_unique: bool,
    has_check: bool,
    /// Text after the column of an index, and the condition of the index.
    index: Option<(&'static str, &'static str)>,
    /// Whether the column references the first table.
    is_reference: bool,
}

pub(crate) type RandomTable = BTreeMap<usize, RandomColumn>;
pub(crate) type RandomSchema = BTreeMap<usize, RandomTable>;

fn column() -> impl Strategy<Value = RandomColumn> {
    let kind = prop_oneof![Just(Kind::Integer), Just(Kind::Text), Just(Kind::Real)];
    let index = prop_oneof![
        Just(None),
        Just(Some(("", ""))),
        Just(Some((" DESC", ""))),
        Just(Some(("", "partial")))
    ];
    let flags = (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
    );
    (kind, index, flags).prop_map(
        |(kind, index, (is_nullable, is_unique, has_check, is_reference))| RandomColumn {
            kind: if is_reference { Kind::Integer } else { kind },
            // A value for all existing rows is not unique, and references nothing.
            is_nullable: is_nullable || is_unique || is_reference,
            is_unique,
            has_check,
            index,
            is_reference,
        },
    )
}

pub(crate) fn schema() -> impl Strategy<Value = RandomSchema> {
    let table = || prop::collection::btree_map(0..5usize, column(), 1..5);
    let others = prop::collection::btree_map(1..4usize, table(), 0..4);
    (table(), others).prop_map(|(first, mut tables)| {
        tables.insert(0, first);
        tables
    })
}

/// Statements that create a schema.
pub(crate) fn create(schema: &RandomSchema) -> String {
    let mut sql = String::new();
    for (table, columns) in schema {
        let (mut parts, mut indexes) = (Vec::new(), String::new());
        let mut checks = Vec::new();
        for (number, column) in columns {
            let data_type = match column.kind {
                Kind::Integer => "INTEGER /* integer */",
                Kind::Text => "TEXT",
                Kind::Real => "REAL",
            };
            let nullable = if column.is_nullable { "" } else { " NOT NULL" };
            let unique = if column.is_unique { " UNIQUE" } else { "" };
            let reference = if column.is_reference {
                " REFERENCES \"t0\" (\"id\") ON DELETE SET NULL"
            } else {
                ""
            };
            parts.push(format!("\"c{number}\" {data_type}{nullable}{unique}{reference}"));
            if column.has_check {
                checks.push(format!(
                    "CONSTRAINT \"check{number}\" CHECK (\"c{number}\" IS NULL OR \"id\" > 0)"
                ));
            }
            if let Some((order, partial)) = column.index {
                let condition = if partial.is_empty() {
                    ""
                } else {
                    &format!(" WHERE \"c{number}\" IS NOT NULL")
                };
                let name = format!("\"t{table}_c{number}\"");
                indexes.push_str(&format!(
                    "CREATE INDEX {name} ON \"t{table}\" (\"c{number}\"{order}){condition};\n"
                ));
            }
        }
        parts.extend(checks);
        let parts = parts.join(", ");
        sql.push_str(&format!(
            "CREATE TABLE \"t{table}\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, {parts}) STRICT;\n"
        ));
        sql.push_str(&indexes);
    }
    sql
}

/// Statements that insert three rows into each table. The value of a column is the key of its row, or null in the last one.
pub(crate) fn insert(schema: &RandomSchema) -> String {
    let mut sql = String::new();
    for (table, columns) in schema {
        for row in 1..=3 {
            let value = |column: &RandomColumn| {
                if row == 3 && column.is_nullable && !column.is_reference {
                    return "NULL".to_owned();
                }
                match column.kind {
                    Kind::Integer => row.to_string(),
                    Kind::Text => format!("'{row}'"),
                    Kind::Real => format!("{row}.0"),
                }
            };
            let values: Vec<_> = columns.values().map(value).collect();
            sql.push_str(&format!(
                "INSERT INTO t{table} VALUES ({row}, {});\n",
                values.join(", ")
            ));
        }
    }
    sql
}

/// Numbers before and after of what both schemas have, by their own number or by a rename.
pub(crate) fn kept<T, U>(
    before: &BTreeMap<usize, T>,
    after: &BTreeMap<usize, U>,
    is_renamed: bool,
) -> Vec<(usize, usize)> {
    let both = before.keys().filter(|number| after.contains_key(number));
    let mut kept: Vec<_> = both.map(|number| (*number, *number)).collect();
    let removed = before.keys().find(|number| !after.contains_key(number));
    let added = after.keys().find(|number| !before.contains_key(number));
    if let (true, Some(removed), Some(added)) = (is_renamed, removed, added) {
        kept.push((*removed, *added));
    }
    kept
}

/// Tables before and after, with the columns before and after that are kept.
pub(crate) type Kept = Vec<((usize, usize), Vec<(usize, usize)>)>;

pub(crate) fn kept_tables(before: &RandomSchema, after: &RandomSchema, is_renamed: bool) -> Kept {
    let tables = kept(before, after, is_renamed).into_iter();
    let with_columns = |(old, new)| ((old, new), kept(&before[&old], &after[&new], is_renamed));
    tables.map(with_columns).collect()
}

pub(crate) fn answers(before: &RandomSchema, after: &RandomSchema, kept: &Kept) -> MigrationAnswers {
    let mut answers = MigrationAnswers::new();
    for table in before.keys() {
        if !kept.iter().any(|((old, _), _)| old == table) {
            answers = answers.remove(&format!("t{table}"));
        }
    }
    for ((old, new), columns) in kept {
        if old != new {
            answers = answers.rename(&format!("t{old}:t{new}")).unwrap();
        }
        for (from, to) in columns.iter().filter(|(from, to)| from != to) {
            answers = answers.rename(&format!("t{new}.c{from}:c{to}")).unwrap();
        }
        for column in before[old].keys() {
            if !columns.iter().any(|(from, _)| from == column) {
                answers = answers.remove(&format!("t{new}.c{column}"));
            }
        }
        for (number, column) in after[new].iter().filter(|(_, column)| !column.is_nullable) {
            let value = match column.kind {
                Kind::Integer => "99",
                Kind::Text => "'99'",
                Kind::Real => "99.0",
            };
            answers = answers.default_sql(&format!("t{new}"), &format!("c{number}"), value);
        }
    }
    answers
}

/// Values of a column as numbers, by the key of the row.
fn values(connection: &Connection, table: usize, column: usize) -> Vec<Option<f64>> {
    let sql = format!("SELECT CAST(\"c{column}\" AS REAL) FROM \"t{table}\" ORDER BY id");
    let mut prepared = connection.prepare(&sql).unwrap();
    let values = prepared.query_map((), |row| row.get(0)).unwrap();
    values.collect::<rusqlite::Result<_>>().unwrap()
}

/// Asserts that values are kept. Null may have become the value of existing rows.
fn assert_kept(before: &[Option<f64>], after: &[Option<f64>], place: &str) {
    assert_eq!(before.len(), after.len(), "{place}");
    for (old, new) in before.iter().zip(after) {
        let is_filled = old.is_none() && *new == Some(FILL);
        assert!(old == new || is_filled, "{place}: {old:?} became {new:?}");
    }
}

fn check(before: &RandomSchema, after: &RandomSchema, is_renamed: bool) {
    let folder = TempDir::new().unwrap();
    let connection = Connection::open(folder.path().join("test.db")).unwrap();
    connection
        .execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;")
        .unwrap();
    connection
        .execute_batch(&(create(before) + &insert(before)))
        .unwrap();
    let kept = kept_tables(before, after, is_renamed);
    let answers = answers(before, after, &kept);
    let (first, target) = (
        SchemaState::of_sqlite(&connection).unwrap(),
        state(&create(after)),
    );
    let Some(sql) = migration_sql(&first, &target, &answers).unwrap() else {
        assert_eq!(first.normalized(), target.normalized());
        return;
    };
    let columns = || {
        let columns = kept
            .iter()
            .flat_map(|(tables, columns)| columns.iter().map(move |column| (*tables, *column)));
        columns.collect::<Vec<_>>()
    };
    let old: Vec<_> = columns()
        .iter()
        .map(|((table, _), (column, _))| values(&connection, *table, *column))
        .collect();
    run(&connection, &sql.up);
    assert_eq!(
        SchemaState::of_sqlite(&connection).unwrap().normalized(),
        target.normalized(),
        "{}",
        sql.up
    );
    for (((_, table), (_, column)), old) in columns().iter().zip(&old) {
        assert_kept(
            old,
            &values(&connection, *table, *column),
            &format!("t{table}.c{column} after\n{}", sql.up),
        );
    }
    run(&connection, &sql.down);
    assert_eq!(
        SchemaState::of_sqlite(&connection).unwrap().normalized(),
        first.normalized(),
        "{}",
        sql.down
    );
    for (((table, _), (column, _)), old) in columns().iter().zip(&old) {
        assert_kept(
            old,
            &values(&connection, *table, *column),
            &format!("t{table}.c{column} after\n{}", sql.down),
        );
    }
}

/// Returns the configuration of a test with this number of random cases. They are the same in every run, so that a rare
/// case fails no unrelated change, unless `RANDOM_SEED` is set.
pub(crate) fn random_cases(cases: u32) -> ProptestConfig {
    let seed = std::env::var("RANDOM_SEED");
    let seed = seed.map_or(0, |seed| seed.parse().expect("RANDOM_SEED is no number"));
    println!("the random cases of RANDOM_SEED={seed}");
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(random_cases(200))]

    #[test]
    fn every_schema_can_become_every_other_one_with_its_rows(
        before in schema(), after in schema(), is_renamed in any::<bool>()
    ) {
        check(&before, &after, is_renamed);
    }
}
