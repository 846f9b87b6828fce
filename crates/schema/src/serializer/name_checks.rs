//! Checks of the names that a serializer declares: each must exist and be unique.

use std::collections::HashSet;

use crate::column::Table;
use crate::naming;
use crate::serializer::declaration::Declaration;

/// Rejects unknown column names. A misspelt name would be ignored, and expose a column that is meant to be excluded.
pub(super) fn reject_unknown_names(declaration: &Declaration) -> Result<(), String> {
    let Declaration {
        table,
        fields,
        exclude,
        read_only,
        write_only,
        required,
        optional,
        ..
    } = declaration;
    for name in [fields, exclude, read_only, write_only, required, optional]
        .iter()
        .flat_map(|fields| fields.names())
    {
        if table.position(name).is_none() {
            let columns = table.columns.iter().map(|column| column.name);
            let hint = naming::nearest(name, columns).map(|near| format!("; did you mean `{near}`?"));
            return Err(format!(
                "model {} has no column `{name}`{}",
                table.model,
                hint.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

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
