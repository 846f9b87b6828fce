//! Validation of `unique(..)`, `index(..)` and `check(..)` of a model.

use syn::Ident;
use syn::ext::IdentExt;

use super::column::{ParsedColumn, Setting};
use super::constraint::{ConstraintKind, ParsedConstraint};
use super::parse::ParsedModel;
use super::type_family::TypeFamily;
use crate::diagnostics::Diagnostics;
use crate::suggest;

/// Reports every contradiction in the constraints of a model.
pub(super) fn constraints(model: &ParsedModel<'_>, diagnostics: &mut Diagnostics) {
    for constraint in &model.constraints {
        if model.is_view {
            let remedy = "a view has no constraints and indexes: declare it on the model of a table";
            diagnostics.add(&constraint.tokens, remedy);
        }
        columns(model, constraint, diagnostics);
        match &constraint.kind {
            ConstraintKind::Unique => unique(model, constraint, diagnostics),
            ConstraintKind::Index => index(model, constraint, diagnostics),
            ConstraintKind::Check(name) => check(model, name, diagnostics),
        }
    }
}

/// Returns the column of a field.
pub(super) fn find<'m>(model: &'m ParsedModel<'_>, field: &Ident) -> Option<(usize, &'m ParsedColumn<'m>)> {
    let mut columns = model.columns.iter().enumerate();
    columns.find(|(_, column)| column.ident.unraw() == field.unraw())
}

fn columns(model: &ParsedModel<'_>, constraint: &ParsedConstraint, diagnostics: &mut Diagnostics) {
    for (position, column) in constraint.columns.iter().enumerate() {
        let field = &column.field;
        match find(model, field) {
            // Only rustc knows the columns of groups.
            None if !model.groups.is_empty() => {}
            None => {
                let names: Vec<String> = model
                    .columns
                    .iter()
                    .map(|column| column.ident.unraw().to_string())
                    .collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                diagnostics.add(
                    field,
                    suggest::unknown("field", &field.unraw().to_string(), &names),
                );
            }
            Some((_, found)) if TypeFamily::of(found.ty) == TypeFamily::Json => {
                diagnostics.add(field, "JSON has no order, so that no index has it: take it out");
            }
            Some(_) => {}
        }
        let mut earlier = constraint.columns[..position].iter();
        if earlier.any(|other| other.field == *field) {
            diagnostics.add(field, format!("`{field}` is given twice: keep one of them"));
        }
    }
}

fn unique(model: &ParsedModel<'_>, constraint: &ParsedConstraint, diagnostics: &mut Diagnostics) {
    for column in constraint.columns.iter().filter(|column| column.descending) {
        diagnostics.add(&column.field, "a unique constraint has no order: remove `desc`");
    }
    match &constraint.columns[..] {
        [column] if constraint.condition.is_none() => {
            let field = &column.field;
            let remedy = format!(
                "a single column is unique by #[column(unique)] on the field `{field}`: write it there"
            );
            diagnostics.add(&constraint.tokens, remedy);
        }
        columns => {
            let is_key = |field: &Ident| {
                find(model, field)
                    .is_some_and(|(_, column)| column.has("primary_key") || column.has("unique"))
            };
            for column in columns.iter().filter(|column| is_key(&column.field)) {
                let field = &column.field;
                let remedy =
                    format!("`{field}` is unique alone, and so in any combination: remove the constraint");
                diagnostics.add(field, remedy);
            }
        }
    }
}

fn index(model: &ParsedModel<'_>, constraint: &ParsedConstraint, diagnostics: &mut Diagnostics) {
    let ([column], None) = (&constraint.columns[..], &constraint.condition) else {
        return;
    };
    let Some((_, found)) = find(model, &column.field) else {
        return;
    };
    let reference = found.find(|setting| match setting {
        Setting::References(_) => Some("a foreign key"),
        _ => None,
    });
    let unique = (found.has("unique") || found.has("primary_key")).then_some("a unique column");
    if let Some(kind) = reference.or(unique) {
        let remedy = format!("{kind} has an index already: remove this one, or add further columns to it");
        diagnostics.add(&constraint.tokens, remedy);
    }
}

fn check(model: &ParsedModel<'_>, name: &Ident, diagnostics: &mut Diagnostics) {
    let same = model.constraints.iter().filter_map(|other| match &other.kind {
        ConstraintKind::Check(other) if other == name => Some(other),
        _ => None,
    });
    if same.take_while(|other| !std::ptr::eq(*other, name)).count() > 0 {
        diagnostics.add(
            name,
            format!("two checks have the name `{name}`: give one of them another"),
        );
    }
}
