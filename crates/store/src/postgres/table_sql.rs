//! Cache of the SQL that all requests to a table share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use foldhash::HashMap;
use model_resource_schema::column::{ColumnRole, KeyGeneration, Table, TableId};

use super::statement::PostgresStatement;
use crate::quote::{push_identifier, push_identifiers, push_quoted};

/// Suffix that makes deleted rows countable.
pub(super) const RETURNING_ONE: &str = " RETURNING 1";

/// SQL of one table's statements without conditions. Parameters are in the order of the names.
pub(super) struct TableSql {
    /// Column list for `SELECT` and `RETURNING`.
    pub(super) columns: String,
    /// SELECT of all rows, to which conditions and an order can be added.
    pub(super) select: String,
    pub(super) select_by_key: String,
    pub(super) exists_key: String,
    pub(super) insert_all: String,
    pub(super) delete_key: String,
    /// Columns of a complete INSERT: all but a key that the database assigns.
    pub(super) usual: Vec<usize>,
    /// Adaptive fetch size at the start of a scan.
    pub(super) first: FetchSize,
    /// Adaptive fetch size when a scan continues.
    pub(super) further: FetchSize,
}

/// Adaptive fetch size: the number of rows that was enough for recent readers of a table.
pub(super) struct FetchSize(AtomicUsize);

static TABLE_SQL: LazyLock<RwLock<HashMap<TableId, &'static TableSql>>> = LazyLock::new(RwLock::default);

impl TableSql {
    /// Returns the SQL of a table.
    pub(super) fn of(table: &'static Table) -> &'static Self {
        let known = TABLE_SQL
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&table.id())
            .copied();
        known.unwrap_or_else(|| {
            let mut table_sql = TABLE_SQL.write().unwrap_or_else(PoisonError::into_inner);
            table_sql
                .entry(table.id())
                .or_insert_with(|| Box::leak(Box::new(Self::new(table))))
        })
    }

    fn new(table: &'static Table) -> Self {
        let mut columns = String::new();
        push_identifiers(
            &mut columns,
            table.columns.iter().map(|column| column.database_name),
        );
        let key = table.key().database_name;
        let select = PostgresStatement::new("SELECT ")
            .push_sql(&columns)
            .push_sql(" FROM ");
        let select = select.name(table.name).into_sql();
        let with_key =
            |statement: PostgresStatement<'static>| statement.push_sql(" WHERE ").name(key).push_sql(" = $1");
        let is_usual = |position: &usize| {
            table.columns[*position].role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)
        };
        let usual: Vec<usize> = (0..table.columns.len()).filter(is_usual).collect();
        Self {
            select_by_key: with_key(PostgresStatement::new(&select)).into_sql(),
            exists_key: with_key(PostgresStatement::new("SELECT 1 FROM ").name(table.name)).into_sql(),
            insert_all: insert(table, &usual, &columns),
            delete_key: with_key(PostgresStatement::new("DELETE FROM ").name(table.name))
                .push_sql(RETURNING_ONE)
                .into_sql(),
            usual,
            select,
            columns,
            first: FetchSize::default(),
            further: FetchSize::default(),
        }
    }
}

impl Default for FetchSize {
    /// Initial size, before any reader was observed.
    fn default() -> Self {
        Self(AtomicUsize::new(192))
    }
}

impl FetchSize {
    /// Number of rows that is probably enough for the next reader.
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Remembers how many rows were enough. Adds a margin and rounds, so that few distinct statements serve all
    /// readers.
    pub(super) fn observe(&self, rows: usize) {
        let spare = rows + rows / 16;
        let step = (spare.next_power_of_two() / 16).max(4);
        self.0
            .store(spare.next_multiple_of(step).clamp(16, 4096), Ordering::Relaxed);
    }
}

/// Returns the SQL that inserts these columns and returns all columns.
pub(super) fn insert(table: &'static Table, written: &[usize], columns: &str) -> String {
    let mut statement = PostgresStatement::new("INSERT INTO ").name(table.name);
    if written.is_empty() {
        statement = statement.push_sql(" DEFAULT VALUES");
    } else {
        let names = written
            .iter()
            .map(|position| table.columns[*position].database_name);
        statement = statement.push_sql(" (").names(names).push_sql(") VALUES (");
        for number in 1..=written.len() {
            statement = statement
                .push_sql(if number > 1 { ", " } else { "" })
                .place(number);
        }
        statement = statement.push_sql(")");
    }
    let sql = statement.push_sql(" RETURNING ").push_sql(columns).into_sql();
    let counted = table.key().role == ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement);
    if counted && written.contains(&table.primary_key) {
        return sql + ", " + &count_on(table);
    }
    sql
}

/// Returns the expression that advances the key's sequence past a key that a client chose.
fn count_on(table: &Table) -> String {
    let (mut name, mut sequence) = (String::new(), "pg_get_serial_sequence(".to_owned());
    push_identifier(&mut name, table.name);
    push_quoted(&mut sequence, &name, '\'');
    sequence.push_str(", ");
    push_quoted(&mut sequence, table.key().database_name, '\'');
    sequence.push(')');
    let mut key = String::new();
    push_identifier(&mut key, table.key().database_name);
    format!(
        "CASE WHEN {key} > coalesce(pg_sequence_last_value({sequence}::regclass), 0) \
         THEN setval({sequence}, {key}) END"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model_resource_schema::column::Column;
    use model_resource_schema::data_type::DataType;

    static TAGS: Table = Table::new(
        "tags",
        "Tag",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("na\"me", DataType::Text),
            Column::new("color", DataType::Text),
        ],
    );

    #[test]
    fn the_texts_of_a_table_are_made_once() {
        assert!(std::ptr::eq(TableSql::of(&TAGS), TableSql::of(&TAGS)));
    }

    #[test]
    fn the_texts_name_every_column_and_bind_every_value() {
        let table_sql = TableSql::of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(table_sql.select_by_key, format!("{select} WHERE \"id\" = $1"));
        assert_eq!(table_sql.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = $1"#);
        assert_eq!(
            table_sql.delete_key,
            r#"DELETE FROM "tags" WHERE "id" = $1 RETURNING 1"#
        );
        assert_eq!(
            table_sql.insert_all,
            r#"INSERT INTO "tags" ("na""me", "color") VALUES ($1, $2) RETURNING "id", "na""me", "color""#
        );
        assert_eq!(
            insert(&TAGS, &[], &table_sql.columns),
            r#"INSERT INTO "tags" DEFAULT VALUES RETURNING "id", "na""me", "color""#
        );
        assert!(
            insert(&TAGS, &[0], &table_sql.columns)
                .contains("setval(pg_get_serial_sequence('\"tags\"', 'id')")
        );
    }

    #[test]
    fn what_was_enough_is_enough_again_with_little_to_spare() {
        let enough = FetchSize::default();
        for (rows, next) in [
            (1, 16),
            (100, 112),
            (158, 176),
            (162, 176),
            (1_000, 1152),
            (100_000, 4096),
        ] {
            enough.observe(rows);
            assert_eq!(enough.get(), next, "after {rows}");
        }
    }
}
