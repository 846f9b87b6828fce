//! Path of the schema crate: the framework's re-export, unless `crate = ..` sets another.

use quote::ToTokens;
use syn::{Meta, Path, parse_quote};

/// Returns the framework's re-export of the schema crate.
pub(crate) fn default() -> Path {
    parse_quote!(::model_resource::schema)
}

/// Parses `crate = path`.
pub(crate) fn crate_option(option: &Meta) -> syn::Result<Path> {
    let remedy = || {
        syn::Error::new_spanned(
            option,
            "name the schema crate: write `crate = model_resource_schema`",
        )
    };
    let value = &option.require_name_value().map_err(|_| remedy())?.value;
    syn::parse2(value.to_token_stream()).map_err(|_| remedy())
}

/// Returns the spelling of an option's name, for matching and for diagnostics.
pub(crate) fn word(path: &Path) -> String {
    path.to_token_stream().to_string()
}
