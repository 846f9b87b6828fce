//! Cache of the SQL that all requests to a table share.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};

use super::statement::SqliteStatement;
use crate::sql::table_sql::TableSql;

thread_local! {
    static TABLE_SQL: RefCell<HashMap<TableId, Rc<TableSql>>> = RefCell::default();
}

/// Returns the SQL of a table.
pub(super) fn of(table: &'static Table) -> Rc<TableSql> {
    if let Some(table_sql) = TABLE_SQL.with_borrow(|table_sql| table_sql.get(&table.id()).cloned()) {
        return table_sql;
    }
    let table_sql = Rc::new(TableSql::new::<SqliteStatement<'static>>(table));
    TABLE_SQL.with_borrow_mut(|all| all.insert(table.id(), Rc::clone(&table_sql)));
    table_sql
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::insert::InsertSql;
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
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
        assert!(Rc::ptr_eq(&of(&TAGS), &of(&TAGS)));
    }

    #[test]
    fn the_texts_name_every_column_and_bind_every_value() {
        let table_sql = of(&TAGS);
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
            r#"INSERT INTO "tags" ("na""me", "color") VALUES (?, ?)"#
        );
        let InsertSql::Built(sql) = table_sql.insert::<SqliteStatement<'_>>(&TAGS, &[]) else {
            panic!("the usual columns are not empty");
        };
        assert_eq!(sql, r#"INSERT INTO "tags" DEFAULT VALUES"#);
    }
}
