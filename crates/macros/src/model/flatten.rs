//! Groups of columns that a model contains, and the positions of the columns.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::column::ParsedGroup;
use super::parse::ParsedModel;

/// Formats `<T as ColumnGroup>`.
pub(super) fn group_type(root: &Path, group: &ParsedGroup<'_>) -> TokenStream {
    let ty = group.ty;
    quote_spanned!(ty.span()=> <#ty as #root::column_group::ColumnGroup>)
}

/// Formats the position of one of the model's own columns, a literal unless a group precedes it.
pub(super) fn position(model: &ParsedModel<'_>, own: usize) -> TokenStream {
    let before = model.groups.iter().filter(|group| group.own_before <= own);
    sum(model, own, before)
}

/// Formats the position of the first column of a group.
pub(super) fn start(model: &ParsedModel<'_>, group: usize) -> TokenStream {
    sum(
        model,
        model.groups[group].own_before,
        model.groups[..group].iter(),
    )
}

/// Formats the position after the last column of a group.
pub(super) fn end(model: &ParsedModel<'_>, group: usize) -> TokenStream {
    sum(
        model,
        model.groups[group].own_before,
        model.groups[..=group].iter(),
    )
}

/// Formats the number of all columns.
pub(super) fn length(model: &ParsedModel<'_>) -> TokenStream {
    sum(model, model.columns.len(), model.groups.iter())
}

fn sum<'m>(
    model: &ParsedModel<'_>,
    own: usize,
    groups: impl Iterator<Item = &'m ParsedGroup<'m>>,
) -> TokenStream {
    let lengths = groups.map(|group| {
        let trait_ = group_type(&model.root, group);
        quote!(#trait_::COLUMNS.len())
    });
    // A summand of 0 would be a warning in the crate of the model.
    let own_length = (own > 0).then(|| Literal::usize_unsuffixed(own).to_token_stream());
    let summands: Vec<TokenStream> = own_length.into_iter().chain(lengths).collect();
    if summands.is_empty() {
        return quote!(0);
    }
    quote!(#(#summands)+*)
}

/// Expands the constants of the columns of a model's groups. Only the macro beside the group knows their names.
pub(super) fn constants(model: &ParsedModel<'_>) -> TokenStream {
    let calls = model.groups.iter().enumerate().map(|(position, group)| {
        let (ident, ty, start) = (model.ident, group.ty, start(model, position));
        let path = match ty {
            Type::Path(path) => path.path.to_token_stream(),
            other => other.to_token_stream(),
        };
        quote_spanned!(ty.span()=> #path! { #ident, #ty, (#start) })
    });
    calls.collect()
}
