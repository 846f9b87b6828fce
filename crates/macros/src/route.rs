//! `#[route]`: a view function outside of resources.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Item, ItemFn, Path};

use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::handler_call::{self, HandlerCall};
use crate::registration::RegistrationArguments;

const EXAMPLE: &str = "#[route(\"/status\")]";

/// Expands the attribute on an `async fn` into a unit struct of the same name, which is registered with the api.
pub(crate) fn attribute(arguments: TokenStream, item: Item) -> syn::Result<TokenStream> {
    let Item::Fn(function) = item else {
        return Err(syn::Error::new_spanned(item, "#[route] goes on an `async fn`"));
    };
    let mut diagnostics = Diagnostics::default();
    let registration = RegistrationArguments::parse(arguments, EXAMPLE, &mut diagnostics);
    let registration = diagnostics.take(registration);
    let blueprint = registration
        .as_ref()
        .and_then(|registration| diagnostics.take(blueprint(registration)));
    if let Some(span) = registration
        .as_ref()
        .and_then(RegistrationArguments::first_declaration)
    {
        let remedy = "the parameters of a view limit no rows: take this off";
        diagnostics.add_error(syn::Error::new(span, remedy));
    }
    if let Some(known) = &registration {
        for (name, _) in known.serializers.iter().chain(&known.policy) {
            diagnostics.add(
                name,
                "a view has no serializer and no policy of a model: take this off",
            );
        }
    }
    handler_call::check("the view", &function.sig, &mut diagnostics);
    let expanded = match (registration, blueprint) {
        (Some(registration), Some(blueprint)) if function.sig.asyncness.is_some() => {
            expand(&registration, blueprint.as_ref(), function, &mut diagnostics)
        }
        _ => quote!(#function),
    };
    let diagnostics = diagnostics.into_tokens();
    Ok(quote!(#diagnostics #expanded))
}

fn blueprint(registration: &RegistrationArguments) -> syn::Result<Option<Path>> {
    match registration.paths.as_slice() {
        [] => Ok(None),
        [blueprint] => Ok(Some(blueprint.clone())),
        [_, second, ..] => {
            let remedy = format!("only a blueprint may precede the URLs: write {EXAMPLE}");
            Err(syn::Error::new_spanned(second, remedy))
        }
    }
}

fn expand(
    registration: &RegistrationArguments,
    blueprint: Option<&Path>,
    mut function: ItemFn,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let ident = function.sig.ident.clone();
    let visibility = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    let docs = take(&mut function.attrs, "doc");
    let conditions = take(&mut function.attrs, "cfg");
    let decorators = decorators(registration);
    let call = HandlerCall::of(&function.sig, &ident);
    let state = registration.state(&call.states().collect::<Vec<_>>(), diagnostics);
    let (with_state, demanded) = RegistrationArguments::expand_state(&ident, state.as_ref());
    let text = docs::text(&docs);
    let endpoint = ident.unraw().to_string();
    let registered = registration.expand(&endpoint, blueprint, demanded, text.as_deref());
    let schemas = schemas(registration, &call, &ident);
    let binding = call.binding();
    let body = call.body(
        &quote!(#ident),
        &ident,
        &format_ident!("View", span = Span::call_site()),
    );
    let future = quote_spanned!(ident.span()=> ::std::boxed::Box::pin(async move { #body }));
    quote! {
        #(#docs)*
        #(#conditions)*
        #[allow(non_camel_case_types, reason = "it is registered by the name of its function")]
        #visibility struct #ident {}

        #(#conditions)*
        #[doc(hidden)]
        #visibility fn #ident() -> #ident {
            #ident {}
        }

        #(#conditions)*
        #with_state

        #(#conditions)*
        impl ::model_resource::expand::View for #ident {
            #registered

            #decorators

            #schemas

            fn call(
                #binding: ::model_resource::expand::Context,
            ) -> ::model_resource::expand::BoxFuture<
                ::model_resource::expand::Result<::model_resource::expand::Reply>,
            > {
                #function

                #future
            }
        }
    }
}

/// Creates the function that describes the arguments and the reply.
fn schemas(registration: &RegistrationArguments, call: &HandlerCall<'_>, this: &Ident) -> TokenStream {
    let schemas = call.schemas(this, &registration.schemas);
    quote! {
        fn schemas(schemas: &mut ::model_resource::expand::HandlerSchemas) {
            #schemas
        }
    }
}

/// Takes the attributes of this name off.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Vec<Attribute> {
    attributes
        .extract_if(.., |attribute| attribute.path().is_ident(name))
        .collect()
}

/// Creates the function that returns the guards and decorators.
fn decorators(registration: &RegistrationArguments) -> Option<TokenStream> {
    if registration.guards.is_none() && registration.decorators.is_none() {
        return None;
    }
    let listed = |option: &Option<(Ident, Vec<Expr>)>| match option {
        Some((_, listed)) => listed.clone(),
        None => Vec::new(),
    };
    // The span reports a value that is not a decorator at its position in the attribute.
    let guards = listed(&registration.guards)
        .into_iter()
        .map(|guard| quote_spanned!(guard.span()=> ::model_resource::expand::shared_guard(#guard)));
    let decorators = listed(&registration.decorators)
        .into_iter()
        .map(|decorator| quote_spanned!(decorator.span()=> ::model_resource::expand::shared(#decorator)));
    let all = guards.chain(decorators);
    Some(quote! {
        fn decorators() -> ::std::vec::Vec<::model_resource::expand::SharedDecorator> {
            ::std::vec![#(#all),*]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_is_answered_with_the_remedy() {
        for (arguments, item, remedy) in [
            ("\"/status\"", "struct Status;", "goes on an `async fn`"),
            ("\"/status\"", "fn status() {}", "write `async fn status`"),
            ("A, B, \"/status\"", "async fn status() {}", "only a blueprint"),
            ("", "async fn status() {}", "at least one URL"),
            (
                "\"/status\"",
                "async fn status(a: State<A>, b: State<B>) {}",
                "`state = AppState`",
            ),
        ] {
            let parsed = syn::parse_str(item).expect("an item");
            let expanded = attribute(arguments.parse().expect("tokens"), parsed);
            let expanded = expanded
                .unwrap_or_else(|error| error.to_compile_error())
                .to_string();
            assert!(expanded.contains(remedy), "{item}: {expanded}");
        }
    }
}
