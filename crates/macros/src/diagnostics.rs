//! Collected diagnostics, so that all mistakes are reported at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// A list of mistakes, each with the tokens at fault.
#[derive(Default)]
pub(crate) struct Diagnostics(Option<syn::Error>);

impl Diagnostics {
    /// Adds a mistake, reported at the tokens `at`.
    pub(crate) fn add(&mut self, at: impl ToTokens, message: impl Display) {
        self.add_error(syn::Error::new_spanned(at, message));
    }

    /// Adds a mistake that already has a span.
    pub(crate) fn add_error(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Returns the value of a result, or collects its error.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add_error(error)).ok()
    }

    /// Fails with all mistakes, if there are any.
    pub(crate) fn into_result(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }

    /// Converts the mistakes to compiler errors, which are emitted together with the partial expansion.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(|error| error.to_compile_error()).unwrap_or_default()
    }
}
