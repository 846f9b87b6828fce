//! Parsing of the struct and its `#[model(..)]` attribute.

use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Fields, FieldsNamed, Ident, Meta, Path, Token, Visibility};

use super::column::{self, ColumnOption, KeySource, ParsedColumn, ParsedGroup, Setting};
use super::constraint::{self, ParsedConstraint};
use super::spelling;
use super::table_name;
use super::type_family::{self, TypeFamily};
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::item_options;
use crate::naming;
use crate::schema_path;
use crate::suggest;

const OPTIONS: &[&str] = &[
    "accept_snake_case",
    "check",
    "crate",
    "index",
    "schema",
    "table",
    "unique",
    "view",
];

/// A struct that becomes a model.
pub(super) struct ParsedModel<'a> {
    pub(super) ident: &'a Ident,
    pub(super) visibility: &'a Visibility,
    /// Name of the table, after that of its schema and a dot.
    pub(super) table: String,
    schema: Option<String>,
    pub(super) accepts_snake_case: bool,
    pub(super) is_view: bool,
    /// Path of the schema crate.
    pub(super) root: Path,
    /// Its own columns, without those of groups.
    pub(super) columns: Vec<ParsedColumn<'a>>,
    pub(super) groups: Vec<ParsedGroup<'a>>,
    pub(super) constraints: Vec<ParsedConstraint>,
    /// Doc comment, if any.
    pub(super) docs: Option<String>,
}

/// Parses the model; fails only if no further checks are possible.
pub(super) fn model<'a>(
    input: &'a DeriveInput,
    diagnostics: &mut Diagnostics,
) -> syn::Result<ParsedModel<'a>> {
    let fields = named_fields(
        input,
        "a model is a struct: derive ColumnEnum for an enum that a column holds",
    )?;
    if !input.generics.params.is_empty() {
        diagnostics.add(
            &input.generics,
            "a model has no type parameters: write one struct for each table",
        );
    }
    let mut model = ParsedModel::new(input, fields, diagnostics);
    for options in options(input) {
        for option in diagnostics.take(options).into_iter().flatten() {
            let outcome = model.set(&option);
            diagnostics.take(outcome);
        }
    }
    if let Some(schema) = &model.schema {
        model.table = format!("{schema}.{}", model.table);
    }
    model.default_key();
    Ok(model)
}

/// Parses a group of columns, which has no table; fails only if no further checks are possible.
pub(super) fn group<'a>(
    input: &'a DeriveInput,
    diagnostics: &mut Diagnostics,
) -> syn::Result<ParsedModel<'a>> {
    let fields = named_fields(
        input,
        "a group of columns is a struct: write `struct Base { .. }`",
    )?;
    if !input.generics.params.is_empty() {
        diagnostics.add(
            &input.generics,
            "a group of columns has no type parameters: take them off",
        );
    }
    let mut group = ParsedModel::new(input, fields, diagnostics);
    for option in item_options::read(&input.attrs, diagnostics) {
        let name = schema_path::word(option.path());
        match name.as_str() {
            "crate" => {
                let path = diagnostics.take(schema_path::crate_option(&option));
                group.root = path.unwrap_or_else(schema_path::default);
            }
            _ => diagnostics.add(option.path(), suggest::unknown("option", &name, &["crate"])),
        }
    }
    Ok(group)
}

fn named_fields<'a>(input: &'a DeriveInput, remedy: &str) -> syn::Result<&'a FieldsNamed> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(fields),
            Fields::Unnamed(_) | Fields::Unit => Err(mistake(
                input,
                "a model's fields have names: write `pub struct User { pub id: i64, .. }`",
            )),
        },
        Data::Enum(_) | Data::Union(_) => Err(mistake(input, remedy)),
    }
}

/// Returns the path of the schema crate for a model that may have mistakes.
pub(super) fn schema_crate(input: &DeriveInput) -> Path {
    let mut options = options(input).flatten().flatten();
    let given = options.find(|option| option.path().is_ident("crate"));
    let given = given.and_then(|option| schema_path::crate_option(&option).ok());
    given.unwrap_or_else(schema_path::default)
}

/// Options of each `#[model(..)]`.
fn options(input: &DeriveInput) -> impl Iterator<Item = syn::Result<Punctuated<Meta, Token![,]>>> {
    let attributes = input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("model"));
    attributes.map(|attribute| attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated))
}

impl<'a> ParsedModel<'a> {
    fn new(input: &'a DeriveInput, fields: &'a FieldsNamed, diagnostics: &mut Diagnostics) -> Self {
        let mut model = ParsedModel {
            ident: &input.ident,
            visibility: &input.vis,
            table: naming::plural(&naming::snake_case(&input.ident.to_string())),
            schema: None,
            accepts_snake_case: false,
            is_view: false,
            root: schema_path::default(),
            columns: Vec::new(),
            groups: Vec::new(),
            constraints: Vec::new(),
            docs: docs::text(&input.attrs),
        };
        for field in &fields.named {
            let column = column::read(field, diagnostics);
            if !column.has("flatten") {
                model.columns.push(column);
                continue;
            }
            if let Some(other) = column.options.iter().find(|option| option.name() != "flatten") {
                diagnostics.add(
                    &other.tokens,
                    "`flatten` adds the columns of a group: write their options in the group",
                );
            }
            model.groups.push(ParsedGroup {
                ident: column.ident,
                ty: column.ty,
                own_before: model.columns.len(),
            });
        }
        model
    }

    fn set(&mut self, option: &Meta) -> syn::Result<()> {
        let name = schema_path::word(option.path());
        match name.as_str() {
            "accept_snake_case" => {
                alone(
                    option,
                    "`accept_snake_case` takes no value: write #[model(accept_snake_case)]",
                )?;
                self.accepts_snake_case = true;
            }
            "view" => {
                alone(
                    option,
                    "a migration creates the view: write #[model(view, table = \"overdue_loans\")] with its name",
                )?;
                self.is_view = true;
            }
            "crate" => self.root = schema_path::crate_option(option)?,
            "schema" => self.schema = Some(table_name::schema(option)?),
            "table" => self.table = table_name::table(option)?,
            "unique" | "index" | "check" => self.constraints.push(constraint::read(option, self.ident)?),
            _ => {
                return Err(syn::Error::new_spanned(
                    option.path(),
                    spelling::unknown_of_model(&name, OPTIONS),
                ));
            }
        }
        Ok(())
    }

    /// Makes a field `id` the primary key of a model that declares none, if keys of its type are made by the store.
    fn default_key(&mut self) {
        // A group may have the key.
        if !self.groups.is_empty() || self.columns.iter().any(|column| column.has("primary_key")) {
            return;
        }
        let is_made = |ty| {
            let family = TypeFamily::of(ty);
            matches!(family, TypeFamily::Counted | TypeFamily::Uuid) && !type_family::is_option(ty)
        };
        let mut columns = self.columns.iter_mut();
        let id =
            columns.find(|column| column.ident == "id" && is_made(column.ty) && !column.has("references"));
        if let Some(id) = id {
            id.options.push(ColumnOption {
                tokens: syn::parse_quote!(primary_key),
                setting: Setting::PrimaryKey(KeySource::ByType),
            });
        }
    }
}

/// Rejects an option with a value.
fn alone(option: &Meta, remedy: &str) -> syn::Result<()> {
    match option {
        Meta::Path(_) => Ok(()),
        Meta::List(_) | Meta::NameValue(_) => Err(syn::Error::new_spanned(option, remedy)),
    }
}

fn mistake(input: &DeriveInput, remedy: &str) -> syn::Error {
    syn::Error::new_spanned(&input.ident, remedy)
}
