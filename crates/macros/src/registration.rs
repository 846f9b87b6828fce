//! The arguments of `#[model_resource(..)]` and `#[route(..)]`: blueprint, URLs, methods, endpoint, guards, decorators,
//! scopes.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Ident, LitStr, Path, Token, Type, bracketed, parenthesized, token};

use crate::diagnostics::Diagnostics;
use crate::suggest;
use crate::url;

const OPTIONS: &[&str] = &[
    "decorators",
    "endpoint",
    "guards",
    "methods",
    "policy",
    "scope",
    "serializer",
    "serializers",
    "state",
    "unscoped",
];
const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/// Parsed arguments of an attribute.
pub(crate) struct Registration {
    /// Paths before the URLs.
    pub(crate) paths: Vec<Path>,
    urls: Vec<LitStr>,
    methods: Option<Vec<Ident>>,
    endpoint: Option<LitStr>,
    /// Option name and decorators.
    pub(crate) decorators: Option<(Ident, Vec<Expr>)>,
    /// Option name and decorators that authorize callers.
    pub(crate) guards: Option<(Ident, Vec<Expr>)>,
    /// Options' names, and the serializers of the resource.
    pub(crate) serializers: Vec<(Ident, Type)>,
    /// The option's name, and the policy of the resource's model.
    pub(crate) policy: Option<(Ident, Type)>,
    /// Type of the api's state.
    state: Option<Type>,
    /// Parameters, and the foreign key chains by which they filter rows.
    scope: Vec<Scope>,
    /// Parameters that filter no rows.
    unscoped: Vec<LitStr>,
}

/// A parameter and the foreign key chain by which it filters rows: `user_id = "article_id.author_id"`.
struct Scope {
    parameter: Ident,
    path: LitStr,
}

/// One argument of an attribute.
enum Argument {
    Path(Path),
    Url(LitStr),
    Methods(Ident, Vec<Ident>),
    Endpoint(Ident, LitStr),
    Decorators(Ident, Vec<Expr>),
    Guards(Ident, Vec<Expr>),
    Serializers(Ident, Vec<Type>),
    Policy(Ident, Type),
    State(Ident, Type),
    Scope(Vec<Scope>),
    Unscoped(Vec<LitStr>),
}

impl Registration {
    /// Parses the arguments and checks the URLs; `example` shows the correct form of the attribute.
    pub(crate) fn parse(
        arguments: TokenStream,
        example: &str,
        complaints: &mut Diagnostics,
    ) -> syn::Result<Self> {
        let arguments = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments)?;
        let mut this = Self {
            paths: Vec::new(),
            urls: Vec::new(),
            methods: None,
            endpoint: None,
            decorators: None,
            guards: None,
            serializers: Vec::new(),
            policy: None,
            state: None,
            scope: Vec::new(),
            unscoped: Vec::new(),
        };
        for argument in arguments {
            this.add(argument, example, complaints);
        }
        if this.urls.is_empty() {
            let at = this.paths.last().map(|path| quote!(#path)).unwrap_or_default();
            complaints.add(at, format!("at least one URL is needed: write {example}"));
        }
        this.check(complaints);
        Ok(this)
    }

    fn add(&mut self, argument: Argument, example: &str, complaints: &mut Diagnostics) {
        match argument {
            Argument::Path(path) => {
                if !self.urls.is_empty() {
                    complaints.add(&path, format!("put this before the URLs: write {example}"));
                }
                self.paths.push(path);
            }
            Argument::Url(url) => self.urls.push(url),
            Argument::Methods(name, methods) => {
                if self.methods.replace(methods).is_some() {
                    complaints.add(name, "`methods` stands twice: keep one of them");
                }
            }
            Argument::Endpoint(name, endpoint) => {
                if self.endpoint.replace(endpoint).is_some() {
                    complaints.add(name, "`endpoint` stands twice: keep one of them");
                }
            }
            Argument::Serializers(name, serializers) => {
                let named = serializers
                    .into_iter()
                    .map(|serializer| (name.clone(), serializer));
                self.serializers.extend(named);
            }
            Argument::Policy(name, policy) => {
                if self.policy.replace((name.clone(), policy)).is_some() {
                    complaints.add(name, "`policy` is written twice: a model has one policy");
                }
            }
            Argument::State(name, state) => {
                if self.state.replace(state).is_some() {
                    complaints.add(name, "`state` stands twice: keep one of them");
                }
            }
            Argument::Scope(scope) => self.scope.extend(scope),
            Argument::Unscoped(parameters) => self.unscoped.extend(parameters),
            Argument::Decorators(name, decorators) => {
                if self.decorators.replace((name.clone(), decorators)).is_some() {
                    complaints.add(name, "`decorators` stands twice: put all of them into one list");
                }
            }
            Argument::Guards(name, guards) => {
                if self.guards.replace((name.clone(), guards)).is_some() {
                    complaints.add(name, "`guards` is written twice: put all of them into one list");
                }
            }
        }
    }

    fn check(&self, complaints: &mut Diagnostics) {
        for (position, url) in self.urls.iter().enumerate() {
            url::check(url, complaints);
            if self.urls[..position]
                .iter()
                .any(|earlier| earlier.value() == url.value())
            {
                complaints.add(url, "this URL stands twice: keep one of them");
            }
        }
        for method in self.methods.iter().flatten() {
            let name = method.to_string();
            if !METHODS.contains(&name.as_str()) {
                complaints.add(method, suggest::unknown("method", &name, METHODS));
            }
        }
        self.check_scopes(complaints);
        if let Some(endpoint) = self
            .endpoint
            .as_ref()
            .filter(|endpoint| endpoint.value().is_empty())
        {
            complaints.add(endpoint, "an endpoint has a name: write `endpoint = \"users\"`");
        }
    }

    /// Span of the first declaration about a parameter, if any.
    pub(crate) fn first_declaration(&self) -> Option<Span> {
        let scoped = self.scope.iter().map(|scope| scope.parameter.span());
        scoped.chain(self.unscoped.iter().map(LitStr::span)).next()
    }

    /// Reports parameters that are declared twice.
    fn check_scopes(&self, complaints: &mut Diagnostics) {
        let scoped = self
            .scope
            .iter()
            .map(|scope| (scope.parameter.to_string(), scope.parameter.span()));
        let unscoped = self.unscoped.iter().map(|name| (name.value(), name.span()));
        let mut known: Vec<String> = Vec::new();
        for (name, span) in scoped.chain(unscoped) {
            if known.contains(&name) {
                let remedy =
                    format!("the parameter `{name}` is declared twice: keep one of the declarations");
                complaints.add_error(syn::Error::new(span, remedy));
            }
            known.push(name);
        }
    }

    /// Returns the type of the api's state: the named one, or else the only `T` of the arguments `State<T>`.
    pub(crate) fn state(&self, taken: &[Type], complaints: &mut Diagnostics) -> Option<Type> {
        if self.state.is_some() {
            return self.state.clone();
        }
        let first = taken.first()?;
        let text = |ty: &Type| quote!(#ty).to_string();
        if let Some(other) = taken.iter().find(|other| text(other) != text(first)) {
            let remedy = "these states are of several types: name the api's state in the attribute, `state = AppState`, and \
                          implement `FromRef` for its parts";
            complaints.add(other, remedy);
        }
        Some(first.clone())
    }

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

    /// Expands the function that passes the arguments to the framework; `demanded` is an additional bound.
    pub(crate) fn expand(
        &self,
        default_endpoint: &str,
        blueprint: Option<&Path>,
        demanded: Option<TokenStream>,
    ) -> TokenStream {
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
            let pairs = self.scope.iter().map(|Scope { parameter, path }| {
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
                ::model_resource::expand::Registration::new(#endpoint, &[#(#urls),*])#blueprint #methods #demanded #scope #unscoped
            }
        }
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Argument::Url);
        }
        if input.peek(Ident) && input.peek2(token::Paren) {
            return Self::parse_declaration(input);
        }
        if !(input.peek(Ident) && input.peek2(Token![=])) {
            let expected = "expected a blueprint or a model, then URLs in quotes, then `methods = [..]` or `endpoint = \"..\"`";
            return input
                .parse()
                .map(Argument::Path)
                .map_err(|error| syn::Error::new(error.span(), expected));
        }
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        match name.to_string().as_str() {
            "methods" => {
                let remedy = "write a list of names: `methods = [GET, POST]`";
                list(input, remedy).map(|methods| Argument::Methods(name, methods))
            }
            "decorators" => {
                let remedy = "write a list of decorators: `decorators = [auth_required()]`";
                list(input, remedy).map(|decorators| Argument::Decorators(name, decorators))
            }
            "guards" => {
                let remedy = "write a list of decorators: `guards = [staff_only]`";
                list(input, remedy).map(|guards| Argument::Guards(name, guards))
            }
            "serializers" => {
                let remedy =
                    "write a list of serializers: `serializers = [UserSerializer, UserListSerializer]`";
                list(input, remedy).map(|serializers| Argument::Serializers(name, serializers))
            }
            "serializer" => match input.parse() {
                Ok(serializer) => Ok(Argument::Serializers(name, vec![serializer])),
                Err(error) => Err(syn::Error::new(
                    error.span(),
                    "write the type of the serializer: `serializer = UserSerializer`",
                )),
            },
            "policy" => match input.parse() {
                Ok(policy) => Ok(Argument::Policy(name, policy)),
                Err(error) => Err(syn::Error::new(
                    error.span(),
                    "write the type of the policy: `policy = UserPolicy`",
                )),
            },
            "state" => match input.parse() {
                Ok(state) => Ok(Argument::State(name, state)),
                Err(error) => Err(syn::Error::new(
                    error.span(),
                    "write the type of the api's state: `state = AppState`",
                )),
            },
            "scope" | "unscoped" => Err(syn::Error::new(
                name.span(),
                "write it in parentheses: `scope(user_id = \"article_id.author_id\")`, `unscoped(\"tenant\")`",
            )),
            "endpoint" => match input.parse() {
                Ok(endpoint) => Ok(Argument::Endpoint(name, endpoint)),
                Err(error) => Err(syn::Error::new(
                    error.span(),
                    "write the name in quotes: `endpoint = \"users\"`",
                )),
            },
            other => Err(syn::Error::new(
                name.span(),
                suggest::unknown("option", other, OPTIONS),
            )),
        }
    }
}

impl Argument {
    /// Parses a declaration about parameters: `scope(user_id = "article_id.author_id")` or `unscoped("tenant")`.
    fn parse_declaration(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        match name.to_string().as_str() {
            "scope" => {
                let remedy = "write parameters and chains of foreign keys: `scope(user_id = \"article_id.author_id\")`";
                items(&content, remedy).map(Argument::Scope)
            }
            "unscoped" => {
                let remedy = "write parameters in quotes: `unscoped(\"tenant\")`";
                items(&content, remedy).map(Argument::Unscoped)
            }
            other => Err(syn::Error::new(
                name.span(),
                suggest::unknown("option", other, OPTIONS),
            )),
        }
    }
}

impl Parse for Scope {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let parameter = input.parse()?;
        input.parse::<Token![=]>()?;
        let path = input.parse()?;
        Ok(Self { parameter, path })
    }
}

/// Parses at least one item, separated by commas; fails with the remedy.
fn items<T: Parse>(input: ParseStream<'_>, remedy: &str) -> syn::Result<Vec<T>> {
    let items = Punctuated::<T, Token![,]>::parse_terminated(input);
    match items {
        Ok(items) if !items.is_empty() => Ok(items.into_iter().collect()),
        Ok(_) => Err(syn::Error::new(input.span(), remedy)),
        Err(error) => Err(syn::Error::new(error.span(), remedy)),
    }
}

/// Parses items in brackets; fails with the remedy.
fn list<T: Parse>(input: ParseStream<'_>, remedy: &str) -> syn::Result<Vec<T>> {
    let items = |input: ParseStream<'_>| {
        let content;
        bracketed!(content in input);
        Punctuated::<T, Token![,]>::parse_terminated(&content)
    };
    items(input)
        .map(|items| items.into_iter().collect())
        .map_err(|error| syn::Error::new(error.span(), remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(arguments: TokenStream) -> Vec<String> {
        let mut complaints = Diagnostics::default();
        let parsed = Registration::parse(arguments, "#[route(\"/status\")]", &mut complaints);
        complaints.take(parsed);
        let errors = complaints.into_result().err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn good_arguments_are_taken() {
        let none: Vec<String> = Vec::new();
        assert_eq!(complaints(quote!("/a", "/b")), none);
        assert_eq!(
            complaints(quote!(
                SECURITY,
                models::User,
                "/a",
                methods = [GET, POST],
                endpoint = "a",
                decorators = [auth_required().role("admin"), counted],
                guards = [staff_only],
                scope(user_id = "article_id.author_id", category = "category_id.slug"),
                unscoped("tenant"),
            )),
            none
        );
    }

    #[test]
    fn each_mistake_is_answered_with_the_remedy() {
        for (arguments, remedy) in [
            (quote!(), "write #[route(\"/status\")]"),
            (quote!(User), "write #[route(\"/status\")]"),
            (quote!("/a", User), "put this before the URLs"),
            (quote!(12, "/a"), "expected a blueprint or a model"),
            (quote!("/a", "/a"), "stands twice"),
            (quote!("/a", methds = [GET]), "did you mean `methods`?"),
            (quote!("/a", methods = GET), "write a list of names"),
            (quote!("/a", methods = ["GET"]), "write a list of names"),
            (quote!("/a", methods = [CREATE]), "the methods are"),
            (quote!("/a", methods = [GET], methods = [PUT]), "keep one of them"),
            (quote!("/a", endpoint = a), "in quotes"),
            (quote!("/a", endpoint = ""), "has a name"),
            (quote!("/a", state = "A"), "write the type"),
            (quote!("/a", state = A, state = B), "keep one of them"),
            (
                quote!("/a", decorators = auth_required()),
                "write a list of decorators",
            ),
            (quote!("/a", decorators = [a], decorators = [b]), "into one list"),
            (quote!("/a", guards = staff_only), "write a list of decorators"),
            (quote!("/a", guards = [a], guards = [b]), "into one list"),
            (quote!("/a", guard = [a]), "did you mean `guards`?"),
            (quote!("/a", scope("user_id")), "write parameters and chains"),
            (quote!("/a", scope()), "write parameters and chains"),
            (quote!("/a", unscoped(tenant)), "write parameters in quotes"),
            (quote!("/a", unscoped = ["tenant"]), "in parentheses"),
            (quote!("/a", unscope("tenant")), "did you mean `unscoped`?"),
            (quote!("/a", scope(a = "b"), unscoped("a")), "is declared twice"),
        ] {
            let found = complaints(arguments.clone());
            assert!(
                matches!(found.as_slice(), [one] if one.contains(remedy)),
                "{arguments}: {found:?}"
            );
        }
    }
}
