//! `#[derive(Model)]`: a plain struct becomes a table with its columns.

mod check;
mod column;
mod expand;
mod family;
mod literal;
mod parse;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::complaints::Complaints;

/// Implements `Row` and `Model` for the struct and gives it a constant per field.
pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut complaints = Complaints::default();
    let model = parse::model(input, &mut complaints)?;
    check::model(&model, &mut complaints);
    complaints.into_result()?;
    Ok(expand::model(&model))
}
