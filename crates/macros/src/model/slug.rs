//! Parsing of `slug(from = title)`, and of the notations of other frameworks.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, Meta, Token};

use crate::schema_path;

const EXAMPLE: &str = "slug(from = title)";

/// A slug: its source field, and whether it is stable.
pub(super) struct Slug {
    pub(super) from: Ident,
    pub(super) is_stable: bool,
}

/// A field's name, bare or in quotation marks.
enum Source {
    Bare(Ident),
    Quoted(Ident),
}

/// Parses the option. The error shows the correct form for the named field.
pub(super) fn read(option: &Meta) -> syn::Result<Slug> {
    let list = match option {
        Meta::List(list) => list,
        Meta::NameValue(pair) => return Err(misplaced(option, Some(&pair.value))),
        Meta::Path(_) => return Err(remedy(option, EXAMPLE)),
    };
    let inside = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let (mut from, mut is_stable) = (None, false);
    for inner in inside.map_err(|_| misplaced(option, list.parse_args().ok().as_ref()))? {
        match (schema_path::word(inner.path()).as_str(), &inner) {
            ("from", Meta::NameValue(pair)) if from.is_none() => from = Some(source(&pair.value)?),
            ("stable", Meta::Path(_)) => is_stable = true,
            (_, Meta::NameValue(pair)) if from.is_none() => {
                return Err(misplaced(&inner, Some(&pair.value)));
            }
            (name, Meta::Path(_)) if from.is_none() && name != "from" => {
                return Err(remedy(&inner, &format!("slug(from = {name})")));
            }
            _ => return Err(remedy(inner, "slug(from = title, stable)")),
        }
    }
    let from = from.ok_or_else(|| remedy(option, EXAMPLE))?;
    Ok(Slug { from, is_stable })
}

fn source(value: &Expr) -> syn::Result<Ident> {
    match field(value) {
        Some(Source::Bare(field)) => Ok(field),
        Some(Source::Quoted(field)) => {
            let remedy = format!("name the field without quotes: write #[column(slug(from = {field}))]");
            Err(syn::Error::new_spanned(value, remedy))
        }
        None => Err(remedy(value, EXAMPLE)),
    }
}

fn field(value: &Expr) -> Option<Source> {
    match value {
        Expr::Path(path) => path.path.get_ident().cloned().map(Source::Bare),
        Expr::Lit(ExprLit {
            lit: Lit::Str(lit), ..
        }) => lit.parse().ok().map(Source::Quoted),
        Expr::Group(group) => field(&group.expr),
        _ => None,
    }
}

/// Error for a slug whose source is not given as `from`.
fn misplaced(at: impl ToTokens, source: Option<&Expr>) -> syn::Error {
    match source.and_then(field) {
        Some(Source::Bare(source) | Source::Quoted(source)) => remedy(at, &format!("slug(from = {source})")),
        None => remedy(at, EXAMPLE),
    }
}

fn remedy(at: impl ToTokens, example: &str) -> syn::Error {
    syn::Error::new_spanned(at, format!("write #[column({example})]"))
}
