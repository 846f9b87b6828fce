//! Spans of generated tokens, so that rustc reports errors at the user's own tokens.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Returns the spans of the first and the last token; rustc joins them, which macros on stable Rust cannot.
pub(crate) fn ends(tokens: impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.into_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

/// Sets the span of all tokens.
pub(crate) fn placed(tokens: TokenStream, span: Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), placed(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(place).collect()
}
