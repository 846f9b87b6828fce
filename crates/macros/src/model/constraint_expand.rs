//! Expansion of the constraints and indexes of a model.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::constraint::{ConstraintKind, ParsedConstraint};
use super::constraint_check::find;
use super::flatten;
use super::names::constant_name;
use super::parse::ParsedModel;

/// Expands the builder calls of the table.
pub(super) fn calls(model: &ParsedModel<'_>) -> TokenStream {
    let (mut uniques, mut indexes, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    for constraint in &model.constraints {
        match &constraint.kind {
            ConstraintKind::Unique => uniques.push(unique(model, constraint)),
            ConstraintKind::Index => indexes.push(index(model, constraint)),
            ConstraintKind::Check(name) => checks.push(check(model, constraint, &name.to_string())),
        }
    }
    let call = |call: TokenStream, given: Vec<TokenStream>| {
        (!given.is_empty()).then(|| quote!(.#call(&[#(#given),*])))
    };
    let calls = [
        call(quote!(uniques), uniques),
        call(quote!(indexes), indexes),
        call(quote!(checks), checks),
    ];
    calls.into_iter().flatten().collect()
}

fn unique(model: &ParsedModel<'_>, constraint: &ParsedConstraint) -> TokenStream {
    let root = &model.root;
    let columns = positions(model, constraint);
    let (filter, name, message) = (filter(model, constraint), name(constraint), message(constraint));
    quote!(#root::table_constraints::UniqueConstraint::new(&[#(#columns),*])#filter #name #message)
}

fn index(model: &ParsedModel<'_>, constraint: &ParsedConstraint) -> TokenStream {
    let root = &model.root;
    let columns = positions(model, constraint).into_iter().zip(&constraint.columns);
    let columns = columns.map(|(position, column)| {
        let order = if column.descending {
            quote!(descending)
        } else {
            quote!(ascending)
        };
        quote!(#root::table_constraints::IndexColumn::#order(#position))
    });
    let (filter, name) = (filter(model, constraint), name(constraint));
    quote!(#root::table_constraints::TableIndex::new(&[#(#columns),*])#filter #name)
}

fn check(model: &ParsedModel<'_>, constraint: &ParsedConstraint, name: &str) -> TokenStream {
    let root = &model.root;
    let (condition, message) = (condition(model, constraint), message(constraint));
    quote!(#root::table_constraints::CheckConstraint::new(#name, #condition)#message)
}

fn positions(model: &ParsedModel<'_>, constraint: &ParsedConstraint) -> Vec<TokenStream> {
    let columns = constraint.columns.iter();
    let positions = columns.map(|column| match find(model, &column.field) {
        Some((position, _)) => flatten::position(model, position),
        None => {
            let (ident, constant) = (model.ident, constant_name(&column.field));
            quote_spanned!(column.field.span()=> #ident::#constant.position())
        }
    });
    positions.collect()
}

fn filter(model: &ParsedModel<'_>, constraint: &ParsedConstraint) -> Option<TokenStream> {
    constraint.condition.as_ref()?;
    let condition = condition(model, constraint);
    Some(quote!(.filter(#condition)))
}

/// Expands a function that returns the condition, with the span of the expression, so that rustc reports errors there.
fn condition(model: &ParsedModel<'_>, constraint: &ParsedConstraint) -> TokenStream {
    let (root, ident, condition) = (&model.root, model.ident, &constraint.condition);
    let typed = quote_spanned! {condition.span()=>
        let condition: #root::query::Where<#ident> = #condition;
    };
    quote! {
        || -> #root::table_constraints::RowCondition {
            #typed
            condition.into_row_condition()
        }
    }
}

fn name(constraint: &ParsedConstraint) -> Option<TokenStream> {
    constraint.name.as_ref().map(|name| quote!(.name(#name)))
}

fn message(constraint: &ParsedConstraint) -> Option<TokenStream> {
    constraint.message.as_ref().map(|text| quote!(.message(#text)))
}
