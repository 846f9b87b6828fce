//! Names that PostgreSQL gives to constraints without one.

use model_resource_store::SqlDialect;

use crate::state::{ForeignKeyState, TableState};
use crate::table_name::{self, quoted_table};
use crate::token::quoted_name;

/// Maximum bytes of a name.
const MAX_NAME: usize = 63;

/// Name of a table's primary key.
pub(crate) fn primary_key(table: &str) -> String {
    constraint(table, &[], "pkey")
}

/// Name of a unique constraint.
pub(crate) fn unique(table: &str, columns: &[String]) -> String {
    constraint(table, columns, "key")
}

/// Name of a foreign key.
pub(crate) fn foreign_key(table: &str, key: &ForeignKeyState) -> String {
    constraint(table, &key.columns, "fkey")
}

/// Names of all constraints of a table that have none of their own, in order.
pub(crate) fn all(table: &TableState) -> Vec<String> {
    let mut names = vec![primary_key(&table.name)];
    names.extend(table.uniques.iter().map(|columns| unique(&table.name, columns)));
    names.extend(table.foreign_keys.iter().map(|key| foreign_key(&table.name, key)));
    names
}

/// Returns the statements that give constraints the names they would have if the table had been created now. The lists
/// are of one length.
pub(crate) fn renames(table: &str, from: &[String], to: &[String]) -> String {
    let changed = from.iter().zip(to).filter(|(from, to)| from != to);
    let rename = |(from, to): (&String, &String)| {
        let table = quoted_table(SqlDialect::Postgres, table);
        let (from, to) = (quoted_name(from), quoted_name(to));
        format!("ALTER TABLE {table} RENAME CONSTRAINT {from} TO {to};\n")
    };
    changed.map(rename).collect()
}

/// Joins names as PostgreSQL does, which shortens the longer of the two if the result is too long.
fn constraint(table: &str, columns: &[String], suffix: &str) -> String {
    let columns = columns.join("_");
    let (_, mut table) = table_name::split(SqlDialect::Postgres, table);
    let mut columns = columns.as_str();
    let separators = if columns.is_empty() { 1 } else { 2 };
    while table.len() + columns.len() + suffix.len() + separators > MAX_NAME {
        if table.len() > columns.len() {
            table = without_last(table);
        } else {
            columns = without_last(columns);
        }
    }
    if columns.is_empty() {
        return format!("{table}_{suffix}");
    }
    format!("{table}_{columns}_{suffix}")
}

fn without_last(text: &str) -> &str {
    let end = text
        .char_indices()
        .next_back()
        .map_or(0, |(position, _)| position);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_as_postgres_does() {
        let (table, column) = ("t".repeat(40), "c".repeat(40));
        let name = unique(&table, std::slice::from_ref(&column));
        assert_eq!(name, format!("{}_{}_key", "t".repeat(29), "c".repeat(29)));
        assert_eq!(unique("tags", &["a".to_owned(), "b".to_owned()]), "tags_a_b_key");
        assert_eq!(primary_key("tags"), "tags_pkey");
        assert_eq!(primary_key("crm.tags"), "tags_pkey");
    }
}
