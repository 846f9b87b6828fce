//! Where the schema crate is found: in the framework, unless `crate = ..` says otherwise.

use quote::ToTokens;
use syn::{Meta, Path, parse_quote};

/// The framework's re-export of the schema crate.
pub(crate) fn default() -> Path {
    parse_quote!(::model_resource::schema)
}

/// The path given as `crate = path`.
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

/// The spelling of an option's name, to be matched and to be repeated in a complaint.
pub(crate) fn word(path: &Path) -> String {
    path.to_token_stream().to_string()
}
