//! One argument of `#[model_resource(..)]` or `#[route(..)]`, and its syntax.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitInt, LitStr, Path, Token, Type, bracketed, parenthesized, token};

use crate::suggest;

const OPTIONS: &[&str] = &[
    "decorators",
    "endpoint",
    "guards",
    "methods",
    "policy",
    "request",
    "response",
    "responses",
    "scope",
    "serializer",
    "serializers",
    "state",
    "unscoped",
];

/// One argument of an attribute.
pub(super) enum AttributeArgument {
    Path(Path),
    Url(LitStr),
    Methods(Ident, Vec<Ident>),
    Endpoint(Ident, LitStr),
    Decorators(Ident, Vec<Expr>),
    Guards(Ident, Vec<Expr>),
    Serializers(Ident, Vec<Type>),
    Policy(Ident, Type),
    State(Ident, Type),
    Request(Ident, Type),
    Response(Ident, Type),
    Responses(Ident, Vec<NamedResponse>),
    Scope(Vec<ParameterScope>),
    Unscoped(Vec<LitStr>),
}

/// A parameter and the foreign key chain by which it filters rows: `user_id = "article_id.author_id"`.
pub(super) struct ParameterScope {
    pub(super) parameter: Ident,
    pub(super) path: LitStr,
}

/// Status and description of a response: `(409, "The name is taken.")`.
pub(super) struct NamedResponse {
    pub(super) status: LitInt,
    pub(super) description: LitStr,
}

impl Parse for NamedResponse {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        parenthesized!(content in input);
        let status: LitInt = content.parse()?;
        content.parse::<Token![,]>()?;
        let description = content.parse()?;
        match status.base10_parse::<u16>() {
            Ok(100..=599) => Ok(Self { status, description }),
            _ => Err(syn::Error::new(status.span(), "a status is between 100 and 599")),
        }
    }
}

impl Parse for AttributeArgument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(AttributeArgument::Url);
        }
        if input.peek(Ident) && input.peek2(token::Paren) {
            return Self::parse_declaration(input);
        }
        if input.peek(Ident) && input.peek2(Token![=]) {
            return Self::parse_option(input);
        }
        let expected = "expected a blueprint or a model, then URLs in quotes, then `methods = [..]` or `endpoint = \"..\"`";
        value(input, expected).map(AttributeArgument::Path)
    }
}

impl AttributeArgument {
    /// Parses an option with a value: `methods = [GET]` or `policy = UserPolicy`.
    fn parse_option(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        match name.to_string().as_str() {
            "methods" => {
                let remedy = "write a list of names: `methods = [GET, POST]`";
                list(input, remedy).map(|methods| AttributeArgument::Methods(name, methods))
            }
            "decorators" => {
                let remedy = "write a list of decorators: `decorators = [auth_required()]`";
                list(input, remedy).map(|decorators| AttributeArgument::Decorators(name, decorators))
            }
            "guards" => {
                let remedy = "write a list of decorators: `guards = [staff_only]`";
                list(input, remedy).map(|guards| AttributeArgument::Guards(name, guards))
            }
            "serializers" => {
                let remedy =
                    "write a list of serializers: `serializers = [UserSerializer, UserListSerializer]`";
                list(input, remedy).map(|serializers| AttributeArgument::Serializers(name, serializers))
            }
            "serializer" => {
                let remedy = "write the type of the serializer: `serializer = UserSerializer`";
                value(input, remedy).map(|serializer| AttributeArgument::Serializers(name, vec![serializer]))
            }
            "policy" => {
                let remedy = "write the type of the policy: `policy = UserPolicy`";
                value(input, remedy).map(|policy| AttributeArgument::Policy(name, policy))
            }
            "state" => {
                let remedy = "write the type of the api's state: `state = AppState`";
                value(input, remedy).map(|state| AttributeArgument::State(name, state))
            }
            "request" => {
                let remedy = "write the type of the body: `request = Login`";
                value(input, remedy).map(|request| AttributeArgument::Request(name, request))
            }
            "response" => {
                let remedy = "write the type of the reply: `response = Status`";
                value(input, remedy).map(|response| AttributeArgument::Response(name, response))
            }
            "responses" => {
                let remedy =
                    "write a list of statuses and texts: `responses = [(409, \"The name is taken.\")]`";
                list(input, remedy).map(|responses| AttributeArgument::Responses(name, responses))
            }
            "endpoint" => {
                let remedy = "write the name in quotes: `endpoint = \"users\"`";
                value(input, remedy).map(|endpoint| AttributeArgument::Endpoint(name, endpoint))
            }
            "scope" | "unscoped" => Err(syn::Error::new(
                name.span(),
                "write it in parentheses: `scope(user_id = \"article_id.author_id\")`, `unscoped(\"tenant\")`",
            )),
            _ => Err(unknown(&name)),
        }
    }

    /// Parses a declaration about parameters: `scope(user_id = "article_id.author_id")` or `unscoped("tenant")`.
    fn parse_declaration(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        let content;
        parenthesized!(content in input);
        match name.to_string().as_str() {
            "scope" => {
                let remedy = "write parameters and chains of foreign keys: `scope(user_id = \"article_id.author_id\")`";
                items(&content, remedy).map(AttributeArgument::Scope)
            }
            "unscoped" => {
                let remedy = "write parameters in quotes: `unscoped(\"tenant\")`";
                items(&content, remedy).map(AttributeArgument::Unscoped)
            }
            _ => Err(unknown(&name)),
        }
    }
}

impl Parse for ParameterScope {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let parameter = input.parse()?;
        input.parse::<Token![=]>()?;
        let path = input.parse()?;
        Ok(Self { parameter, path })
    }
}

/// Error for an option that does not exist.
fn unknown(option: &Ident) -> syn::Error {
    let message = suggest::unknown("option", &option.to_string(), OPTIONS);
    syn::Error::new(option.span(), message)
}

/// Parses one value; fails with the remedy.
fn value<T: Parse>(input: ParseStream<'_>, remedy: &str) -> syn::Result<T> {
    input
        .parse()
        .map_err(|error| syn::Error::new(error.span(), remedy))
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
