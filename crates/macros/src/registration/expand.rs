//! Expansion of the arguments of `#[model_resource(..)]` and `#[route(..)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, LitStr, Path, Type};

use super::RegistrationArguments;
use super::argument::ParameterScope;

impl RegistrationArguments {
    /// Expands the implementation of the state trait for a resource or view, and the bound on the api's state.
    pub(crate) fn expand_state(this: &Ident, state: Option<&Type>) -> (TokenStream, Option<TokenStream>) {
        let demanded = state.map(|_| quote!(.state_of::<#this>()));
        let state = state.map_or_else(|| quote!(()), |state| quote!(#state));
        let implementation = quote! {
            impl ::model_resource::expand::WithState for #this {
                type State = #state;
            }
        };
        (implementation, demanded)
    }

    /// The function that registers the serializers and the policy of a resource.
    pub(crate) fn expand_components(&self) -> Option<TokenStream> {
        if self.serializers.is_empty() && self.policy.is_none() {
            return None;
        }
        let serializers = self
            .serializers
            .iter()
            .map(|(_, ty)| quote_spanned!(ty.span()=> components.serializer::<#ty>();));
        let policy = self
            .policy
            .iter()
            .map(|(_, ty)| quote_spanned!(ty.span()=> components.policy::<#ty>();));
        Some(quote! {
            fn components(components: &mut ::model_resource::expand::Components<Self::Model>) {
                #(#serializers)*
                #(#policy)*
            }
        })
    }

    /// Expands the function that passes the arguments to the framework; `demanded` is an additional bound, and `docs` the
    /// doc comment of the item.
    pub(crate) fn expand(
        &self,
        default_endpoint: &str,
        blueprint: Option<&Path>,
        demanded: Option<TokenStream>,
        docs: Option<&str>,
    ) -> TokenStream {
        let docs = docs.map(|text| quote!(.description(#text)));
        let endpoint = self
            .endpoint
            .as_ref()
            .map_or_else(|| default_endpoint.to_owned(), LitStr::value);
        let urls = &self.urls;
        let blueprint = blueprint.map(|blueprint| quote!(.blueprint(#blueprint)));
        let methods = self.methods.as_ref().map(|methods| {
            let names = methods.iter().map(Ident::to_string);
            quote!(.methods(&[#(#names),*]))
        });
        let scope = (!self.scope.is_empty()).then(|| {
            let pairs = self.scope.iter().map(|ParameterScope { parameter, path }| {
                let parameter = parameter.to_string();
                quote!((#parameter, #path))
            });
            quote!(.scope(&[#(#pairs),*]))
        });
        let unscoped = (!self.unscoped.is_empty()).then(|| {
            let parameters = &self.unscoped;
            quote!(.unscoped(&[#(#parameters),*]))
        });
        quote! {
            fn registration() -> ::model_resource::expand::Registration {
                ::model_resource::expand::Registration::new(#endpoint, &[#(#urls),*])#blueprint #methods #demanded #scope #unscoped #docs
            }
        }
    }
}
