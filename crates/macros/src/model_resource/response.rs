//! `#[response(..)]` above an operation: the type of its reply, for its documentation.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, Meta, Token, Type};

use crate::diagnostics::Diagnostics;
use crate::handler_call::NamedSchemas;

const REMEDY: &str = "write the type of the reply, `#[response(Created)]`, or of what it has beside the object of the \
                      serializer, `#[response(adds = Token)]`";

/// The argument of the attribute.
struct ResponseArgument {
    adds: bool,
    ty: Type,
}

impl Parse for ResponseArgument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let adds = input.peek(Ident) && input.peek2(Token![=]);
        if adds {
            let name: Ident = input.parse()?;
            if name != "adds" {
                return Err(syn::Error::new(name.span(), REMEDY));
            }
            input.parse::<Token![=]>()?;
        }
        let ty = input.parse()?;
        Ok(Self { adds, ty })
    }
}

/// Takes the attributes off, and returns the types that they name.
pub(super) fn take(attributes: &mut Vec<Attribute>, diagnostics: &mut Diagnostics) -> NamedSchemas {
    let mut named = NamedSchemas::default();
    for attribute in attributes.extract_if(.., |attribute| attribute.path().is_ident("response")) {
        let tokens = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        match syn::parse2::<ResponseArgument>(tokens) {
            Ok(ResponseArgument { adds: true, ty }) => named.adds = Some(ty),
            Ok(ResponseArgument { adds: false, ty }) => named.response = Some(ty),
            Err(_) => diagnostics.add(&attribute, REMEDY),
        }
    }
    named
}
