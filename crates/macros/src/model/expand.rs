//! Expansion of a model: the table, the row, and a constant per field.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type, Visibility};

use super::column::{ColumnOption, KeySource, ParsedColumn, ParsedOnDelete, Setting};
use super::constraint_expand;
use super::flatten;
use super::message;
use super::names::constant_name;
use super::parse::ParsedModel;
use super::transition;
use super::type_family::TypeFamily;
use crate::span;

/// Expands the implementations of the model.
pub(super) fn model(model: &ParsedModel<'_>) -> TokenStream {
    let root = &model.root;
    let checks = model.columns.iter().flat_map(|column| {
        let options = column.options.iter();
        options.filter_map(|option| enum_check(root, column, option))
    });
    let constants = model
        .columns
        .iter()
        .enumerate()
        .map(|(position, column)| constant(model, position, column));
    let own = own_items(model.ident, model.visibility, root, constants);
    let (row, implementation) = (row(model), implementation(model));
    let of_groups = flatten::constants(model);
    quote! {
        #(#checks)*

        #row

        #implementation

        #own

        #of_groups
    }
}

/// Expands `Row`: the value of each column.
fn row(model: &ParsedModel<'_>) -> TokenStream {
    let ParsedModel {
        ident, table, root, ..
    } = model;
    let values = model.columns.iter().enumerate().map(|(position, column)| {
        let (field, trait_) = (column.ident, column_type(root, column.ty));
        let value = quote_spanned!(column.ty.span()=> #trait_::to_value(&self.#field));
        if model.groups.is_empty() {
            let position = Literal::usize_unsuffixed(position);
            return quote!(#position => #value,);
        }
        let position = flatten::position(model, position);
        quote!(_ if column == #position => #value,)
    });
    let of_groups = model.groups.iter().enumerate().map(|(position, group)| {
        let (field, trait_, end) = (
            group.ident,
            flatten::group_type(root, group),
            flatten::end(model, position),
        );
        if position == 0 && group.own_before == 0 {
            return quote!(_ if column < #end => #trait_::value(&self.#field, column),);
        }
        let start = flatten::start(model, position);
        quote! {
            _ if column >= #start && column < #end => {
                #trait_::value(&self.#field, column - (#start))
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #root::model::Row for #ident {
            fn value(&self, column: usize) -> #root::value::ValueRef<'_> {
                match column {
                    #(#values)*
                    #(#of_groups)*
                    _ => ::core::panic!("the table `{}` has no column {}", #table, column),
                }
            }
        }
    }
}

/// Expands `Model`: the table, and the instance of a row.
fn implementation(model: &ParsedModel<'_>) -> TokenStream {
    let ParsedModel {
        ident, table, root, ..
    } = model;
    let name = ident.unraw().to_string();
    let columns = columns(model);
    let snake_case = model.accepts_snake_case.then(|| quote!(.accept_snake_case()));
    let view = model.is_view.then(|| quote!(.view()));
    let docs = model.docs.as_ref().map(|text| quote!(.description(#text)));
    let constraints = constraint_expand::calls(model);
    let fields = model.columns.iter().enumerate().map(|(position, column)| {
        let (field, trait_) = (column.ident, column_type(root, column.ty));
        let position = flatten::position(model, position);
        let value = quote_spanned!(column.ty.span()=> #trait_::from_value(row.value(#position))?);
        quote!(#field: #value)
    });
    let groups = model.groups.iter().enumerate().map(|(position, group)| {
        let (field, trait_, start) = (
            group.ident,
            flatten::group_type(root, group),
            flatten::start(model, position),
        );
        quote!(#field: #trait_::from_row(row, #start)?)
    });
    quote! {
        #[automatically_derived]
        impl #root::model::Model for #ident {
            fn table() -> &'static #root::column::Table {
                static TABLE: #root::column::Table =
                    #root::column::Table::new(#table, #name, &#columns)#snake_case #view #docs #constraints;
                &TABLE
            }

            fn from_row(
                row: &dyn #root::model::Row,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::result::Result::Ok(Self { #(#fields,)* #(#groups,)* })
            }
        }
    }
}

/// Expands the array of columns.
fn columns(model: &ParsedModel<'_>) -> TokenStream {
    let mut columns: Vec<TokenStream> = model
        .columns
        .iter()
        .map(|column| describe(model, column))
        .collect();
    if model.groups.is_empty() {
        return quote!([#(#columns),*]);
    }
    let (root, length) = (&model.root, flatten::length(model));
    let mut parts = Vec::new();
    for group in model.groups.iter().rev() {
        let (after, trait_) = (
            columns.split_off(group.own_before),
            flatten::group_type(root, group),
        );
        parts.push(quote!(&[#(#after),*]));
        parts.push(quote!(#trait_::COLUMNS));
    }
    parts.push(quote!(&[#(#columns),*]));
    parts.reverse();
    quote!(#root::column_group::join::<{ #length }>(&[#(#parts),*]))
}

/// Expands the struct's own items: a constant per field, and `query`.
pub(super) fn own_items(
    ident: &Ident,
    visibility: &Visibility,
    root: &Path,
    constants: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "a model need not use every one of its columns")]
        impl #ident {
            #(#constants)*

            /// A query for all rows of the model, in the order of their primary keys.
            #visibility fn query() -> #root::query::Query<Self> {
                #root::query::Query::new()
            }
        }
    }
}

/// Makes rustc reject a text option on an enum. Only the type's `DATA_TYPE` tells that it is one.
fn enum_check(root: &Path, column: &ParsedColumn<'_>, option: &ColumnOption) -> Option<TokenStream> {
    let is_of_texts = matches!(
        &option.setting,
        Setting::Choices(_)
            | Setting::Pattern(_)
            | Setting::Email
            | Setting::Trim
            | Setting::Lowercase
            | Setting::Nfc
            | Setting::MinLength(_)
            | Setting::MaxLength(_)
    );
    if !is_of_texts || TypeFamily::of(column.ty) != TypeFamily::Own {
        return None;
    }
    let trait_ = column_type(root, column.ty);
    let remedy = format!(
        "`{}` is not for an enum column, which takes the names of the enum's variants: remove it, and rename a variant by \
         #[column(name = \"..\")] in the enum",
        option.name()
    );
    Some(quote_spanned! {option.tokens.span()=>
        const _: () = ::core::assert!(!::core::matches!(#trait_::DATA_TYPE, #root::data_type::DataType::Enum(_)), #remedy);
    })
}

/// Formats `<T as ColumnType>`, with the span of the type, so that rustc reports errors there.
pub(super) fn column_type(root: &Path, ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as #root::column_type::ColumnType>)
}

fn constant(model: &ParsedModel<'_>, position: usize, column: &ParsedColumn<'_>) -> TokenStream {
    let (model_ident, root) = (model.ident, &model.root);
    let ParsedColumn {
        visibility,
        ident,
        ty,
        ..
    } = column;
    let name = constant_name(ident);
    let doc = format!(" The column `{}`.", ident.unraw());
    let position = flatten::position(model, position);
    let (start, _) = span::ends(ty);
    let at = span::placed(quote!(#root::model::Field::at(#position)), start);
    quote! {
        #[doc = #doc]
        #visibility const #name: #root::model::Field<#model_ident, #ty> = #at;
    }
}

pub(super) fn describe(model: &ParsedModel<'_>, column: &ParsedColumn<'_>) -> TokenStream {
    let root = &model.root;
    let name = column.ident.unraw().to_string();
    let trait_ = column_type(root, column.ty);
    let kind = quote_spanned!(column.ty.span()=> #trait_::DATA_TYPE);
    let nullable = quote_spanned!(column.ty.span()=> #trait_::NULLABLE);
    let check = quote_spanned!(column.ty.span()=> #trait_::CHECK);
    let mut calls: Vec<TokenStream> = column
        .options
        .iter()
        .filter_map(|option| call(root, column, &option.setting))
        .collect();
    calls.extend(decimal(column));
    calls.extend(references(model, column));
    calls.extend(column.docs.as_ref().map(|text| quote!(.description(#text))));
    if matches!(TypeFamily::of(column.ty), TypeFamily::Own | TypeFamily::Json) {
        let normalization = quote_spanned!(column.ty.span()=> #trait_::NORMALIZE);
        calls.push(quote!(.type_normalization(#normalization)));
    }
    if TypeFamily::of(column.ty) == TypeFamily::Own {
        let values = quote_spanned!(column.ty.span()=> #trait_::VALUE_DESCRIPTIONS);
        calls.push(quote!(.value_descriptions(#values)));
        let postgres_type = quote_spanned!(column.ty.span()=> #trait_::POSTGRES_TYPE);
        calls.push(quote!(.postgres_type(#postgres_type)));
    }
    quote!(#root::column::Column::new(#name, #kind).nullable(#nullable).type_check(#check)#(#calls)*)
}

/// Formats the builder call of a single option.
fn call(root: &Path, column: &ParsedColumn<'_>, setting: &Setting) -> Option<TokenStream> {
    Some(match setting {
        Setting::PrimaryKey(assigned) => {
            let generation = key_generation(root, column.ty, *assigned);
            quote!(.role(#root::column::ColumnRole::PrimaryKey(#generation)))
        }
        Setting::Created => quote!(.role(#root::column::ColumnRole::Created)),
        Setting::Updated => quote!(.role(#root::column::ColumnRole::Updated)),
        Setting::Version => quote!(.role(#root::column::ColumnRole::Version)),
        Setting::SoftDelete => quote!(.role(#root::column::ColumnRole::Deleted)),
        Setting::Slug(slug) => {
            let from = slug.from.unraw().to_string();
            let role = format_ident!("{}", if slug.is_stable { "StableSlug" } else { "Slug" });
            quote!(.role(#root::column::ColumnRole::#role(#from)))
        }
        Setting::Transitions(steps) => transition::call(root, column.ty, steps),
        Setting::Unique => quote!(.unique()),
        Setting::Email => quote!(.email()),
        Setting::Hidden => quote!(.hidden()),
        Setting::Label => quote!(.as_label()),
        Setting::Trim => quote!(.trim()),
        Setting::Lowercase => quote!(.lowercase()),
        Setting::Nfc => quote!(.nfc()),
        Setting::JsonName(name) => quote!(.json_name(#name)),
        Setting::DatabaseName(name) => quote!(.database_name(#name)),
        Setting::Messages(messages) => message::call(messages),
        Setting::MinLength(length) => quote!(.min_length(#length)),
        Setting::MaxLength(length) => quote!(.max_length(#length)),
        Setting::Min(literal) => {
            let text = &literal.text;
            quote!(.min(#text))
        }
        Setting::Max(literal) => {
            let text = &literal.text;
            quote!(.max(#text))
        }
        Setting::Default(literal) => {
            let text = &literal.text;
            quote!(.default(#text))
        }
        Setting::Pattern(pattern) => quote!(.pattern(#pattern)),
        Setting::Choices(choices) => quote!(.choices(&[#(#choices),*])),
        Setting::Flatten
        | Setting::References(_)
        | Setting::OnDelete(_)
        | Setting::Precision(_)
        | Setting::Scale(_) => {
            return None;
        }
    })
}

fn key_generation(root: &Path, ty: &Type, assigned: KeySource) -> TokenStream {
    let generation = quote!(#root::column::KeyGeneration);
    match (assigned, TypeFamily::of(ty)) {
        (KeySource::Client, _) => quote!(#generation::Client),
        (KeySource::ByType, TypeFamily::Uuid) => quote!(#generation::UuidV7),
        (KeySource::ByType, TypeFamily::Own) => {
            let trait_ = column_type(root, ty);
            quote_spanned!(ty.span()=> #generation::of(#trait_::DATA_TYPE))
        }
        (KeySource::ByType, _) => quote!(#generation::AutoIncrement),
    }
}

fn decimal(column: &ParsedColumn<'_>) -> Option<TokenStream> {
    let precision = column.find(|setting| match setting {
        Setting::Precision(digits) => Some(digits),
        _ => None,
    })?;
    let scale = column.find(|setting| match setting {
        Setting::Scale(digits) => Some(digits),
        _ => None,
    })?;
    Some(quote_spanned!(precision.span()=> .decimal(#precision, #scale)))
}

fn references(model: &ParsedModel<'_>, column: &ParsedColumn<'_>) -> Option<TokenStream> {
    let (root, this) = (&model.root, model.ident);
    let other = column.find(|setting| match setting {
        Setting::References(path) => Some(path),
        _ => None,
    })?;
    let on_delete = column.find(|setting| match setting {
        Setting::OnDelete(on_delete) => Some(*on_delete),
        _ => None,
    });
    let on_delete = match on_delete.unwrap_or(ParsedOnDelete::Restrict) {
        ParsedOnDelete::Restrict => quote!(Restrict),
        ParsedOnDelete::Cascade => quote!(Cascade),
        ParsedOnDelete::SetNull => quote!(SetNull),
    };
    // A static inside a function cannot use `Self`.
    let other = if other.is_ident("Self") {
        quote!(#this)
    } else {
        quote!(#other)
    };
    Some(quote_spanned! {other.span()=>
        .references(<#other as #root::model::Model>::table, #root::column::OnDelete::#on_delete)
    })
}
