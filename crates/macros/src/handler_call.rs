//! Calls of operations and views: each argument is extracted from the context by its type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{
    FnArg, GenericArgument, Ident, LitInt, LitStr, PathArguments, ReturnType, Signature, Type, TypeImplTrait,
};

use crate::diagnostics::Diagnostics;
use crate::span;

/// A function that the framework calls, and the types of its arguments.
pub(crate) struct HandlerCall<'a> {
    signature: &'a Signature,
    arguments: Vec<Argument>,
}

enum Argument {
    Context,
    /// Any other type, with `Self` replaced, because items inside functions cannot use it.
    Taken(Box<Type>),
}

/// Reports mistakes in the signature; `what` names the kind of function.
pub(crate) fn check(what: &str, signature: &Signature, diagnostics: &mut Diagnostics) {
    let name = &signature.ident;
    if signature.asyncness.is_none() {
        diagnostics.add(
            signature.fn_token,
            format!("{what} `{name}` is asynchronous: write `async fn {name}`"),
        );
    }
    if !signature.generics.params.is_empty() {
        let remedy = format!("{what} `{name}` has no type parameters: name the types it takes");
        diagnostics.add(&signature.generics, remedy);
    }
    let mut contexts = 0;
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let remedy =
                    format!("{what} `{name}` takes no `self`: take `cx: Context` and what else it needs");
                diagnostics.add(receiver, remedy);
            }
            FnArg::Typed(input) => {
                contexts += usize::from(is_context(&input.ty));
                if contexts > 1 && is_context(&input.ty) {
                    diagnostics.add(&input.ty, "there is one Context: take it once");
                }
            }
        }
    }
}

impl<'a> HandlerCall<'a> {
    /// Parses a checked signature; `this` is the type that replaces `Self`.
    pub(crate) fn of(signature: &'a Signature, this: &Ident) -> Self {
        let argument = |input: &FnArg| match input {
            FnArg::Typed(input) if !is_context(&input.ty) => {
                let mut ty = input.ty.clone();
                SelfAs(this).visit_type_mut(&mut ty);
                Argument::Taken(ty)
            }
            FnArg::Typed(_) | FnArg::Receiver(_) => Argument::Context,
        };
        Self {
            signature,
            arguments: signature.inputs.iter().map(argument).collect(),
        }
    }

    /// Types that are extracted from the context.
    pub(crate) fn taken(&self) -> impl Iterator<Item = &Type> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Taken(ty) => Some(&**ty),
            Argument::Context => None,
        })
    }

    /// Types `T` of the arguments `State<T>`.
    pub(crate) fn states(&self) -> impl Iterator<Item = Type> {
        self.taken().filter_map(state_type)
    }

    /// Return type, with `Self` replaced; `None` if there is none, or if it cannot be named (`impl Trait`).
    fn returned(&self, this: &Ident) -> Option<Type> {
        let ReturnType::Type(_, ty) = &self.signature.output else {
            return None;
        };
        let mut ty = (**ty).clone();
        SelfAs(this).visit_type_mut(&mut ty);
        let mut search = FindOpaque(false);
        search.visit_type_mut(&mut ty);
        (!search.0).then_some(ty)
    }

    /// Describes the arguments and the reply by their types; `named` is what an attribute says about them.
    pub(crate) fn schemas(&self, this: &Ident, named: &NamedSchemas) -> TokenStream {
        let probe = |ty: &Type| quote!(::model_resource::expand::schemas::Probe::<#ty>::new());
        let arguments = self.taken().map(|ty| {
            let probe = probe(ty);
            quote!((&&&#probe).argument(schemas);)
        });
        let reply = self.returned(this).map(|ty| {
            let probe = probe(&ty);
            quote!((&&&&(&&&(&&#probe).success()).data()).reply(schemas);)
        });
        let named = [
            (&named.request, quote!(request)),
            (&named.response, quote!(response)),
            (&named.adds, quote!(adds)),
        ]
        .into_iter()
        .filter_map(|(ty, method)| {
            let probe = probe(ty.as_ref()?);
            Some(quote!((&&&#probe).#method(schemas);))
        })
        .chain(
            named
                .responses
                .iter()
                .map(|(status, text)| quote!(schemas.add_response(#status, #text);)),
        );
        quote! {
            #[allow(unused_imports, reason = "a handler may have nothing to describe")]
            use ::model_resource::expand::schemas::traits::*;
            #(#arguments)*
            #reply
            #(#named)*
            let _ = schemas;
        }
    }

    /// Pattern that binds the context for [`HandlerCall::body`].
    pub(crate) fn binding(&self) -> TokenStream {
        match (self.taken().next(), self.arguments.first()) {
            (Some(_), _) => quote!(mut cx),
            (None, Some(_)) => quote!(cx),
            (None, None) => quote!(_),
        }
    }

    /// Extracts the arguments in order, ends the request if there are errors that `function` does not take, calls it,
    /// and converts its result to a reply.
    pub(crate) fn body(&self, function: &TokenStream, this: &Ident, operation: &Ident) -> TokenStream {
        let (mut lets, mut names) = (Vec::new(), Vec::new());
        for (position, argument) in self.arguments.iter().enumerate() {
            match argument {
                Argument::Context => names.push(quote!(cx)),
                Argument::Taken(ty) => {
                    let name = format_ident!("argument_{}", position + 1);
                    let value = item_of(ty, this, operation, quote!(from_context(&mut cx).await?));
                    lets.push(quote!(let #name = #value;));
                    names.push(quote!(#name));
                }
            }
        }
        let (start, end) = match &self.signature.output {
            ReturnType::Type(_, ty) => span::ends(ty),
            ReturnType::Default => span::ends(&self.signature.ident),
        };
        let call = span::placed(quote!(#function(#(#names),*)), start);
        let returned = quote_spanned! {end=> #call.await };
        // The span covers the return type, so that rustc reports a type that cannot be sent there.
        let value = quote_spanned!(start=> returned);
        let value = quote_spanned!(end=> #value.0);
        let decided =
            (!lets.is_empty()).then(|| quote!(::model_resource::expand::check_untaken_errors(&cx)?;));
        quote! {
            #(#lets)*
            #decided
            use ::model_resource::expand::returned::traits::*;
            let returned = #returned;
            let returned = (::model_resource::expand::returned::Returned::of(&returned).outcome().value(returned)?,);
            ::model_resource::expand::returned::Returned::of(&returned.0).kind().reply(#value)
        }
    }
}

/// Formats `<T as Argument<..>>::item`. The span covers the type, so that rustc reports one error there.
pub(crate) fn item_of(ty: &Type, this: &Ident, operation: &Ident, item: TokenStream) -> TokenStream {
    let (start, end) = span::ends(ty);
    let item = span::placed(item, end);
    let argument = quote_spanned! {start=>
        <#ty as ::model_resource::expand::Argument<#this, ::model_resource::expand::op::#operation, _>>
    };
    quote_spanned!(end=> #argument::#item)
}

/// Returns the `T` of `State<T>`.
fn state_type(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "State")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(state) => Some(state.clone()),
        _ => None,
    }
}

fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|name| name.ident == "Context"))
}

/// Types that an attribute names for the documentation of a handler.
#[derive(Default)]
pub(crate) struct NamedSchemas {
    pub(crate) request: Option<Type>,
    pub(crate) response: Option<Type>,
    /// Members that a reply has beside the object of the serializer.
    pub(crate) adds: Option<Type>,
    /// Status and text of other responses.
    pub(crate) responses: Vec<(LitInt, LitStr)>,
}

/// Whether a type contains `impl Trait`.
struct FindOpaque(bool);

impl VisitMut for FindOpaque {
    fn visit_type_impl_trait_mut(&mut self, _: &mut TypeImplTrait) {
        self.0 = true;
    }
}

struct SelfAs<'a>(&'a Ident);

impl VisitMut for SelfAs<'_> {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if ident == "Self" {
            *ident = Ident::new(&self.0.to_string(), ident.span());
        }
        visit_mut::visit_ident_mut(self, ident);
    }
}
