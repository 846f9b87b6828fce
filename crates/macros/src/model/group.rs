//! `#[derive(ColumnGroup)]`: columns that models share.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident, Path, Type, Visibility, parse_quote};

use super::column::{ParsedColumn, Setting};
use super::expand::{column_type, describe};
use super::names::constant_name;
use super::parse::{self, ParsedModel};
use super::{check, names};
use crate::diagnostics::Diagnostics;
use crate::item_options;

/// Implements `ColumnGroup` for the struct, and adds the macro that makes constants for models. On mistakes it emits a
/// placeholder implementation.
pub(super) fn derive(input: &DeriveInput) -> TokenStream {
    expanded(input).unwrap_or_else(|mistakes| {
        let (mistakes, stub) = (mistakes.to_compile_error(), stub(input));
        quote!(#mistakes #stub)
    })
}

pub(super) fn expanded(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut diagnostics = Diagnostics::default();
    let group = parse::group(input, &mut diagnostics)?;
    check_group(&group, &mut diagnostics);
    diagnostics.into_result()?;
    Ok(expand(&group))
}

fn check_group(group: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    check::unique_options(group, diagnostics);
    names::check(group, diagnostics);
    check::columns(group, diagnostics);
    for nested in &group.groups {
        diagnostics.add(
            nested.ty,
            "a group has columns alone: flatten both groups in the model",
        );
    }
    for column in &group.columns {
        let other = column.find(|setting| match setting {
            Setting::References(other) => Some(other),
            _ => None,
        });
        if let Some(other) = other.filter(|other| other.is_ident("Self")) {
            diagnostics.add(other, "a group is no table: name a model here, without `Self`");
        }
    }
}

fn expand(group: &ParsedModel<'_>) -> TokenStream {
    let ParsedModel { ident, root, .. } = group;
    let columns = group.columns.iter().map(|column| describe(group, column));
    let of_columns = |format: &dyn Fn(Literal, &ParsedColumn<'_>) -> TokenStream| -> Vec<TokenStream> {
        let columns = group.columns.iter().enumerate();
        let columns = columns.map(|(position, column)| format(Literal::usize_unsuffixed(position), column));
        columns.collect()
    };
    let values = of_columns(&|position, column| {
        let (field, trait_) = (column.ident, column_type(root, column.ty));
        let value = quote_spanned!(column.ty.span()=> #trait_::to_value(&self.#field));
        quote!(#position => #value,)
    });
    let fields = of_columns(&|position, column| {
        let (field, trait_) = (column.ident, column_type(root, column.ty));
        let value = quote_spanned!(column.ty.span()=> #trait_::from_value(row.value(start + #position))?);
        quote!(#field: #value)
    });
    let fields_of_model = group
        .columns
        .iter()
        .map(|column| (column.visibility, column.ident, column.ty));
    let constants = group_macro(ident, group.visibility, root, fields_of_model);
    quote! {
        #[automatically_derived]
        impl #root::column_group::ColumnGroup for #ident {
            const COLUMNS: &'static [#root::column::Column] = &[#(#columns),*];

            fn value(&self, column: usize) -> #root::value::ValueRef<'_> {
                match column {
                    #(#values)*
                    _ => ::core::panic!("the group has no column {}", column),
                }
            }

            fn from_row(
                row: &dyn #root::model::Row,
                start: usize,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::result::Result::Ok(Self { #(#fields),* })
            }
        }

        #constants
    }
}

/// Creates a placeholder implementation for a group with mistakes.
fn stub(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, root) = (&input.ident, item_options::schema_crate(input));
    let constants = group_macro(ident, &input.vis, &root, std::iter::empty());
    quote! {
        #[automatically_derived]
        impl #root::column_group::ColumnGroup for #ident {
            const COLUMNS: &'static [#root::column::Column] = &[];

            fn value(&self, _: usize) -> #root::value::ValueRef<'_> {
                ::core::unreachable!("a group with a mistake does not compile")
            }

            fn from_row(
                _: &dyn #root::model::Row,
                _: usize,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::unreachable!("a group with a mistake does not compile")
            }
        }

        #constants
    }
}

/// Expands a macro of the group's name, which adds a constant per column to a model. The types are named through the
/// group, because the module of the model need not import them.
fn group_macro<'a>(
    ident: &Ident,
    visibility: &Visibility,
    root: &Path,
    fields: impl Iterator<Item = (&'a Visibility, &'a Ident, &'a Type)>,
) -> TokenStream {
    let (mut types, mut constants) = (Vec::new(), Vec::new());
    for (position, (visibility, field, ty)) in fields.enumerate() {
        let position = Literal::usize_unsuffixed(position);
        let name = constant_name(field);
        let doc = format!(" The column `{}`.", field.unraw());
        types.push(quote! {
            #[automatically_derived]
            impl #root::column_group::GroupColumn<#position> for #ident {
                type Type = #ty;
            }
        });
        constants.push(quote! {
            #[doc = #doc]
            #visibility const #name: #root::model::Field<
                $model,
                <$group as #root::column_group::GroupColumn<#position>>::Type,
            > = #root::model::Field::at($start + #position);
        });
    }
    let name = format_ident!("__columns_of_{}", ident.unraw());
    // A macro cannot be exported further without an attribute that would put it at the root of the crate.
    let visibility: Visibility = match visibility {
        Visibility::Public(_) => parse_quote!(pub(crate)),
        other => other.clone(),
    };
    quote! {
        #(#types)*

        #[doc(hidden)]
        #[allow(unused_macros, reason = "a group need not be used")]
        macro_rules! #name {
            ($model:ty, $group:ty, $start:expr) => {
                #[allow(dead_code, reason = "a model need not use every one of its columns")]
                impl $model {
                    #(#constants)*
                }
            };
        }
        #[allow(unused_imports, reason = "a group need not be used")]
        #visibility use #name as #ident;
    }
}
