//! Check of the names that a serializer declares: each must be unique.

use std::collections::HashSet;

use crate::column::Table;

/// Rejects duplicate wire names: a client could reach only the first field.
pub(super) fn reject_duplicate_names<'n>(
    table: &Table,
    mut names: impl Iterator<Item = &'n str>,
) -> Result<(), String> {
    let mut seen = HashSet::new();
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => Err(format!(
            "serializer of {}: two fields have the wire name `{name}`; rename or exclude one",
            table.model
        )),
        None => Ok(()),
    }
}
