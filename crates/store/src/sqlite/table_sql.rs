//! Cache of the SQL that all requests to a table share.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use model_resource_schema::column::{ColumnRole, KeyGeneration, Table, TableId};

use super::statement::SqliteStatement;
use crate::quote::push_identifiers;

/// SQL of one table's statements without conditions. Parameters are in the order of the names.
pub(super) struct SqliteTableSql {
    /// Column list for `SELECT` and `RETURNING`.
    pub(super) columns: String,
    /// SELECT of all rows, to which conditions and an order can be added.
    pub(super) select: String,
    pub(super) select_by_key: String,
    pub(super) exists_key: String,
    pub(super) list: String,
    pub(super) list_after_key: String,
    pub(super) insert_all: String,
    pub(super) delete_key: String,
    /// Columns of a complete INSERT: all but a key that the database assigns.
    pub(super) usual: Vec<usize>,
}

thread_local! {
    static TABLE_SQL: RefCell<HashMap<TableId, Rc<SqliteTableSql>>> = RefCell::default();
}

impl SqliteTableSql {
    /// Returns the SQL of a table.
    pub(super) fn of(table: &'static Table) -> Rc<Self> {
        if let Some(table_sql) = TABLE_SQL.with_borrow(|table_sql| table_sql.get(&table.id()).cloned()) {
            return table_sql;
        }
        let table_sql = Rc::new(Self::new(table));
        TABLE_SQL.with_borrow_mut(|all| all.insert(table.id(), Rc::clone(&table_sql)));
        table_sql
    }

    fn new(table: &'static Table) -> Self {
        let mut columns = String::new();
        push_identifiers(
            &mut columns,
            table.columns.iter().map(|column| column.database_name),
        );
        let key = table.key().database_name;
        let select = SqliteStatement::new("SELECT ")
            .push_sql(&columns)
            .push_sql(" FROM ");
        let select = select.name(table.name).into_sql();
        let with_key = |statement: SqliteStatement<'static>, operator: &str| {
            statement
                .push_sql(" WHERE ")
                .name(key)
                .push_sql(operator)
                .push_sql("?")
        };
        let ordered =
            |statement: SqliteStatement<'static>| statement.push_sql(" ORDER BY ").name(key).into_sql();
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

/// Returns the SQL that inserts these columns and returns all columns.
pub(super) fn insert(table: &Table, written: &[usize], columns: &str) -> String {
    let statement = SqliteStatement::new("INSERT INTO ").name(table.name);
    let statement = if written.is_empty() {
        statement.push_sql(" DEFAULT VALUES")
    } else {
        let names = written
            .iter()
            .map(|position| table.columns[*position].database_name);
        let statement = statement.push_sql(" (").names(names).push_sql(") VALUES (?");
        statement.push_sql(&", ?".repeat(written.len() - 1)).push_sql(")")
    };
    statement.push_sql(" RETURNING ").push_sql(columns).into_sql()
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
        let table_sql = SqliteTableSql::of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(table_sql.select_by_key, format!("{select} WHERE \"id\" = ?"));
        assert_eq!(table_sql.list, format!("{select} ORDER BY \"id\""));
        assert_eq!(
            table_sql.list_after_key,
            format!("{select} WHERE \"id\" > ? ORDER BY \"id\"")
        );
        assert_eq!(table_sql.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = ?"#);
        assert_eq!(table_sql.delete_key, r#"DELETE FROM "tags" WHERE "id" = ?"#);
        assert_eq!(
            table_sql.insert_all,
            r#"INSERT INTO "tags" ("na""me", "color") VALUES (?, ?) RETURNING "id", "na""me", "color""#
        );
        assert_eq!(
            insert(&TAGS, &[], &table_sql.columns),
            r#"INSERT INTO "tags" DEFAULT VALUES RETURNING "id", "na""me", "color""#
        );
    }
}
