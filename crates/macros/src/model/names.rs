//! Names of a column: of its constant, in the database and in JSON.

use quote::format_ident;
use syn::ext::IdentExt;
use syn::{Ident, LitStr};

use super::column::{ParsedColumn, Setting};
use super::parse::ParsedModel;
use crate::diagnostics::Diagnostics;

/// Name of a field's constant: `first_name` becomes `FIRST_NAME`.
pub(super) fn constant_name(field: &Ident) -> Ident {
    format_ident!(
        "{}",
        field.unraw().to_string().to_uppercase(),
        span = field.span()
    )
}

/// Reports columns that share a name in the database.
pub(super) fn check(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    let names: Vec<String> = model.columns.iter().map(in_database).collect();
    for column in &model.columns {
        let name = in_database(column);
        let option = column
            .options
            .iter()
            .find(|option| matches!(option.setting, Setting::DatabaseName(_)));
        if let Some(option) = option
            && names.iter().filter(|other| **other == name).count() > 1
        {
            let remedy = format!("two fields are the column {name:?}: give one of them another name");
            diagnostics.add(&option.tokens, remedy);
        }
    }
}

fn in_database(column: &ParsedColumn<'_>) -> String {
    let declared = column.find(|setting| match setting {
        Setting::DatabaseName(name) => Some(name.value()),
        _ => None,
    });
    declared.unwrap_or_else(|| column.ident.unraw().to_string())
}

/// Reports a JSON name that queries or errors cannot use, like the schema's check of handwritten columns.
pub(super) fn check_json(name: &LitStr, diagnostics: &mut Diagnostics) {
    let text = name.value();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.starts_with(is_first) || !text.chars().all(is_plain) {
        let remedy = "a name in JSON has letters, digits, `_` and `-`, and begins with a letter or `_`: \
                      write #[column(json = \"givenName\")]";
        diagnostics.add(name, remedy);
    }
    if text == "_schema" {
        diagnostics.add(
            name,
            "errors of the whole object have the name `_schema`: choose another one",
        );
    }
}

/// Reports an invalid column name.
pub(super) fn check_database(name: &LitStr, diagnostics: &mut Diagnostics) {
    let text = name.value();
    if text.is_empty() || text.contains('\0') {
        diagnostics.add(name, "name the column: write #[column(name = \"first_name\")]");
    }
}
