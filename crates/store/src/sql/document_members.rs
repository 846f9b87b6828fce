//! Members of JSON documents that several conditions compare, which are extracted by parsing each document once.

use model_resource_schema::column::Column;
use model_resource_schema::query::{AnyWhere, JsonKey};

/// Maximum bytes of a member's name, which becomes an identifier.
const MAX_NAME: usize = 62;

/// Members of the documents in one column of a table.
pub(crate) struct DocumentMembers<'c> {
    pub(crate) column: &'static Column,
    pub(crate) names: Vec<&'c str>,
    /// Number of conditions that compare one of them.
    conditions: usize,
}

/// Returns the members of each column whose documents several conditions on the rows themselves compare.
pub(crate) fn shared_members(condition: &AnyWhere) -> Vec<DocumentMembers<'_>> {
    let mut columns = Vec::new();
    collect(condition, &mut columns);
    columns.retain(|column: &DocumentMembers<'_>| column.conditions > 1);
    columns
}

fn collect<'c>(condition: &'c AnyWhere, columns: &mut Vec<DocumentMembers<'c>>) {
    match condition {
        AnyWhere::And(all) | AnyWhere::Or(all) => all.iter().for_each(|one| collect(one, columns)),
        AnyWhere::Not(one) | AnyWhere::Likely(one) => collect(one, columns),
        AnyWhere::Compare(path, _) => {
            if let ([], [JsonKey::Member(name), ..]) = (path.steps(), path.keys())
                && name.len() <= MAX_NAME
            {
                add(path.column(), name, columns);
            }
        }
    }
}

fn add<'c>(column: &'static Column, name: &'c str, columns: &mut Vec<DocumentMembers<'c>>) {
    let known = columns
        .iter_mut()
        .find(|known| known.column.database_name == column.database_name);
    match known {
        Some(known) => {
            known.conditions += 1;
            if !known.names.contains(&name) {
                known.names.push(name);
            }
        }
        None => columns.push(DocumentMembers {
            column,
            names: vec![name],
            conditions: 1,
        }),
    }
}
