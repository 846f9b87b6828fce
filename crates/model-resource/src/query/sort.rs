//! Sort order: `sort=-createdAt,title`, `nulls=first`.

use model_resource_schema::data_type::DataType;
use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{FieldPath, Nulls, SortKey};
use model_resource_schema::serializer::Projection;

use crate::pipeline::Result;
use crate::query::parameters::invalid_parameter;

/// Maximum sort keys.
pub(super) const MAX_KEYS: usize = 8;

/// End of the name of the number of a relation's rows.
pub(crate) const COUNT_SUFFIX: &str = ".count";

/// Parses the sort keys; a leading `-` means descending. Null values come last in ascending and first in descending
/// order, unless `nulls` places them.
pub(super) fn read_sort(projection: &Projection, text: &str, nulls: Option<&str>) -> Result<Vec<SortKey>> {
    let nulls = read_nulls(nulls)?;
    let names: Vec<&str> = text.split(',').collect();
    if names.len() > MAX_KEYS {
        return Err(invalid_parameter(
            "sort",
            format!("There are more than {MAX_KEYS} fields in it."),
        ));
    }
    let mut keys: Vec<SortKey> = Vec::new();
    for name in names {
        let (name, descending) = match name.strip_prefix('-') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let path = sort_path(projection, name)?;
        if path.data_type().is_none_or(|kind| kind == DataType::Json) {
            let message = format!("Values of {} have no order.", Quoted(name));
            return Err(invalid_parameter("sort", message));
        }
        keys.push(SortKey {
            path,
            descending,
            nulls: nulls.unwrap_or_else(|| default_nulls(descending)),
        });
    }
    Ok(keys)
}

/// Resolves a field with one value per row, or the number of a relation's rows: `comments.count`.
fn sort_path(projection: &Projection, name: &str) -> Result<FieldPath> {
    let counted = name.strip_suffix(COUNT_SUFFIX);
    // The values of a relation to many rows have no order, so that a field of this name is not meant.
    if let Some(path) = counted.and_then(|relation| projection.related_count(relation).ok()) {
        return Ok(path);
    }
    let path = projection.path(name)?;
    if path.is_single() {
        return Ok(path);
    }
    let relation = name.split('.').next().unwrap_or(name);
    let remedy = projection
        .related_count(relation)
        .map(|_| format!(" The number of the related rows is \"{relation}{COUNT_SUFFIX}\"."));
    let message = format!(
        "Cannot sort by {}: it has several values per row.{}",
        Quoted(name),
        remedy.unwrap_or_default()
    );
    Err(invalid_parameter("sort", message))
}

/// Parses the position of null values.
pub(super) fn read_nulls(nulls: Option<&str>) -> Result<Option<Nulls>> {
    match nulls {
        None => Ok(None),
        Some("first") => Ok(Some(Nulls::First)),
        Some("last") => Ok(Some(Nulls::Last)),
        Some(_) => Err(invalid_parameter("nulls", "Write \"first\" or \"last\".")),
    }
}

/// Position of null values that `nulls` does not place.
pub(super) fn default_nulls(descending: bool) -> Nulls {
    if descending { Nulls::First } else { Nulls::Last }
}
