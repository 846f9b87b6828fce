//! The texts of the statements that every request for a table has in common, made once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use foldhash::HashMap;
use model_resource_schema::column::{Assigned, Role, Table};

use super::statement::Statement;
use crate::names::{push_name, push_names, push_quoted};

/// A deleted row is counted by what it gives back.
pub(super) const RETURNING_ONE: &str = " RETURNING 1";

/// The texts of one table's statements without conditions. Their parameters are what the names say, in their order.
pub(super) struct Texts {
    /// The columns, as they stand after `SELECT` and `RETURNING`.
    pub(super) columns: String,
    /// The reading of all rows, as far as conditions and an order may follow.
    pub(super) select: String,
    pub(super) find_key: String,
    pub(super) exists_key: String,
    pub(super) insert_usual: String,
    pub(super) delete_key: String,
    /// The columns of the usual insertion: all but a key that the database assigns.
    pub(super) usual: Vec<usize>,
    /// What was enough for readers that began lately.
    pub(super) first: Enough,
    /// What was enough for readers that went on.
    pub(super) further: Enough,
}

/// So many rows of a table were enough for a reader lately.
pub(super) struct Enough(AtomicUsize);

// Tables are statics: none is made where another one was.
static TEXTS: LazyLock<RwLock<HashMap<usize, &'static Texts>>> = LazyLock::new(RwLock::default);

impl Texts {
    /// The texts of this table.
    pub(super) fn of(table: &'static Table) -> &'static Self {
        let address = std::ptr::from_ref(table).addr();
        let known = TEXTS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&address)
            .copied();
        known.unwrap_or_else(|| {
            let mut texts = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
            texts
                .entry(address)
                .or_insert_with(|| Box::leak(Box::new(Self::new(table))))
        })
    }

    fn new(table: &'static Table) -> Self {
        let mut columns = String::new();
        push_names(
            &mut columns,
            table.columns.iter().map(|column| column.database_name),
        );
        let key = table.key().database_name;
        let select = Statement::new("SELECT ").words(&columns).words(" FROM ");
        let select = select.name(table.name).into_sql();
        let with_key = |statement: Statement<'static>| statement.words(" WHERE ").name(key).words(" = $1");
        let is_usual =
            |position: &usize| table.columns[*position].role != Role::PrimaryKey(Assigned::ByDatabase);
        let usual: Vec<usize> = (0..table.columns.len()).filter(is_usual).collect();
        Self {
            find_key: with_key(Statement::new(&select)).into_sql(),
            exists_key: with_key(Statement::new("SELECT 1 FROM ").name(table.name)).into_sql(),
            insert_usual: insert(table, &usual, &columns),
            delete_key: with_key(Statement::new("DELETE FROM ").name(table.name))
                .words(RETURNING_ONE)
                .into_sql(),
            usual,
            select,
            columns,
            first: Enough::default(),
            further: Enough::default(),
        }
    }
}

impl Default for Enough {
    /// Nothing is known of a table's readers yet.
    fn default() -> Self {
        Self(AtomicUsize::new(192))
    }
}

impl Enough {
    /// So many rows are probably enough for the next reader.
    pub(super) fn rows(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Remembers how many rows were enough, with a little to spare and rounded, so that few texts serve all readers.
    pub(super) fn note(&self, rows: usize) {
        let spare = rows + rows / 16;
        let step = (spare.next_power_of_two() / 16).max(4);
        self.0
            .store(spare.next_multiple_of(step).clamp(16, 4096), Ordering::Relaxed);
    }
}

/// The text that inserts a row with these of its columns and gives all columns back.
pub(super) fn insert(table: &'static Table, written: &[usize], columns: &str) -> String {
    let mut statement = Statement::new("INSERT INTO ").name(table.name);
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
    let counted = table.key().role == Role::PrimaryKey(Assigned::ByDatabase);
    if counted && written.contains(&table.primary_key) {
        return sql + ", " + &count_on(table);
    }
    sql
}

/// What makes the database count on from a key that it did not assign itself.
fn count_on(table: &Table) -> String {
    let (mut name, mut sequence) = (String::new(), "pg_get_serial_sequence(".to_owned());
    push_name(&mut name, table.name);
    push_quoted(&mut sequence, &name, '\'');
    sequence.push_str(", ");
    push_quoted(&mut sequence, table.key().database_name, '\'');
    sequence.push(')');
    let mut key = String::new();
    push_name(&mut key, table.key().database_name);
    format!(
        "CASE WHEN {key} > coalesce(pg_sequence_last_value({sequence}::regclass), 0) \
         THEN setval({sequence}, {key}) END"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model_resource_schema::column::Column;
    use model_resource_schema::kind::Kind;

    static TAGS: Table = Table::new(
        "tags",
        "Tag",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("na\"me", Kind::Text),
            Column::new("color", Kind::Text),
        ],
    );

    #[test]
    fn the_texts_of_a_table_are_made_once() {
        assert!(std::ptr::eq(Texts::of(&TAGS), Texts::of(&TAGS)));
    }

    #[test]
    fn the_texts_name_every_column_and_bind_every_value() {
        let texts = Texts::of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(texts.find_key, format!("{select} WHERE \"id\" = $1"));
        assert_eq!(texts.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = $1"#);
        assert_eq!(
            texts.delete_key,
            r#"DELETE FROM "tags" WHERE "id" = $1 RETURNING 1"#
        );
        assert_eq!(
            texts.insert_usual,
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
        let enough = Enough::default();
        for (rows, next) in [
            (1, 16),
            (100, 112),
            (158, 176),
            (162, 176),
            (1_000, 1152),
            (100_000, 4096),
        ] {
            enough.note(rows);
            assert_eq!(enough.rows(), next, "after {rows}");
        }
    }
}
