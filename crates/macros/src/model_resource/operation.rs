//! Names of the six operations, and their names in other frameworks.

use proc_macro2::Ident;
use quote::format_ident;

use crate::suggest;

/// Operations, as functions in the block.
pub(super) const OPERATIONS: &[&str] = &["create", "delete", "get", "list", "patch", "put"];

/// Returns the variant and marker type of an operation: `Create` for `create`.
pub(super) fn variant(function: &Ident) -> Ident {
    let name = function.to_string();
    format_ident!(
        "{}{}",
        name[..1].to_uppercase(),
        name[1..],
        span = function.span()
    )
}

/// Formats the message for a function that is not an operation.
pub(super) fn unknown(name: &str, functions: &[&str]) -> String {
    let known: Vec<&str> = OPERATIONS.iter().chain(functions).copied().collect();
    let meant = foreign(name)
        .map(str::to_owned)
        .or_else(|| suggest::nearest(name, &known).map(|known| format!("`{known}`")));
    let suggestion = meant
        .map(|meant| format!(" did you mean {meant}?"))
        .unwrap_or_default();
    format!(
        "`{name}` is not an operation:{suggestion} The operations are {}; mark an ordinary function with #[helper]",
        OPERATIONS.join(", ")
    )
}

/// Returns the operation with this name in another framework.
fn foreign(name: &str) -> Option<&'static str> {
    match name {
        "add" | "insert" | "post" | "store" => Some("`create`"),
        "destroy" | "remove" => Some("`delete`"),
        "find" | "read" | "retrieve" | "show" => Some("`get`"),
        "all" | "index" => Some("`list`"),
        "partial_update" => Some("`patch`"),
        "replace" => Some("`put`"),
        "update" => Some("`put` or `patch`"),
        _ => None,
    }
}
