//! Validation of a model's attributes.

use syn::ext::IdentExt;

use super::column::{ColumnOption, KeySource, ParsedColumn, Setting};
use super::constraint_check;
use super::literal::Literal;
use super::message::ParsedMessage;
use super::names;
use super::parse::ParsedModel;
use super::soft_delete;
use super::type_family::{self, TypeFamily};
use crate::diagnostics::Diagnostics;
use crate::suggest;

/// Maximum digits of a decimal, equal to the schema's `DataType::MAX_DIGITS`.
const MAX_DIGITS: u64 = 18;

/// Maximum columns of a model, equal to the schema's `Table::MAX_COLUMNS`.
pub(super) const MAX_COLUMNS: usize = 128;

/// Reports every contradiction in the model.
pub(super) fn model(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    size(model, diagnostics);
    primary_key(model, diagnostics);
    unique_options(model, diagnostics);
    names::check(model, diagnostics);
    constraint_check::constraints(model, diagnostics);
    columns(model, diagnostics);
}

/// Reports every contradiction in the columns of a model or a group.
pub(super) fn columns(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    for column in &model.columns {
        role(column, diagnostics);
        decimal(column, diagnostics);
        digits(column, diagnostics);
        references(column, diagnostics);
        for option in &column.options {
            setting(model, column, option, diagnostics);
        }
    }
}

fn size(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    let columns = model.columns.len();
    if let Some(first_excess) = model.columns.get(MAX_COLUMNS) {
        diagnostics.add(
            first_excess.ident,
            format!("a model has at most {MAX_COLUMNS} columns, and this one has {columns}: move some of the fields to another model"),
        );
    }
}

/// Reports a model without a primary key. Only rustc knows whether a group has one.
fn primary_key(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    let has_key = model.columns.iter().any(|column| column.has("primary_key"));
    if !has_key && model.groups.is_empty() {
        diagnostics.add(
            model.ident,
            format!(
                "`{}` has no primary key: name an i64 or a Uuid `id`, or mark a field with #[column(primary_key)]",
                model.ident
            ),
        );
    }
}

/// Reports options that more than one column has.
pub(super) fn unique_options(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    for (name, remedy) in [
        (
            "primary_key",
            "a model has one primary key: take `primary_key` off one of the fields",
        ),
        (
            "label",
            "one column names a row: take `label` off one of the fields",
        ),
    ] {
        let is_it = |option: &&ColumnOption| option.name() == name;
        let options = model.columns.iter().flat_map(|column| column.options.iter());
        for second in options.filter(is_it).skip(1) {
            diagnostics.add(&second.tokens, remedy);
        }
    }
}

fn role(column: &ParsedColumn<'_>, diagnostics: &mut Diagnostics) {
    let is_role = |option: &&ColumnOption| {
        matches!(
            option.setting,
            Setting::PrimaryKey(_)
                | Setting::Created
                | Setting::Updated
                | Setting::Version
                | Setting::SoftDelete
                | Setting::Slug(_)
        )
    };
    for second in column.options.iter().filter(is_role).skip(1) {
        diagnostics.add(
            &second.tokens,
            "a column is one of primary_key, created, updated, version, soft_delete and slug: keep one of them",
        );
    }
}

fn version(
    model: &ParsedModel<'_>,
    column: &ParsedColumn<'_>,
    option: &ColumnOption,
    diagnostics: &mut Diagnostics,
) {
    if !type_family::is_i64(column.ty) {
        diagnostics.add(
            column.ty,
            "a version counts the changes of a row: make the field an i64",
        );
    }
    let mut others = model.columns.iter().filter(|other| other.has("version"));
    if others.next().is_some_and(|first| first.ident != column.ident) {
        diagnostics.add(
            &option.tokens,
            "a model has one version: take `version` off one of the fields",
        );
    }
}

fn decimal(column: &ParsedColumn<'_>, diagnostics: &mut Diagnostics) {
    let digits: Vec<_> = column
        .options
        .iter()
        .filter(|option| matches!(option.setting, Setting::Precision(_) | Setting::Scale(_)))
        .collect();
    let is_decimal = TypeFamily::of(column.ty) == TypeFamily::Decimal;
    if is_decimal && digits.len() < 2 {
        diagnostics.add(
            column.ty,
            "a Decimal column needs its number of digits: write #[column(precision = 10, scale = 2)] for 10 digits, \
             2 of them after the point",
        );
    }
    if !is_decimal {
        for option in digits {
            diagnostics.add(
                &option.tokens,
                "only a Decimal column has a precision and a scale: take it off",
            );
        }
    }
}

/// Reports invalid numbers of digits.
fn digits(column: &ParsedColumn<'_>, diagnostics: &mut Diagnostics) {
    let mut precision = None;
    for option in &column.options {
        if let Setting::Precision(digits) = &option.setting {
            precision = digits.base10_parse::<u64>().ok();
            if precision.is_none_or(|digits| digits > MAX_DIGITS) {
                let remedy = format!(
                    "a decimal has at most {MAX_DIGITS} digits: write `precision = {MAX_DIGITS}` or less"
                );
                diagnostics.add(&option.tokens, remedy);
            }
        }
    }
    for option in &column.options {
        if let (Setting::Scale(digits), Some(precision)) = (&option.setting, precision)
            && digits
                .base10_parse::<u64>()
                .map_or(true, |scale| scale > precision)
        {
            let remedy = format!(
                "more digits after the point than the decimal has: write `scale = {precision}` or less, or raise `precision`"
            );
            diagnostics.add(&option.tokens, remedy);
        }
    }
}

fn references(column: &ParsedColumn<'_>, diagnostics: &mut Diagnostics) {
    if column
        .options
        .iter()
        .any(|option| matches!(option.setting, Setting::References(_)))
    {
        return;
    }
    for option in column
        .options
        .iter()
        .filter(|option| matches!(option.setting, Setting::OnDelete(_)))
    {
        diagnostics.add(
            &option.tokens,
            "`on_delete` belongs to a foreign key: write #[column(references = Other, on_delete = ..)]",
        );
    }
}

fn setting(
    model: &ParsedModel<'_>,
    column: &ParsedColumn<'_>,
    option: &ColumnOption,
    diagnostics: &mut Diagnostics,
) {
    let family = TypeFamily::of(column.ty);
    let name = option.name();
    match &option.setting {
        Setting::PrimaryKey(assigned) => key_type(column, *assigned, diagnostics),
        Setting::Created | Setting::Updated => {
            if !matches!(family, TypeFamily::Timestamp | TypeFamily::Own) {
                diagnostics.add(
                    column.ty,
                    format!("`{name}` holds a moment: make the field a Timestamp"),
                );
            }
        }
        Setting::Version => version(model, column, option, diagnostics),
        Setting::SoftDelete => soft_delete::check(model, column, option, diagnostics),
        Setting::Slug(slug) => {
            if !family.is_text() {
                diagnostics.add(column.ty, "a slug is a text: make the field a String");
            }
            slug_source(model, column, &slug.from, diagnostics);
        }
        Setting::MinLength(_) | Setting::MaxLength(_) => {
            if !family.has_length() {
                let bound = if name == "min_length" { "min" } else { "max" };
                let remedy = format!(
                    "`{name}` counts characters of a String or Vec<u8>: bound other values by `{bound}`"
                );
                diagnostics.add(&option.tokens, remedy);
            }
        }
        Setting::Min(bound) | Setting::Max(bound) if family.has_order() => {
            literal(family, option, bound, diagnostics);
        }
        Setting::Min(_) | Setting::Max(_) => {
            let remedy = if family.has_length() {
                format!("bound the length of a text by `{name}_length`")
            } else {
                format!("values of this type have no order: take `{name}` off")
            };
            diagnostics.add(&option.tokens, remedy);
        }
        Setting::Default(value) => literal(family, option, value, diagnostics),
        Setting::Pattern(_) | Setting::Choices(_) | Setting::Email => text(family, option, diagnostics),
        Setting::Trim | Setting::Lowercase | Setting::Nfc => text(family, option, diagnostics),
        Setting::JsonName(name) => names::check_json(name, diagnostics),
        Setting::DatabaseName(name) => names::check_database(name, diagnostics),
        Setting::Messages(messages) => idle_messages(column, messages, diagnostics),
        Setting::Transitions(_) => transitions(column, diagnostics),
        Setting::Label => label(column, option, diagnostics),
        Setting::Unique | Setting::Hidden | Setting::Flatten => {}
        Setting::References(_) | Setting::OnDelete(_) | Setting::Precision(_) | Setting::Scale(_) => {}
    }
}

/// Reports a label that people cannot read.
fn label(column: &ParsedColumn<'_>, option: &ColumnOption, diagnostics: &mut Diagnostics) {
    let remedy = if column.has("hidden") {
        "no client sees a hidden column: take `label` or `hidden` off"
    } else if matches!(TypeFamily::of(column.ty), TypeFamily::Json | TypeFamily::Bytes) {
        "a label is read by people: give it to a column of texts, numbers or dates"
    } else {
        return;
    };
    diagnostics.add(&option.tokens, remedy);
}

/// Reports an option of texts on a column of another type.
fn text(family: TypeFamily, option: &ColumnOption, diagnostics: &mut Diagnostics) {
    if !family.is_text() {
        let remedy = format!("`{}` is for texts: make the field a String", option.name());
        diagnostics.add(&option.tokens, remedy);
    }
}

fn key_type(column: &ParsedColumn<'_>, assigned: KeySource, diagnostics: &mut Diagnostics) {
    if type_family::is_option(column.ty) {
        diagnostics.add(column.ty, "every row has a primary key: take the Option off");
        return;
    }
    let is_made_here = matches!(
        TypeFamily::of(column.ty),
        // The type of a custom type's value is known to rustc alone.
        TypeFamily::Counted | TypeFamily::Uuid | TypeFamily::Own
    );
    if assigned == KeySource::ByType && !is_made_here {
        diagnostics.add(
            column.ty,
            "nobody makes a primary key of this type: write `primary_key = client` to have clients assign it, \
             or make the field an i64 (the database counts) or a Uuid (made when the row is written)",
        );
    }
}

fn slug_source(
    model: &ParsedModel<'_>,
    column: &ParsedColumn<'_>,
    from: &syn::Ident,
    diagnostics: &mut Diagnostics,
) {
    let others: Vec<&ParsedColumn<'_>> = model
        .columns
        .iter()
        .filter(|other| other.ident != column.ident)
        .collect();
    match others.iter().find(|other| other.ident == from) {
        Some(source) if TypeFamily::of(source.ty).is_text() => {}
        Some(_) => diagnostics.add(
            from,
            format!("a slug is made from a text: make `{from}` a String, or name another field"),
        ),
        None => {
            let names: Vec<String> = others
                .iter()
                .map(|other| other.ident.unraw().to_string())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            diagnostics.add(from, suggest::unknown("field", &from.unraw().to_string(), &names));
        }
    }
}

fn transitions(column: &ParsedColumn<'_>, diagnostics: &mut Diagnostics) {
    if type_family::is_option(column.ty) {
        diagnostics.add(
            column.ty,
            "a column with transitions has a value in every row: take the Option off",
        );
    } else if TypeFamily::of(column.ty) != TypeFamily::Own {
        diagnostics.add(
            column.ty,
            "transitions lead from one variant of an enum to another: make an enum with #[derive(ColumnEnum)] the type of \
             the field",
        );
    }
}

/// Reports messages that the column never sends.
fn idle_messages(column: &ParsedColumn<'_>, messages: &[ParsedMessage], diagnostics: &mut Diagnostics) {
    let is_own = TypeFamily::of(column.ty) == TypeFamily::Own;
    let clients_key = column.find(|setting| match setting {
        Setting::PrimaryKey(KeySource::Client) => Some(()),
        _ => None,
    });
    for message in messages {
        let (code, option) = (&message.code, message.option());
        let Some(option) = option.filter(|option| !column.has(option)) else {
            continue;
        };
        match option {
            "choices" if is_own => {}
            "unique" if clients_key.is_some() => {}
            option => diagnostics.add(
                code,
                format!(
                    "the column is not checked by `{option}`: add that option, or remove the message `{code}`"
                ),
            ),
        }
    }
}

fn literal(family: TypeFamily, option: &ColumnOption, literal: &Literal, diagnostics: &mut Diagnostics) {
    if !family.takes(literal.form) {
        let (name, example) = (option.name(), family.example());
        diagnostics.add(
            &option.tokens,
            format!("this is no value of the field's type: write `{name} = {example}`"),
        );
    }
}
