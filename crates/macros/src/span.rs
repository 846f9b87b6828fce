//! Where generated tokens pretend to stand, so that rustc complains under the user's own.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// The places of the first and the last token; rustc joins them, macros on stable Rust cannot.
pub(crate) fn ends(tokens: impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.into_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

/// The same tokens, all of them at one place.
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
