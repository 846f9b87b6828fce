//! Expansion of a resource: the trait's implementation, the registration of each operation, and the operations
//! themselves.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, ImplItem, ImplItemFn, Path};

use super::impl_block::ImplBlock;
use super::operation;
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::handler_call::{self, HandlerCall, NamedSchemas};
use crate::naming;
use crate::registration::RegistrationArguments;

/// A checked resource.
pub(super) struct Resource<'a> {
    pub(super) ident: &'a Ident,
    pub(super) registration: &'a RegistrationArguments,
    pub(super) blueprint: Option<Path>,
    pub(super) model: Path,
    /// Overriding block, if any.
    pub(super) block: Option<ImplBlock>,
    /// Doc comment of the struct or the block, if any.
    pub(super) docs: Option<String>,
}

/// Expands the implementations of the resource.
pub(super) fn resource(resource: &Resource<'_>, diagnostics: &mut Diagnostics) -> TokenStream {
    let Resource {
        ident,
        registration,
        model,
        block,
        ..
    } = resource;
    let endpoint = naming::snake_case(&ident.to_string());
    let operations = block.iter().flat_map(|block| &block.operations);
    let states = operations.flat_map(|operation| {
        HandlerCall::of(&operation.sig, ident)
            .states()
            .collect::<Vec<_>>()
    });
    let state = registration.state(&states.collect::<Vec<_>>(), diagnostics);
    let (with_state, demanded) = RegistrationArguments::expand_state(ident, state.as_ref());
    let components = registration.expand_components();
    let docs = resource.docs.as_deref();
    let registration = registration.expand(&endpoint, resource.blueprint.as_ref(), demanded, docs);
    let set_by_attribute = quote! {
        type Model = #model;

        #registration

        #components
    };
    match block {
        Some(block) => overriding(ident, block, &with_state, &set_by_attribute),
        None => quote! {
            #with_state

            impl ::model_resource::expand::ModelResource for #ident {
                #set_by_attribute
            }
        },
    }
}

/// Expands a resource with an `impl` block: the trait's items, and the operations and helpers as its own functions.
fn overriding(
    ident: &Ident,
    block: &ImplBlock,
    with_state: &TokenStream,
    set_by_attribute: &TokenStream,
) -> TokenStream {
    let ImplBlock {
        attributes,
        trait_,
        trait_items,
        operations,
        others,
        ..
    } = block;
    let overrides = overrides(ident, block);
    let functions = (operations.len() + others.len() > 0).then(|| {
        quote! {
            #(#attributes)*
            impl #ident {
                #(#operations)*
                #(#others)*
            }
        }
    });
    quote! {
        #(#attributes)*
        #with_state

        #(#attributes)*
        impl #trait_ for #ident {
            #set_by_attribute

            #(#trait_items)*

            #overrides
        }

        #functions
    }
}

/// Expands the function that registers the operations of the block, if it has any.
fn overrides(ident: &Ident, block: &ImplBlock) -> Option<TokenStream> {
    if block.operations.is_empty() {
        return None;
    }
    let is_decorators =
        |item: &ImplItem| matches!(item, ImplItem::Fn(function) if function.sig.ident == "method_decorators");
    let has_decorators = block.trait_items.iter().any(is_decorators);
    let hand_overs = block
        .operations
        .iter()
        .zip(&block.schemas)
        .map(|(operation, named)| hand_over(operation, named, ident, has_decorators));
    Some(quote! {
        fn operations(operations: &mut ::model_resource::expand::Overrides) {
            #(#hand_overs)*
        }
    })
}

/// Registers one operation with the framework, after checking that its loaders supply its arguments. A resource with
/// its own decorators may load by hand, so the framework checks it at registration instead.
fn hand_over(function: &ImplItemFn, named: &NamedSchemas, this: &Ident, has_decorators: bool) -> TokenStream {
    let name = &function.sig.ident;
    let variant = operation::variant(name);
    let call = HandlerCall::of(&function.sig, this);
    let remedy = format!(
        "`{name}` takes what its loaders load, but INCLUDE_DECORATORS or EXCLUDE_DECORATORS switch them off: take \
         `Params` instead, or load by hand in a decorator"
    );
    let checks = call.taken().map(|ty| {
        let loaded = handler_call::item_of(ty, this, &variant, quote!(LOADED));
        let operation = quote!(::model_resource::expand::Operation::#variant);
        let takes = quote_spanned!(ty.span()=> operations.takes_loaded(#operation, #loaded););
        if has_decorators {
            return takes;
        }
        quote_spanned! {ty.span()=>
            const _: () = ::core::assert!(
                !#loaded || ::model_resource::expand::loads::<#this>(#operation),
                #remedy
            );
            #takes
        }
    });
    let conditions = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    let docs = docs::text(&function.attrs)
        .map(|text| quote!(operations.describe(::model_resource::expand::Operation::#variant, #text);));
    let schemas = call.schemas(this, named);
    let binding = call.binding();
    let body = call.body(&quote!(#this::#name), this, &variant);
    // The span reports a future that is not `Send` at the operation's name.
    let set = quote_spanned! {name.span()=>
        operations.set(
            ::model_resource::expand::Operation::#variant,
            |#binding: ::model_resource::expand::Context| async move { #body },
        );
    };
    quote! {
        #(#conditions)*
        {
            #(#checks)*
            #docs
            operations.schemas(::model_resource::expand::Operation::#variant, |schemas| { #schemas });
            #set
        }
    }
}
