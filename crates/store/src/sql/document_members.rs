//! Members of JSON documents that conditions compare, which are extracted by parsing each document once.

use model_resource_schema::column::Column;
use model_resource_schema::query::{AnyWhere, JsonKey, Predicate};

/// Maximum bytes of a member's name, which becomes an identifier.
const MAX_NAME: usize = 62;

/// Members of the documents in one column of a table.
pub(crate) struct DocumentMembers<'c> {
    pub(crate) column: &'static Column,
    pub(crate) names: Vec<&'c str>,
    /// Number of times that a document is parsed at least, if the members are not extracted.
    parses: usize,
}

/// Returns the members of each column whose documents the conditions on the rows themselves parse several times.
pub(crate) fn shared_members(condition: &AnyWhere) -> Vec<DocumentMembers<'_>> {
    let mut columns = Vec::new();
    collect(condition, &mut columns);
    columns.retain(|column: &DocumentMembers<'_>| column.parses > 1);
    columns
}

fn collect<'c>(condition: &'c AnyWhere, columns: &mut Vec<DocumentMembers<'c>>) {
    match condition {
        AnyWhere::And(all) | AnyWhere::Or(all) => all.iter().for_each(|one| collect(one, columns)),
        AnyWhere::Not(one) | AnyWhere::Likely(one) => collect(one, columns),
        AnyWhere::Compare(path, test) => {
            if let ([], [JsonKey::Member(name), ..]) = (path.steps(), path.keys())
                && name.len() <= MAX_NAME
            {
                add(path.column(), name, parses(test), columns);
            }
        }
    }
}

/// Number of times that a predicate parses a document at least: a comparison reads the type of the value, and then its
/// text.
fn parses(test: &Predicate) -> usize {
    match test {
        Predicate::Null(_) | Predicate::IsColumn(..) => 1,
        Predicate::Is(..) | Predicate::OneOf(_) | Predicate::NoneOf(_) => 2,
        Predicate::Between(..) | Predicate::Like(_) => 2,
    }
}

fn add<'c>(column: &'static Column, name: &'c str, parses: usize, columns: &mut Vec<DocumentMembers<'c>>) {
    let known = columns
        .iter_mut()
        .find(|known| known.column.database_name == column.database_name);
    match known {
        Some(known) => {
            known.parses += parses;
            if !known.names.contains(&name) {
                known.names.push(name);
            }
        }
        None => columns.push(DocumentMembers {
            column,
            names: vec![name],
            parses,
        }),
    }
}
