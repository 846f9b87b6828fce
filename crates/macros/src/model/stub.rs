//! Placeholder implementations for a struct whose attributes have mistakes.
//!
//! Without them, rustc would also report that the struct is not a model wherever it is used.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Field, Path};

use super::names::constant_name;
use super::{column, expand, parse};
use crate::diagnostics::Diagnostics;

/// Implements `Row` and `Model` with bodies that never run, and adds the constants.
pub(super) fn model(input: &DeriveInput) -> TokenStream {
    // An implementation for a generic type would need bounds, and cause further errors.
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, visibility, root) = (&input.ident, &input.vis, parse::schema_crate(input));
    let constants = fields(input).filter_map(|field| constant(input, &root, field));
    let own = expand::own_items(ident, visibility, &root, constants);
    quote! {
        #[automatically_derived]
        impl #root::model::Row for #ident {
            fn value(&self, _: usize) -> #root::value::ValueRef<'_> {
                ::core::unreachable!("a model with a mistake does not compile")
            }
        }

        #[automatically_derived]
        impl #root::model::Model for #ident {
            fn table() -> &'static #root::column::Table {
                ::core::unreachable!("a model with a mistake does not compile")
            }

            fn from_row(
                _: &dyn #root::model::Row,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::unreachable!("a model with a mistake does not compile")
            }
        }

        #own
    }
}

fn fields(input: &DeriveInput) -> impl Iterator<Item = &Field> {
    let fields = match &input.data {
        Data::Struct(data) => Some(data.fields.iter()),
        Data::Enum(_) | Data::Union(_) => None,
    };
    fields.into_iter().flatten()
}

fn constant(input: &DeriveInput, root: &Path, field: &Field) -> Option<TokenStream> {
    let (model, visibility, ty) = (&input.ident, &field.vis, &field.ty);
    let ident = field.ident.as_ref()?;
    // The constants of a group need its macro, which may have mistakes of its own.
    if column::read(field, &mut Diagnostics::default()).has("flatten") {
        return None;
    }
    let name = constant_name(ident);
    Some(quote! {
        #visibility const #name: #root::model::Field<#model, #ty> = #root::model::Field::at(0);
    })
}
