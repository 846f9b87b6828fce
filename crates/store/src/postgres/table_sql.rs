//! Cache of the SQL that all requests to a table share, and of the table's fetch sizes.

use std::ops::Deref;
use std::sync::{LazyLock, PoisonError, RwLock};

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};

use super::fetch_size::{FetchSize, RowSize};
use super::statement::PostgresStatement;
use crate::sql::table_sql::TableSql;

/// SQL and fetch sizes of one table.
pub(super) struct PostgresTableSql {
    sql: TableSql,
    /// Adaptive fetch size at the start of a scan.
    pub(super) first: FetchSize,
    /// Adaptive fetch size when a scan continues.
    pub(super) further: FetchSize,
    pub(super) row_size: RowSize,
}

impl Deref for PostgresTableSql {
    type Target = TableSql;

    fn deref(&self) -> &TableSql {
        &self.sql
    }
}

static TABLE_SQL: LazyLock<RwLock<HashMap<TableId, &'static PostgresTableSql>>> =
    LazyLock::new(RwLock::default);

/// Returns the SQL of a table.
pub(super) fn of(table: &'static Table) -> &'static PostgresTableSql {
    let known = TABLE_SQL
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&table.id())
        .copied();
    known.unwrap_or_else(|| {
        let mut all = TABLE_SQL.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(table.id()).or_insert_with(|| {
            Box::leak(Box::new(PostgresTableSql {
                sql: TableSql::new::<PostgresStatement<'static>>(table),
                first: FetchSize::default(),
                further: FetchSize::default(),
                row_size: RowSize::default(),
            }))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::insert::InsertSql;
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::data_type::DataType;
    use model_resource_schema::value::Value;

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
        assert!(std::ptr::eq(of(&TAGS), of(&TAGS)));
    }

    #[test]
    fn the_texts_name_every_column_and_bind_every_value() {
        let table_sql = of(&TAGS);
        let select = r#"SELECT "id", "na""me", "color" FROM "tags""#;
        assert_eq!(table_sql.select_by_key, format!("{select} WHERE \"id\" = $1"));
        assert_eq!(table_sql.exists_key, r#"SELECT 1 FROM "tags" WHERE "id" = $1"#);
        assert_eq!(table_sql.delete_key, r#"DELETE FROM "tags" WHERE "id" = $1"#);
        assert_eq!(
            table_sql.insert_all,
            r#"INSERT INTO "tags" ("na""me", "color") VALUES ($1, $2) RETURNING "id", "na""me", "color""#
        );
        let built = |row: &[(usize, Value)]| match table_sql.insert::<PostgresStatement<'_>>(&TAGS, row) {
            InsertSql::Built(sql) => sql,
            InsertSql::Cached(_) => panic!("these are not the usual columns"),
        };
        assert_eq!(
            built(&[]),
            r#"INSERT INTO "tags" DEFAULT VALUES RETURNING "id", "na""me", "color""#
        );
        assert!(built(&[(0, Value::Int(1))]).contains("setval(pg_get_serial_sequence('\"tags\"', 'id')"));
    }
}
