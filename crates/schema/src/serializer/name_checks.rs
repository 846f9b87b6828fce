//! The names that a serializer declares, of which each must mean something, and one thing only.

use std::collections::HashSet;

use crate::column::Table;
use crate::naming;
use crate::serializer::declaration::Declaration;

/// A misspelt name would be passed over, and show what is meant to be excluded.
pub(super) fn refuse_unknown_names(declaration: &Declaration) -> Result<(), String> {
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

/// Of two fields with one name, a client could reach only the first.
pub(super) fn refuse_double_names<'n>(
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
