//! `#[derive(Model)]`: derives a table with its columns from a plain struct.

mod check;
mod column;
mod constraint;
mod constraint_check;
mod constraint_expand;
mod expand;
mod flatten;
mod group;
mod literal;
mod message;
mod names;
mod parse;
mod slug;
mod soft_delete;
mod spelling;
mod stub;
mod table_name;
#[cfg(test)]
mod tests;
mod transition;
mod type_family;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::diagnostics::Diagnostics;

/// Implements `Row` and `Model` for the struct and adds a constant per field. On mistakes it emits a placeholder
/// implementation, so that rustc reports nothing else.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    expanded(input).unwrap_or_else(|mistakes| {
        let (mistakes, stub) = (mistakes.to_compile_error(), stub::model(input));
        quote!(#mistakes #stub)
    })
}

/// Implements `ColumnGroup` for the struct.
pub(crate) fn derive_group(input: &DeriveInput) -> TokenStream {
    group::derive(input)
}

fn expanded(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut diagnostics = Diagnostics::default();
    let model = parse::model(input, &mut diagnostics)?;
    check::model(&model, &mut diagnostics);
    diagnostics.into_result()?;
    Ok(expand::model(&model))
}
