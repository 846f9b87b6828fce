//! Quoting of SQL identifiers and literals.

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
