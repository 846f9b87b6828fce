//! The mistakes found so far, so that a person reads all of them at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// A list of mistakes, each with the tokens at fault.
#[derive(Default)]
pub(crate) struct Diagnostics(Option<syn::Error>);

impl Diagnostics {
    /// Adds a mistake, to be shown under `at`.
    pub(crate) fn add(&mut self, at: impl ToTokens, message: impl Display) {
        self.add_error(syn::Error::new_spanned(at, message));
    }

    /// Adds a mistake that already knows its place.
    pub(crate) fn add_error(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Takes the value out of a result, or notes its mistake.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add_error(error)).ok()
    }

    /// Fails with every mistake, if there are any.
    pub(crate) fn into_result(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }

    /// The mistakes as compiler errors, to stand beside what could still be expanded.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(|error| error.to_compile_error()).unwrap_or_default()
    }
}
