//! Names in SQL.

/// Writes names, with commas between them.
pub(crate) fn push_identifiers(sql: &mut String, names: impl Iterator<Item = &'static str>) {
    for (count, name) in names.enumerate() {
        sql.push_str(if count > 0 { ", " } else { "" });
        push_identifier(sql, name);
    }
}

/// Writes a name so that it can be nothing but a name.
pub(crate) fn push_identifier(sql: &mut String, name: &str) {
    push_quoted(sql, name, '"');
}

/// Writes a text between quotation marks, doubling those within.
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
