//! Quoting of SQL identifiers and literals.

use model_resource_schema::column::Table;

/// Appends quoted identifiers, separated by commas.
pub(crate) fn push_identifiers(sql: &mut String, names: impl Iterator<Item = &'static str>) {
    for (count, name) in names.enumerate() {
        sql.push_str(if count > 0 { ", " } else { "" });
        push_identifier(sql, name);
    }
}

/// Appends a quoted identifier.
pub(crate) fn push_identifier(sql: &mut String, name: &str) {
    push_quoted(sql, name, '"');
}

/// Appends the quoted name of a table, after that of its schema.
pub(crate) fn push_qualified(sql: &mut String, table: &Table) {
    if let Some(schema) = table.schema {
        push_identifier(sql, schema);
        sql.push('.');
    }
    push_identifier(sql, table.name_in_schema());
}

/// Returns the quoted name of a table, after that of its schema.
#[cfg(feature = "postgres")]
pub(crate) fn qualified_name(table: &Table) -> String {
    let mut name = String::new();
    push_qualified(&mut name, table);
    name
}

/// Appends a text in quotation marks, doubling those inside.
pub(crate) fn push_quoted(sql: &mut String, text: &str, mark: char) {
    sql.push(mark);
    for (count, part) in text.split(mark).enumerate() {
        if count > 0 {
            sql.push(mark);
            sql.push(mark);
        }
        sql.push_str(part);
    }
    sql.push(mark);
}

/// Formats bytes as pairs of hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
