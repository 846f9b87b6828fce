//! Sort order: `sort=-createdAt,title`, `nulls=first`.

use model_resource_schema::data_type::DataType;
use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{Nulls, SortKey};
use model_resource_schema::serializer::Projection;

use crate::pipeline::Result;
use crate::query::parameters::invalid_parameter;

/// Maximum sort keys.
pub(super) const MAX_KEYS: usize = 8;

/// Parses the sort keys; a leading `-` means descending. Null values come last in ascending and first in descending
/// order, unless `nulls` places them.
pub(super) fn read_sort(projection: &Projection, text: &str, nulls: Option<&str>) -> Result<Vec<SortKey>> {
    let nulls = match nulls {
        None => None,
        Some("first") => Some(Nulls::First),
        Some("last") => Some(Nulls::Last),
        Some(_) => return Err(invalid_parameter("nulls", "Write \"first\" or \"last\".")),
    };
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
        let path = projection.path(name)?;
        if !path.is_single() {
            return Err(invalid_parameter(
                "sort",
                format!("Cannot sort by {}: it has several values per row.", Quoted(name)),
            ));
        }
        if path.data_type().is_none_or(|kind| kind == DataType::Json) {
            let message = format!("Values of {} have no order.", Quoted(name));
            return Err(invalid_parameter("sort", message));
        }
        let default = if descending { Nulls::First } else { Nulls::Last };
        keys.push(SortKey {
            path,
            descending,
            nulls: nulls.unwrap_or(default),
        });
    }
    Ok(keys)
}
