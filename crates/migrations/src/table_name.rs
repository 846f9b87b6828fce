//! Names of tables, with the schema that they may have in PostgreSQL: `crm.customers`.

use model_resource_store::SqlDialect;

use crate::token::quoted_name;

/// Schema in which PostgreSQL creates tables without one.
pub(crate) const DEFAULT_SCHEMA: &str = "public";

/// Joins the names of a schema and of a table in it.
pub(crate) fn qualified(schema: Option<&str>, name: &str) -> String {
    match schema.filter(|schema| *schema != DEFAULT_SCHEMA) {
        Some(schema) => format!("{schema}.{name}"),
        None => name.to_owned(),
    }
}

/// Splits the name of a table into its schema and its name there.
pub(crate) fn split(dialect: SqlDialect, table: &str) -> (Option<&str>, &str) {
    match dialect {
        SqlDialect::Sqlite => (None, table),
        SqlDialect::Postgres => match table.split_once('.') {
            Some((schema, name)) => (Some(schema), name),
            None => (None, table),
        },
    }
}

/// Returns the name of a table in quotation marks.
pub(crate) fn quoted_table(dialect: SqlDialect, table: &str) -> String {
    match split(dialect, table) {
        (Some(schema), name) => format!("{}.{}", quoted_name(schema), quoted_name(name)),
        (None, name) => quoted_name(name),
    }
}
