//! Parsing of `message(unique = "..", ..)`, the custom texts of built-in messages.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Meta, Token};

use crate::diagnostics::Diagnostics;
use crate::suggest;

/// Codes of replaceable messages, and the options that they belong to.
const CODES: &[(&str, Option<&str>)] = &[
    ("choice", Some("choices")),
    ("decimal_places", Some("scale")),
    ("email", Some("email")),
    ("max", Some("max")),
    ("max_length", Some("max_length")),
    ("min", Some("min")),
    ("min_length", Some("min_length")),
    ("missing_reference", Some("references")),
    ("null", None),
    ("null_character", None),
    ("pattern", Some("pattern")),
    ("required", None),
    ("transition", Some("transitions")),
    ("type", None),
    ("unique", Some("unique")),
    ("whole_digits", Some("precision")),
];

/// Custom text of one message.
pub(super) struct ParsedMessage {
    pub(super) code: Ident,
    text: LitStr,
}

impl ParsedMessage {
    /// Option that causes the message; `None` if it needs no option.
    pub(super) fn option(&self) -> Option<&'static str> {
        let known = CODES.iter().find(|(code, _)| self.code == code);
        known.and_then(|(_, option)| *option)
    }
}

impl Parse for ParsedMessage {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // `type` is a keyword.
        let code = Ident::parse_any(input)?;
        input.parse::<Token![=]>()?;
        Ok(Self {
            code,
            text: input.parse()?,
        })
    }
}

/// Parses the option; reports every message that replaces nothing.
pub(super) fn read(option: &Meta) -> syn::Result<Vec<ParsedMessage>> {
    let remedy = || {
        let remedy = "write #[column(message(required = \"Please enter a title.\"))]";
        syn::Error::new_spanned(option, remedy)
    };
    let Meta::List(list) = option else {
        return Err(remedy());
    };
    let messages = list.parse_args_with(Punctuated::<ParsedMessage, Token![,]>::parse_terminated);
    let messages: Vec<ParsedMessage> = messages.map_err(|_| remedy())?.into_iter().collect();
    if messages.is_empty() {
        return Err(remedy());
    }
    let codes: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    let mut diagnostics = Diagnostics::default();
    for (position, message) in messages.iter().enumerate() {
        let code = message.code.to_string();
        if !codes.contains(&code.as_str()) {
            diagnostics.add(&message.code, suggest::unknown("message", &code, &codes));
        }
        if messages[..position].iter().any(|earlier| earlier.code == code) {
            diagnostics.add(&message.code, format!("`{code}` has two texts: keep one of them"));
        }
        if message.text.value().trim().is_empty() {
            diagnostics.add(&message.text, "a message is a sentence for the client: write it");
        }
    }
    diagnostics.into_result().map(|()| messages)
}

/// Formats the builder call of the messages.
pub(super) fn call(messages: &[ParsedMessage]) -> TokenStream {
    let entries = messages.iter().map(|ParsedMessage { code, text }| {
        let code = code.to_string();
        quote!((#code, #text))
    });
    quote!(.messages(&[#(#entries),*]))
}
