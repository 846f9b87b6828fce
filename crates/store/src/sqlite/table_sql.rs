//! The texts of the statements that every request for a table has in common, made once.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use model_resource_schema::column::{ColumnRole, KeyGeneration, Table};

use super::statement::SqliteStatement;
use crate::quote::push_identifiers;

/// The texts of one table's statements without conditions. Their parameters are what the names say, in their order.
pub(super) struct SqliteTableSql {
    /// The columns, as they stand after `SELECT` and `RETURNING`.
    pub(super) columns: String,
    /// The reading of all rows, as far as conditions and an order may follow.
    pub(super) select: String,
    pub(super) select_by_key: String,
    pub(super) exists_key: String,
    pub(super) list: String,
    pub(super) list_after_key: String,
    pub(super) insert_all: String,
    pub(super) delete_key: String,
    /// The columns of the usual insertion: all but a key that the database assigns.
    pub(super) usual: Vec<usize>,
}

thread_local! {
    // Tables are statics: none is made where another one was.
    static TEXTS: RefCell<HashMap<*const Table, Rc<SqliteTableSql>>> = RefCell::default();
}

impl SqliteTableSql {
    /// The texts of this table.
    pub(super) fn of(table: &'static Table) -> Rc<Self> {
        if let Some(texts) = TEXTS.with_borrow(|texts| texts.get(&std::ptr::from_ref(table)).cloned()) {
            return texts;
        }
        let texts = Rc::new(Self::new(table));
        TEXTS.with_borrow_mut(|all| all.insert(table, Rc::clone(&texts)));
        texts
    }

    fn new(table: &'static Table) -> Self {
        let mut columns = String::new();
        push_identifiers(
            &mut columns,
            table.columns.iter().map(|column| column.database_name),
        );
        let key = table.key().database_name;
        let select = SqliteStatement::new("SELECT ").words(&columns).words(" FROM ");
        let select = select.name(table.name).into_sql();
        let with_key = |statement: SqliteStatement<'static>, operator: &str| {
            statement.words(" WHERE ").name(key).words(operator).words("?")
        };
        let ordered =
            |statement: SqliteStatement<'static>| statement.words(" ORDER BY ").name(key).into_sql();
        let is_usual = |position: &usize| {
            table.columns[*position].role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)
        };
        let usual: Vec<usize> = (0..table.columns.len()).filter(is_usual).collect();
        Self {
            select_by_key: with_key(SqliteStatement::new(&select), " = ").into_sql(),
            exists_key: with_key(SqliteStatement::new("SELECT 1 FROM ").name(table.name), " = ").into_sql(),
            list: ordered(SqliteStatement::new(&select)),
            list_after_key: ordered(with_key(SqliteStatement::new(&select), " > ")),
            insert_all: insert(table, &usual, &columns),
            delete_key: with_key(SqliteStatement::new("DELETE FROM ").name(table.name), " = ").into_sql(),
            usual,
            select,
            columns,
        }
    }
}

/// The text that inserts a row with these of its columns and gives all columns back.
pub(super) fn insert(table: &Table, written: &[usize], columns: &str) -> String {
    let statement = SqliteStatement::new("INSERT INTO ").name(table.name);
    let statement = if written.is_empty() {
        statement.words(" DEFAULT VALUES")
    } else {
        let names = written
            .iter()
            .map(|position| table.columns[*position].database_name);
        let statement = statement.words(" (").names(names).words(") VALUES (?");
        statement.words(&", ?".repeat(written.len() - 1)).words(")")
    };
    statement.words(" RETURNING ").words(columns).into_sql()
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
        assert!(Rc::ptr_eq(&SqliteTableSql::of(&TAGS), &SqliteTableSql::of(&TAGS)));
    }

    #[test]
    fn the_texts_name_every_column_and_bind_every_value() {
        let texts = SqliteTableSql::of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(texts.select_by_key, format!("{select} WHERE \"id\" = ?"));
        assert_eq!(texts.list, format!("{select} ORDER BY \"id\""));
        assert_eq!(
            texts.list_after_key,
            format!("{select} WHERE \"id\" > ? ORDER BY \"id\"")
        );
        assert_eq!(texts.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = ?"#);
        assert_eq!(texts.delete_key, r#"DELETE FROM "tags" WHERE "id" = ?"#);
        assert_eq!(
            texts.insert_all,
            r#"INSERT INTO "tags" ("na""me", "color") VALUES (?, ?) RETURNING "id", "na""me", "color""#
        );
        assert_eq!(
            insert(&TAGS, &[], &texts.columns),
            r#"INSERT INTO "tags" DEFAULT VALUES RETURNING "id", "na""me", "color""#
        );
    }
}
