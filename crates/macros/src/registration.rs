//! The arguments of `#[model_resource(..)]` and `#[route(..)]`: blueprint, URLs, methods, endpoint, guards, decorators,
//! scopes.

mod argument;
mod expand;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Path, Token, Type};

use self::argument::{AttributeArgument, ParameterScope};
use crate::diagnostics::Diagnostics;
use crate::handler_call::NamedSchemas;
use crate::suggest;
use crate::url;

const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/// Parsed arguments of an attribute.
pub(crate) struct RegistrationArguments {
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
    scope: Vec<ParameterScope>,
    /// Parameters that filter no rows.
    unscoped: Vec<LitStr>,
    /// Types of the body and the reply of a view, for its documentation.
    pub(crate) schemas: NamedSchemas,
    /// Names of the options about them.
    pub(crate) schema_options: Vec<Ident>,
}

impl RegistrationArguments {
    /// Parses the arguments and checks the URLs; `example` shows the correct form of the attribute.
    pub(crate) fn parse(
        arguments: TokenStream,
        example: &str,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        let arguments = Punctuated::<AttributeArgument, Token![,]>::parse_terminated.parse2(arguments)?;
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
            schemas: NamedSchemas::default(),
            schema_options: Vec::new(),
        };
        for argument in arguments {
            this.add(argument, example, diagnostics);
        }
        if this.urls.is_empty() {
            let at = this.paths.last().map(|path| quote!(#path)).unwrap_or_default();
            diagnostics.add(at, format!("at least one URL is needed: write {example}"));
        }
        this.check(diagnostics);
        Ok(this)
    }

    fn add(&mut self, argument: AttributeArgument, example: &str, diagnostics: &mut Diagnostics) {
        match argument {
            AttributeArgument::Path(path) => {
                if !self.urls.is_empty() {
                    diagnostics.add(&path, format!("put this before the URLs: write {example}"));
                }
                self.paths.push(path);
            }
            AttributeArgument::Url(url) => self.urls.push(url),
            AttributeArgument::Methods(name, methods) => {
                let remedy = "`methods` is written twice: keep one of them";
                set_once(&mut self.methods, methods, name, remedy, diagnostics);
            }
            AttributeArgument::Endpoint(name, endpoint) => {
                let remedy = "`endpoint` is written twice: keep one of them";
                set_once(&mut self.endpoint, endpoint, name, remedy, diagnostics);
            }
            AttributeArgument::State(name, state) => {
                let remedy = "`state` is written twice: keep one of them";
                set_once(&mut self.state, state, name, remedy, diagnostics);
            }
            AttributeArgument::Policy(name, policy) => {
                let remedy = "`policy` is written twice: a model has one policy";
                let policy = (name.clone(), policy);
                set_once(&mut self.policy, policy, name, remedy, diagnostics);
            }
            AttributeArgument::Decorators(name, decorators) => {
                let remedy = "`decorators` is written twice: put all of them into one list";
                let decorators = (name.clone(), decorators);
                set_once(&mut self.decorators, decorators, name, remedy, diagnostics);
            }
            AttributeArgument::Guards(name, guards) => {
                let remedy = "`guards` is written twice: put all of them into one list";
                let guards = (name.clone(), guards);
                set_once(&mut self.guards, guards, name, remedy, diagnostics);
            }
            AttributeArgument::Serializers(name, serializers) => {
                let named = serializers
                    .into_iter()
                    .map(|serializer| (name.clone(), serializer));
                self.serializers.extend(named);
            }
            AttributeArgument::Request(..)
            | AttributeArgument::Response(..)
            | AttributeArgument::Responses(..) => self.add_schema(argument, diagnostics),
            AttributeArgument::Scope(scope) => self.scope.extend(scope),
            AttributeArgument::Unscoped(parameters) => self.unscoped.extend(parameters),
        }
    }

    /// Adds an option about the documentation of a view.
    fn add_schema(&mut self, argument: AttributeArgument, diagnostics: &mut Diagnostics) {
        match argument {
            AttributeArgument::Request(name, request) => {
                let remedy = "`request` is written twice: keep one of them";
                self.schema_options.push(name.clone());
                set_once(&mut self.schemas.request, request, name, remedy, diagnostics);
            }
            AttributeArgument::Response(name, response) => {
                let remedy = "`response` is written twice: keep one of them";
                self.schema_options.push(name.clone());
                set_once(&mut self.schemas.response, response, name, remedy, diagnostics);
            }
            AttributeArgument::Responses(name, responses) => {
                self.schema_options.push(name);
                let responses = responses.into_iter();
                let named = responses.map(|named| (named.status, named.description));
                self.schemas.responses.extend(named);
            }
            _ => {}
        }
    }

    fn check(&self, diagnostics: &mut Diagnostics) {
        for (position, url) in self.urls.iter().enumerate() {
            url::check(url, diagnostics);
            if self.urls[..position]
                .iter()
                .any(|earlier| earlier.value() == url.value())
            {
                diagnostics.add(url, "this URL is written twice: keep one of them");
            }
        }
        for method in self.methods.iter().flatten() {
            let name = method.to_string();
            if !METHODS.contains(&name.as_str()) {
                diagnostics.add(method, suggest::unknown("method", &name, METHODS));
            }
        }
        self.check_scopes(diagnostics);
        if let Some(endpoint) = self
            .endpoint
            .as_ref()
            .filter(|endpoint| endpoint.value().is_empty())
        {
            diagnostics.add(endpoint, "an endpoint has a name: write `endpoint = \"users\"`");
        }
    }

    /// Span of the first declaration about a parameter, if any.
    pub(crate) fn first_declaration(&self) -> Option<Span> {
        let scoped = self.scope.iter().map(|scope| scope.parameter.span());
        scoped.chain(self.unscoped.iter().map(LitStr::span)).next()
    }

    /// Reports parameters that are declared twice.
    fn check_scopes(&self, diagnostics: &mut Diagnostics) {
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
                diagnostics.add_error(syn::Error::new(span, remedy));
            }
            known.push(name);
        }
    }

    /// Returns the type of the api's state: the named one, or else the only `T` of the arguments `State<T>`.
    pub(crate) fn state(&self, taken: &[Type], diagnostics: &mut Diagnostics) -> Option<Type> {
        if self.state.is_some() {
            return self.state.clone();
        }
        let first = taken.first()?;
        let text = |ty: &Type| quote!(#ty).to_string();
        if let Some(other) = taken.iter().find(|other| text(other) != text(first)) {
            let remedy = "these states are of several types: name the api's state in the attribute, `state = AppState`, and \
                          implement `FromRef` for its parts";
            diagnostics.add(other, remedy);
        }
        Some(first.clone())
    }
}

/// Sets an option; reports the remedy if it was set before.
fn set_once<T>(option: &mut Option<T>, value: T, name: Ident, remedy: &str, diagnostics: &mut Diagnostics) {
    if option.replace(value).is_some() {
        diagnostics.add(name, remedy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostics(arguments: TokenStream) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        let parsed = RegistrationArguments::parse(arguments, "#[route(\"/status\")]", &mut diagnostics);
        diagnostics.take(parsed);
        let errors = diagnostics.into_result().err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn good_arguments_are_taken() {
        let none: Vec<String> = Vec::new();
        assert_eq!(diagnostics(quote!("/a", "/b")), none);
        assert_eq!(
            diagnostics(quote!(
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
            (quote!("/a", "/a"), "is written twice"),
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
            let found = diagnostics(arguments.clone());
            assert!(
                matches!(found.as_slice(), [one] if one.contains(remedy)),
                "{arguments}: {found:?}"
            );
        }
    }
}
