//! Parsing of `unique(..)`, `index(..)` and `check(..)` of a model.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Meta, Token};

use crate::schema_path;

/// A constraint or an index of a model.
pub(super) struct ParsedConstraint {
    pub(super) tokens: Meta,
    pub(super) kind: ConstraintKind,
    pub(super) columns: Vec<ConstraintColumn>,
    /// Condition of the rows, with the model's name instead of `Self`.
    pub(super) condition: Option<TokenStream>,
    pub(super) name: Option<LitStr>,
    pub(super) message: Option<LitStr>,
}

/// Kind of a constraint.
pub(super) enum ConstraintKind {
    Unique,
    Index,
    /// A check with its name.
    Check(Ident),
}

/// A column of a constraint.
pub(super) struct ConstraintColumn {
    pub(super) field: Ident,
    pub(super) descending: bool,
}

/// One part of a constraint.
enum Part {
    Column(ConstraintColumn),
    Where(Box<Expr>),
    Named(Ident, Box<Expr>),
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![where]) {
            input.parse::<Token![where]>()?;
            input.parse::<Token![=]>()?;
            return Ok(Part::Where(input.parse()?));
        }
        let name = Ident::parse_any(input)?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            return Ok(Part::Named(name, input.parse()?));
        }
        let order: Option<Ident> = input.parse()?;
        match order {
            Some(order) if order != "desc" && order != "asc" => Err(syn::Error::new(
                order.span(),
                format!("write `{name}` or `{name} desc`"),
            )),
            order => Ok(Part::Column(ConstraintColumn {
                field: name,
                descending: order.is_some_and(|order| order == "desc"),
            })),
        }
    }
}

const UNIQUE: &str = "unique(branch_id, barcode)` or `unique(copy_id, where = Loan::RETURNED_AT.is_null())";
const INDEX: &str = "index(branch_id, created_at desc)";
const CHECK: &str = "check(ends_after_start = Loan::ENDS_AT.gt_field(Loan::STARTS_AT), message = \"Must end after it starts.\")";

/// Parses one of the options.
pub(super) fn read(option: &Meta, model: &Ident) -> syn::Result<ParsedConstraint> {
    let word = schema_path::word(option.path());
    let example = match word.as_str() {
        "unique" => UNIQUE,
        "index" => INDEX,
        _ => CHECK,
    };
    let parts = match option {
        Meta::List(list) => list.parse_args_with(Punctuated::<Part, Token![,]>::parse_terminated),
        Meta::Path(_) | Meta::NameValue(_) => Err(remedy(option, example)),
    };
    let parts = parts.map_err(|error| {
        let text =
            format!("{error}: write `{example}` in #[model(..)], with the names of fields without quotes");
        syn::Error::new(error.span(), text)
    })?;
    let mut parsed = ParsedConstraint {
        tokens: option.clone(),
        kind: if word == "index" {
            ConstraintKind::Index
        } else {
            ConstraintKind::Unique
        },
        columns: Vec::new(),
        condition: None,
        name: None,
        message: None,
    };
    let mut check = None;
    for part in parts {
        match part {
            Part::Column(column) if word != "check" => parsed.columns.push(column),
            Part::Where(condition) if word != "check" && parsed.condition.is_none() => {
                parsed.condition = Some(with_model(condition.to_token_stream(), model));
            }
            Part::Named(name, text) if name == "name" && word != "check" => {
                parsed.name = Some(quoted(&text)?);
            }
            Part::Named(name, text) if name == "message" && word != "index" => {
                parsed.message = Some(quoted(&text)?);
            }
            Part::Named(name, condition) if word == "check" && check.is_none() => {
                parsed.condition = Some(with_model(condition.to_token_stream(), model));
                check = Some(name);
            }
            Part::Named(name, _) => return Err(remedy(name, example)),
            Part::Column(column) => return Err(remedy(column.field, example)),
            Part::Where(condition) => return Err(remedy(condition, example)),
        }
    }
    match (word.as_str(), check) {
        ("check", Some(name)) => parsed.kind = ConstraintKind::Check(name),
        ("check", None) => return Err(remedy(option, example)),
        _ if parsed.columns.is_empty() => return Err(remedy(option, example)),
        _ => {}
    }
    Ok(parsed)
}

fn remedy(at: impl ToTokens, example: &str) -> syn::Error {
    syn::Error::new_spanned(at, format!("write `{example}` in #[model(..)]"))
}

fn quoted(text: &Expr) -> syn::Result<LitStr> {
    let quoted: syn::Result<LitStr> = syn::parse2(text.to_token_stream());
    match quoted {
        Ok(quoted) if !quoted.value().trim().is_empty() => Ok(quoted),
        _ => Err(syn::Error::new_spanned(text, "write a text in quotes")),
    }
}

/// Replaces `Self`, which a static inside a function cannot use, by the model.
fn with_model(tokens: TokenStream, model: &Ident) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            TokenTree::Ident(Ident::new(&model.to_string(), ident.span()))
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), with_model(group.stream(), model));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    });
    replaced.collect()
}
