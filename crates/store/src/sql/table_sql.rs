//! SQL that all requests to a table share, built once.

use model_resource_schema::column::{ColumnRole, KeyGeneration, Table};
use model_resource_schema::value::Value;

use super::insert::{InsertSql, insert_sql};
use super::quote::push_identifiers;
use super::writer::SqlWriter;

/// SQL of one table's statements without conditions. Parameters are in the order of the names.
pub(crate) struct TableSql {
    /// Column list for `SELECT` and `RETURNING`.
    pub(crate) columns: String,
    /// SELECT of all rows, to which conditions and an order can be added.
    pub(crate) select: String,
    pub(crate) select_by_key: String,
    pub(crate) exists_key: String,
    /// SELECT of all rows, in the order of the primary key.
    #[cfg(feature = "sqlite")]
    pub(crate) list: String,
    /// SELECT of all rows after a primary key, in its order.
    #[cfg(feature = "sqlite")]
    pub(crate) list_after_key: String,
    pub(crate) insert_all: String,
    pub(crate) delete_key: String,
    /// Columns of a complete INSERT: all but a key that the database assigns.
    usual: Vec<usize>,
}

impl TableSql {
    /// Builds the SQL of a table in the syntax of a database.
    pub(crate) fn new<W: SqlWriter<'static>>(table: &'static Table) -> Self {
        let mut columns = String::new();
        push_identifiers(
            &mut columns,
            table.columns.iter().map(|column| column.database_name),
        );
        let key = table.key().database_name;
        let select = W::start("SELECT ").push_sql(&columns).push_sql(" FROM ");
        let select = select.table(table).into_sql();
        let with_key = |statement: W, operator: &str| {
            let mut sql = statement
                .push_sql(" WHERE ")
                .name(key)
                .push_sql(operator)
                .into_sql();
            W::push_placeholder(&mut sql, 1);
            sql
        };
        #[cfg(feature = "sqlite")]
        let ordered = |sql: &str| W::start(sql).push_sql(" ORDER BY ").name(key).into_sql();
        let is_usual = |position: &usize| {
            table.columns[*position].role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)
        };
        let usual: Vec<usize> = (0..table.columns.len()).filter(is_usual).collect();
        Self {
            select_by_key: with_key(W::start(&select), " = "),
            exists_key: with_key(W::start("SELECT 1 FROM ").table(table), " = "),
            #[cfg(feature = "sqlite")]
            list: ordered(&select),
            #[cfg(feature = "sqlite")]
            list_after_key: ordered(&with_key(W::start(&select), " > ")),
            insert_all: insert_sql::<W>(table, &usual, &columns),
            delete_key: with_key(W::start("DELETE FROM ").table(table), " = "),
            usual,
            select,
            columns,
        }
    }
    /// Returns the SQL that inserts the columns of a row.
    pub(crate) fn insert<'v, W: SqlWriter<'v>>(
        &self,
        table: &'static Table,
        row: &[(usize, Value)],
    ) -> InsertSql<'_> {
        if row.iter().map(|(column, _)| column).eq(&self.usual) {
            return InsertSql::Cached(&self.insert_all);
        }
        let written: Vec<usize> = row.iter().map(|(column, _)| *column).collect();
        InsertSql::Built(insert_sql::<W>(table, &written, &self.columns))
    }
}
