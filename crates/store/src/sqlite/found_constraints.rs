//! Indexes and checks of a table in the database.

use model_resource_schema::column::Table;
use rusqlite::{Connection, OptionalExtension as _};

use super::error::map_error;
use crate::drift::{FoundConstraints, FoundIndex};
use crate::error::Result;

const INDEXES: &str = "SELECT name, \"unique\", partial FROM pragma_index_list(?1)";

/// Lists the columns of an index, empty for expressions.
const INDEXED: &str = "SELECT coalesce(name, '') FROM pragma_index_info(?1) ORDER BY seqno";

/// Reads the indexes and checks of a table whose model declares some; `None` for a view, which has none.
pub(super) fn constraints(connection: &Connection, table: &Table) -> Result<Option<FoundConstraints>> {
    if table.uniques.is_empty() && table.indexes.is_empty() && table.checks.is_empty() {
        return Ok(None);
    }
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let declared = connection
        .query_row(sql, [table.name], |row| row.get(0))
        .optional();
    let Some(declared) = declared.map_err(map_error)? else {
        return Ok(None);
    };
    let declared: String = declared;
    let checks = table.checks.iter().map(|check| check.name);
    Ok(Some(FoundConstraints {
        indexes: indexes(connection, table).map_err(map_error)?,
        checks: checks
            .filter(|name| has_constraint(&declared, name))
            .map(str::to_owned)
            .collect(),
    }))
}

fn indexes(connection: &Connection, table: &Table) -> rusqlite::Result<Vec<FoundIndex>> {
    let mut columns = connection.prepare(INDEXED)?;
    let mut indexes = connection.prepare(INDEXES)?;
    let index = |row: &rusqlite::Row<'_>| {
        let name: String = row.get(0)?;
        let columns = columns.query_map([name], |row| row.get(0))?;
        Ok(FoundIndex {
            columns: columns.collect::<rusqlite::Result<_>>()?,
            is_unique: row.get(1)?,
            is_partial: row.get(2)?,
        })
    };
    indexes.query_map([table.name], index)?.collect()
}

/// Whether a statement declares a constraint of this name, in quotation marks or without. SQLite lists the names of checks
/// nowhere else.
fn has_constraint(sql: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    sql.match_indices(name).any(|(start, _)| {
        let after = &sql[start + name.len()..];
        let before = sql[..start].trim_end_matches(['"', '`', '[', '\'']);
        let is_whole = !sql[..start].ends_with(is_part) && !after.starts_with(is_part);
        let last = before.trim_end().rsplit(|c: char| !is_part(c)).next();
        is_whole && last.is_some_and(|last| last.eq_ignore_ascii_case("constraint"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_a_whole() {
        let sql =
            "CREATE TABLE t (a INT CONSTRAINT \"dates\" CHECK (a > 0), CONSTRAINT order_of CHECK (a < 9))";
        assert!(has_constraint(sql, "dates") && has_constraint(sql, "order_of"));
        assert!(!has_constraint(sql, "date") && !has_constraint(sql, "order"));
        // A column is no constraint.
        assert!(!has_constraint(sql, "of") && !has_constraint(sql, "a"));
    }
}
