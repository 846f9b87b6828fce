//! Parsing of fields and their `#[column(..)]` options.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Field, Ident, Lit, LitInt, LitStr, Meta, Path, Token, Type, Visibility};

use super::literal::Literal;
use super::message::{self, ParsedMessage};
use super::slug::{self, Slug};
use super::spelling;
use super::transition::{self, Step};
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::schema_path;

const OPTIONS: &[&str] = &[
    "choices",
    "created",
    "default",
    "email",
    "flatten",
    "hidden",
    "json",
    "label",
    "lowercase",
    "max",
    "max_length",
    "message",
    "min",
    "min_length",
    "name",
    "nfc",
    "on_delete",
    "pattern",
    "precision",
    "primary_key",
    "references",
    "scale",
    "slug",
    "soft_delete",
    "transitions",
    "trim",
    "unique",
    "updated",
    "version",
];

/// A field that becomes a column.
pub(super) struct ParsedColumn<'a> {
    pub(super) visibility: &'a Visibility,
    pub(super) ident: &'a Ident,
    pub(super) ty: &'a Type,
    pub(super) options: Vec<ColumnOption>,
    /// Doc comment, if any.
    pub(super) docs: Option<String>,
}

/// A field of a model whose columns are those of a group.
pub(super) struct ParsedGroup<'a> {
    pub(super) ident: &'a Ident,
    pub(super) ty: &'a Type,
    /// Number of the model's own columns before it.
    pub(super) own_before: usize,
}

/// One option of a column, and the tokens it was parsed from.
pub(super) struct ColumnOption {
    pub(super) tokens: Meta,
    pub(super) setting: Setting,
}

/// Parsed value of an option.
pub(super) enum Setting {
    PrimaryKey(KeySource),
    Created,
    Updated,
    Version,
    SoftDelete,
    Slug(Slug),
    Transitions(Vec<Step>),
    Unique,
    Email,
    Hidden,
    Flatten,
    Label,
    Trim,
    Lowercase,
    Nfc,
    JsonName(LitStr),
    DatabaseName(LitStr),
    Messages(Vec<ParsedMessage>),
    MinLength(LitInt),
    MaxLength(LitInt),
    Min(Literal),
    Max(Literal),
    Default(Literal),
    Pattern(LitStr),
    Choices(Vec<LitStr>),
    References(Path),
    OnDelete(ParsedOnDelete),
    Precision(LitInt),
    Scale(LitInt),
}

/// Generation of the primary key, as far as the attribute specifies it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeySource {
    ByType,
    Client,
}

/// Action when the referenced row is deleted.
#[derive(Clone, Copy)]
pub(super) enum ParsedOnDelete {
    Restrict,
    Cascade,
    SetNull,
}

impl ParsedColumn<'_> {
    /// Returns the first option that `pick` accepts.
    pub(super) fn find<'s, T>(&'s self, pick: impl Fn(&'s Setting) -> Option<T>) -> Option<T> {
        self.options.iter().find_map(|option| pick(&option.setting))
    }

    /// Whether the column has the option of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name() == name)
    }
}

impl ColumnOption {
    /// Name of the option.
    pub(super) fn name(&self) -> String {
        schema_path::word(self.tokens.path())
    }
}

/// Parses a field with the options of all its attributes.
pub(super) fn read<'a>(field: &'a Field, diagnostics: &mut Diagnostics) -> ParsedColumn<'a> {
    let mut options: Vec<ColumnOption> = Vec::new();
    for attribute in field
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("column"))
    {
        let given = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        for tokens in diagnostics.take(given).into_iter().flatten() {
            let Some(setting) = diagnostics.take(setting(&tokens)) else {
                continue;
            };
            let option = ColumnOption { tokens, setting };
            if options.iter().any(|other| other.name() == option.name()) {
                diagnostics.add(
                    &option.tokens,
                    format!("`{}` is given twice: keep one of them", option.name()),
                );
            }
            options.push(option);
        }
    }
    let ident = field
        .ident
        .as_ref()
        .expect("`parse::model` reads structs with named fields alone");
    ParsedColumn {
        visibility: &field.vis,
        ident,
        ty: &field.ty,
        options,
        docs: docs::text(&field.attrs),
    }
}

fn setting(option: &Meta) -> syn::Result<Setting> {
    let name = schema_path::word(option.path());
    Ok(match name.as_str() {
        "primary_key" => Setting::PrimaryKey(assigned(option)?),
        "created" => alone(option, Setting::Created)?,
        "updated" => alone(option, Setting::Updated)?,
        "version" => alone(option, Setting::Version)?,
        "soft_delete" => alone(option, Setting::SoftDelete)?,
        "slug" => Setting::Slug(slug::read(option)?),
        "transitions" => Setting::Transitions(transition::read(option)?),
        "unique" => alone(option, Setting::Unique)?,
        "email" => alone(option, Setting::Email)?,
        "flatten" => alone(option, Setting::Flatten)?,
        "hidden" => alone(option, Setting::Hidden)?,
        "label" => alone(option, Setting::Label)?,
        "trim" => alone(option, Setting::Trim)?,
        "lowercase" => alone(option, Setting::Lowercase)?,
        "nfc" => alone(option, Setting::Nfc)?,
        "json" => Setting::JsonName(quoted(option, "json = \"givenName\"")?),
        "name" => Setting::DatabaseName(quoted(option, "name = \"first_name\"")?),
        "message" => Setting::Messages(message::read(option)?),
        "min_length" => Setting::MinLength(number(option, "min_length = 1")?),
        "max_length" => Setting::MaxLength(number(option, "max_length = 200")?),
        "min" => Setting::Min(Literal::read(value(option, "min = 0")?)?),
        "max" => Setting::Max(Literal::read(value(option, "max = 100")?)?),
        "default" => Setting::Default(default(option)?),
        "pattern" => Setting::Pattern(quoted(option, "pattern = \"[a-z]+\"")?),
        "choices" => Setting::Choices(choices(option)?),
        "references" => Setting::References(path(option, "references = User")?),
        "on_delete" => Setting::OnDelete(on_delete(option)?),
        "precision" => Setting::Precision(number(option, "precision = 10")?),
        "scale" => Setting::Scale(number(option, "scale = 2")?),
        _ => {
            return Err(syn::Error::new_spanned(
                option.path(),
                spelling::unknown_of_column(&name, OPTIONS),
            ));
        }
    })
}

fn remedy(at: impl ToTokens, example: &str) -> syn::Error {
    syn::Error::new_spanned(at, format!("write #[column({example})]"))
}

fn alone(option: &Meta, setting: Setting) -> syn::Result<Setting> {
    match option {
        Meta::Path(_) => Ok(setting),
        Meta::List(_) | Meta::NameValue(_) => {
            let name = schema_path::word(option.path());
            Err(syn::Error::new_spanned(
                option,
                format!("`{name}` takes no value: write #[column({name})]"),
            ))
        }
    }
}

fn value<'a>(option: &'a Meta, example: &str) -> syn::Result<&'a Expr> {
    let Meta::NameValue(pair) = option else {
        return Err(remedy(option, example));
    };
    let mut value = &pair.value;
    // The value was passed through a declarative macro.
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    Ok(value)
}

fn number(option: &Meta, example: &str) -> syn::Result<LitInt> {
    match value(option, example)? {
        Expr::Lit(ExprLit {
            lit: Lit::Int(lit), ..
        }) => Ok(lit.clone()),
        other => Err(remedy(other, example)),
    }
}

fn quoted(option: &Meta, example: &str) -> syn::Result<LitStr> {
    text(value(option, example)?, example)
}

fn text(value: &Expr, example: &str) -> syn::Result<LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(lit), ..
        }) => Ok(lit.clone()),
        other => Err(remedy(other, example)),
    }
}

fn path(option: &Meta, example: &str) -> syn::Result<Path> {
    match value(option, example)? {
        Expr::Path(path) => Ok(path.path.clone()),
        other => Err(remedy(other, example)),
    }
}

fn choices(option: &Meta) -> syn::Result<Vec<LitStr>> {
    const EXAMPLE: &str = "choices = [\"draft\", \"final\"]";
    match value(option, EXAMPLE)? {
        Expr::Array(array) if !array.elems.is_empty() => {
            array.elems.iter().map(|choice| text(choice, EXAMPLE)).collect()
        }
        path @ Expr::Path(_) => Err(syn::Error::new_spanned(
            path,
            format!(
                "make the enum the type of the field, with #[derive(ColumnEnum)], or write #[column({EXAMPLE})]"
            ),
        )),
        other => Err(remedy(other, EXAMPLE)),
    }
}

fn default(option: &Meta) -> syn::Result<Literal> {
    match value(option, "default = false")? {
        made @ (Expr::Call(_) | Expr::Path(_) | Expr::Closure(_) | Expr::MethodCall(_)) => {
            Err(syn::Error::new_spanned(
                made,
                "a default is the same for every row: write a literal such as `default = 0`. The time of creation is \
                 `created`, and a Uuid with `primary_key` is made when the row is written",
            ))
        }
        literal => Literal::read(literal),
    }
}

fn assigned(option: &Meta) -> syn::Result<KeySource> {
    match option {
        Meta::Path(_) => Ok(KeySource::ByType),
        Meta::List(_) | Meta::NameValue(_) => {
            let who = path(option, "primary_key = client").ok();
            if who.is_some_and(|who| who.is_ident("client")) {
                return Ok(KeySource::Client);
            }
            Err(syn::Error::new_spanned(
                option,
                "write `primary_key`, or `primary_key = client` where the client assigns the key",
            ))
        }
    }
}

fn on_delete(option: &Meta) -> syn::Result<ParsedOnDelete> {
    let given = value(option, "on_delete = cascade")?;
    let name = match given {
        Expr::Lit(ExprLit {
            lit: Lit::Str(lit), ..
        }) => format!("{:?}", lit.value()),
        other => other.to_token_stream().to_string().replace(' ', ""),
    };
    match name.as_str() {
        "restrict" => Ok(ParsedOnDelete::Restrict),
        "cascade" => Ok(ParsedOnDelete::Cascade),
        "set_null" => Ok(ParsedOnDelete::SetNull),
        _ => Err(syn::Error::new_spanned(given, spelling::unknown_on_delete(&name))),
    }
}
