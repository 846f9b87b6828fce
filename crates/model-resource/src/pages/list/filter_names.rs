//! Names of the query parameters that filter a list.

use crate::query::is_list_parameter;

/// Splits `rating[gte]` into the field and the operator.
pub(crate) fn split_name(name: &str) -> (&str, &str) {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    split.unwrap_or((name, "eq"))
}

/// Whether a parameter is a filter or a search.
pub(crate) fn is_filter(name: &str) -> bool {
    !is_list_parameter(name) || matches!(name, "q" | "or" | "and" | "not")
}

/// Name of the parameter that filters a field: `rating[gte]`, or the field alone for `eq`, unless a list has a
/// parameter of this name.
pub(crate) fn filter_name(field: &str, operator: &str) -> String {
    match operator {
        "eq" if !is_list_parameter(field) => field.to_owned(),
        operator => format!("{field}[{operator}]"),
    }
}
