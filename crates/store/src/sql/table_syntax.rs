//! Syntax of tables that differs between databases.

use model_resource_schema::column::{Column, KeyGeneration, Table};
use model_resource_schema::value::ValueRef;

/// Syntax of `CREATE TABLE` that differs between databases.
pub(crate) trait TableSyntax {
    /// End of the statement, after the columns.
    const TABLE_SUFFIX: &'static str;

    /// Appends the statement that creates the schema of a table, if there is one.
    fn push_schema(sql: &mut String, table: &Table);

    /// Appends the quoted name of a table.
    fn push_table_name(sql: &mut String, table: &Table);

    /// Beginning of the names of a table's indexes, which makes them unique where tables of several schemas share them.
    fn index_prefix(table: &Table) -> String;

    /// Appends the statements that create the enum types of a table's columns.
    fn push_enum_types(sql: &mut String, table: &Table);

    /// Appends the column type.
    fn push_type(sql: &mut String, column: &Column);

    /// Appends the constraint of a primary key.
    fn push_primary_key(sql: &mut String, column: &Column, generation: KeyGeneration);

    /// Whether every index of a table already contains its primary key.
    fn has_key_in_indexes(table: &Table) -> bool;

    /// Descending order of an indexed column with nulls at the end.
    const DESCENDING_NULLS_LAST: &'static str;

    /// Suffix that forces binary collation on a column.
    fn collation(column: &Column) -> &'static str;

    /// Appends a value as a literal. Returns whether there is one.
    fn push_literal(sql: &mut String, value: ValueRef<'_>) -> bool;
}
