//! Options of `#[column(..)]` above an item or a variant.

use syn::punctuated::Punctuated;
use syn::{Attribute, DeriveInput, Meta, Path, Token};

use crate::diagnostics::Diagnostics;
use crate::schema_path;

/// Parses the options of each `#[column(..)]`.
pub(crate) fn read(attributes: &[Attribute], diagnostics: &mut Diagnostics) -> Vec<Meta> {
    let of_column = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("column"));
    let parsed =
        of_column.map(|attribute| attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated));
    parsed
        .filter_map(|options| diagnostics.take(options))
        .flatten()
        .collect()
}

/// Returns the path of the schema crate for an item that may have mistakes.
pub(crate) fn schema_crate(input: &DeriveInput) -> Path {
    let options = read(&input.attrs, &mut Diagnostics::default());
    let given = options.iter().find(|option| option.path().is_ident("crate"));
    let given = given.and_then(|option| schema_path::crate_option(option).ok());
    given.unwrap_or_else(schema_path::default)
}
