//! The texts of the statements that every request for a table has in common, made once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use foldhash::HashMap;
use model_resource_schema::column::{ColumnRole, KeyGeneration, Table};

use super::statement::PostgresStatement;
use crate::quote::{push_identifier, push_identifiers, push_quoted};

/// A deleted row is counted by what it gives back.
pub(super) const RETURNING_ONE: &str = " RETURNING 1";

/// The texts of one table's statements without conditions. Their parameters are what the names say, in their order.
pub(super) struct TableSql {
    /// The columns, as they stand after `SELECT` and `RETURNING`.
    pub(super) columns: String,
    /// The reading of all rows, as far as conditions and an order may follow.
    pub(super) select: String,
    pub(super) select_by_key: String,
    pub(super) exists_key: String,
    pub(super) insert_all: String,
    pub(super) delete_key: String,
    /// The columns of the usual insertion: all but a key that the database assigns.
    pub(super) usual: Vec<usize>,
    /// What was enough for readers that began lately.
    pub(super) first: FetchSize,
    /// What was enough for readers that went on.
    pub(super) further: FetchSize,
}

/// So many rows of a table were enough for a reader lately.
pub(super) struct FetchSize(AtomicUsize);

// Tables are statics: none is made where another one was.
static TABLE_SQL: LazyLock<RwLock<HashMap<usize, &'static TableSql>>> = LazyLock::new(RwLock::default);

impl TableSql {
    /// The texts of this table.
    pub(super) fn of(table: &'static Table) -> &'static Self {
        let address = std::ptr::from_ref(table).addr();
        let known = TABLE_SQL
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&address)
            .copied();
        known.unwrap_or_else(|| {
            let mut texts = TABLE_SQL.write().unwrap_or_else(PoisonError::into_inner);
            texts
                .entry(address)
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
        let select = PostgresStatement::new("SELECT ").words(&columns).words(" FROM ");
        let select = select.name(table.name).into_sql();
        let with_key =
            |statement: PostgresStatement<'static>| statement.words(" WHERE ").name(key).words(" = $1");
        let is_usual = |position: &usize| {
            table.columns[*position].role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)
        };
        let usual: Vec<usize> = (0..table.columns.len()).filter(is_usual).collect();
        Self {
            select_by_key: with_key(PostgresStatement::new(&select)).into_sql(),
            exists_key: with_key(PostgresStatement::new("SELECT 1 FROM ").name(table.name)).into_sql(),
            insert_all: insert(table, &usual, &columns),
            delete_key: with_key(PostgresStatement::new("DELETE FROM ").name(table.name))
                .words(RETURNING_ONE)
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
    /// Nothing is known of a table's readers yet.
    fn default() -> Self {
        Self(AtomicUsize::new(192))
    }
}

impl FetchSize {
    /// So many rows are probably enough for the next reader.
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Remembers how many rows were enough, with a little to spare and rounded, so that few texts serve all readers.
    pub(super) fn observe(&self, rows: usize) {
        let spare = rows + rows / 16;
        let step = (spare.next_power_of_two() / 16).max(4);
        self.0
            .store(spare.next_multiple_of(step).clamp(16, 4096), Ordering::Relaxed);
    }
}

/// The text that inserts a row with these of its columns and gives all columns back.
pub(super) fn insert(table: &'static Table, written: &[usize], columns: &str) -> String {
    let mut statement = PostgresStatement::new("INSERT INTO ").name(table.name);
    if written.is_empty() {
        statement = statement.words(" DEFAULT VALUES");
    } else {
        let names = written
            .iter()
            .map(|position| table.columns[*position].database_name);
        statement = statement.words(" (").names(names).words(") VALUES (");
        for number in 1..=written.len() {
            statement = statement.words(if number > 1 { ", " } else { "" }).place(number);
        }
        statement = statement.words(")");
    }
    let sql = statement.words(" RETURNING ").words(columns).into_sql();
    let counted = table.key().role == ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement);
    if counted && written.contains(&table.primary_key) {
        return sql + ", " + &count_on(table);
    }
    sql
}

/// What makes the database count on from a key that it did not assign itself.
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
        let texts = TableSql::of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(texts.select_by_key, format!("{select} WHERE \"id\" = $1"));
        assert_eq!(texts.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = $1"#);
        assert_eq!(
            texts.delete_key,
            r#"DELETE FROM "tags" WHERE "id" = $1 RETURNING 1"#
        );
        assert_eq!(
            texts.insert_all,
            r#"INSERT INTO "tags" ("na""me", "color") VALUES ($1, $2) RETURNING "id", "na""me", "color""#
        );
        assert_eq!(
            insert(&TAGS, &[], &texts.columns),
            r#"INSERT INTO "tags" DEFAULT VALUES RETURNING "id", "na""me", "color""#
        );
        assert!(
            insert(&TAGS, &[0], &texts.columns).contains("setval(pg_get_serial_sequence('\"tags\"', 'id')")
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
