//! Resolves the parameters of a resource's URL to rows.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;

use crate::api::scope;
use crate::api::scope::Scope;
use crate::routing::{
    AxumPath, Converter, ItemUrl, KeyColumn, KeyParameter, Parent, Rule, UrlBinding, key_column, key_columns,
    not_unique,
};

/// Declarations about a URL's parameters.
pub(super) struct DeclaredScopes<'a> {
    /// Parameters and chains of foreign keys, declared by the resource.
    pub(super) scope: &'a [(&'static str, &'static str)],
    /// Parameters that limit no rows, declared by the resource.
    pub(super) unscoped: &'a [&'static str],
    /// Parameters of a prefix that limit no rows, declared by the api or the blueprint.
    pub(super) inherited: Vec<&'a str>,
}

/// URL of a resource with its resolved parameters.
pub(super) struct ResolvedUrl<'a> {
    pub(super) rule: &'a Rule,
    pub(super) key: Option<KeyParameter>,
    /// Scope of each parameter before the key; `None` for one that limits no rows.
    scopes: Vec<Option<Scope>>,
}

impl<'a> ResolvedUrl<'a> {
    /// Resolves every parameter. Fails with the mistake.
    pub(super) fn of(
        rule: &'a Rule,
        table: &'static Table,
        declared: &DeclaredScopes<'_>,
    ) -> Result<Self, String> {
        let mistake = |mistake: String| format!("`{}`: {mistake}", rule.as_str());
        let key = key_parameter(rule, table, declared).map_err(mistake)?;
        let mut scopes: Vec<Option<Scope>> = vec![None; rule.names().len()];
        let mut right: Option<Scope> = None;
        for parameter in (0..scopes.len()).rev().filter(|other| Some(*other) != rule.key()) {
            let name = &rule.names()[parameter];
            let scope = resolve(table, right.as_ref(), name, declared).map_err(mistake)?;
            if let Some(scope) = &scope {
                check_converter(rule, parameter, scope.table, scope.column).map_err(mistake)?;
                right = Some(scope.clone());
            }
            scopes[parameter] = scope;
        }
        Ok(Self { rule, key, scopes })
    }

    /// Builds the binding for requests at this URL. `candidates` are all URLs of the model.
    pub(super) fn binding(&self, table: &'static Table, candidates: &[ResolvedUrl<'_>]) -> UrlBinding {
        let mut parents = Vec::new();
        for (parameter, scope) in self.scopes.iter().enumerate() {
            if let Some(scope) = scope {
                let key = KeyParameter {
                    parameter,
                    column: scope.column,
                };
                add_parent(&mut parents, table, &scope.path, key);
            }
        }
        let unscoped = |parameter: &usize| {
            let is_key = self.rule.key() == Some(*parameter);
            !is_key && self.scopes[*parameter].is_none()
        };
        UrlBinding {
            table: Some(table),
            key: self.key,
            parents,
            unscoped: (0..self.scopes.len()).filter(unscoped).collect(),
            items: self.items(table, candidates),
            restores: false,
            path: Arc::new(AxumPath::of(self.rule)),
        }
    }

    /// Item URLs that can be built from this URL's parameters and a column of the object. URLs of nullable columns come
    /// last.
    fn items(&self, table: &'static Table, candidates: &[ResolvedUrl<'_>]) -> Vec<ItemUrl> {
        let item = |candidate: &ResolvedUrl<'_>| {
            if !self.knows(candidate) {
                return None;
            }
            Some(ItemUrl {
                rule: candidate.rule.clone(),
                column: candidate.key?.column,
                binding: Arc::new(candidate.binding(table, &[])),
            })
        };
        let mut items: Vec<ItemUrl> = candidates.iter().filter_map(item).collect();
        items.sort_by_key(|item| table.columns[item.column].nullable);
        items
    }

    /// Parameters other than the key, with their scopes.
    fn scoped(&self) -> impl Iterator<Item = (&String, Option<&Scope>)> {
        let all = self.rule.names().iter().zip(&self.scopes).enumerate();
        let others = all.filter(|(parameter, _)| Some(*parameter) != self.rule.key());
        others.map(|(_, (name, scope))| (name, scope.as_ref()))
    }

    /// Whether this URL has all parameters of another URL of the model except its key, with the same scopes.
    fn knows(&self, other: &ResolvedUrl<'_>) -> bool {
        let is_known = |(name, scope): (&String, Option<&Scope>)| {
            let mut own = self.scoped();
            own.any(|(known, own)| known == name && is_same(own, scope))
        };
        other.scoped().all(is_known)
    }

    /// Whether another URL of the model is the item URL of this collection.
    pub(super) fn is_collection_of(&self, other: &ResolvedUrl<'_>) -> bool {
        let is_beside = self.scoped().count() == other.scoped().count();
        other.key.is_some() && is_beside && self.knows(other)
    }
}

fn is_same(one: Option<&Scope>, other: Option<&Scope>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is(other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Column by which the last parameter of an item URL identifies the row.
fn key_parameter(
    rule: &Rule,
    table: &'static Table,
    declared: &DeclaredScopes<'_>,
) -> Result<Option<KeyParameter>, String> {
    let Some(parameter) = rule.key() else {
        return Ok(None);
    };
    let name = &rule.names()[parameter];
    let is_declared = declared.unscoped.contains(&name.as_str())
        || declared.inherited.contains(&name.as_str())
        || declared.scope.iter().any(|(declared, _)| declared == name);
    if is_declared {
        return Err(format!(
            "the last parameter `{name}` identifies the row and has no scope: take the declaration off, or serve the URL by a \
             view with #[route]"
        ));
    }
    let column = match key_column(table, name) {
        KeyColumn::Found(column) => column,
        KeyColumn::NotUnique => return Err(not_unique(table, name)),
        KeyColumn::Unknown => {
            return Err(format!(
                "the last parameter `{name}` is neither the primary key nor a unique column of {}: name it after {}, or serve the \
                 URL by a view with #[route]",
                table.model,
                key_columns(table)
            ));
        }
    };
    check_converter(rule, parameter, table, column)?;
    Ok(Some(KeyParameter { parameter, column }))
}

/// Scope of a parameter; `None` if it is declared to limit no rows.
fn resolve(
    table: &'static Table,
    right: Option<&Scope>,
    name: &str,
    declared: &DeclaredScopes<'_>,
) -> Result<Option<Scope>, String> {
    let path = declared.scope.iter().find(|(parameter, _)| *parameter == name);
    if let Some((_, path)) = path {
        let way = scope::declared(table, path);
        return way
            .map(Some)
            .map_err(|mistake| format!("`scope({name} = \"{path}\")`: {mistake}"));
    }
    if declared.unscoped.contains(&name) {
        return Ok(None);
    }
    let is_inherited = declared.inherited.contains(&name);
    match scope::found(table, right, name).as_slice() {
        [] if is_inherited => Ok(None),
        [] => Err(scope::unknown(table, right, name)),
        [way, ..] if is_inherited => Err(scope::contradicted(table, name, way)),
        [way] => Ok(Some(way.clone())),
        ways => Err(scope::ambiguous(table, name, ways)),
    }
}

/// Adds the row that a chain of foreign keys leads to, sharing the parents that exist already.
fn add_parent(parents: &mut Vec<Parent>, table: &'static Table, path: &[usize], key: KeyParameter) {
    let Some((column, rest)) = path.split_first() else {
        return;
    };
    let other = scope::referenced(table, *column).expect("`scope` makes chains of foreign keys alone");
    let known = parents.iter().position(|parent| parent.column == *column);
    let position = known.unwrap_or_else(|| {
        parents.push(Parent {
            column: *column,
            table: other,
            keys: Vec::new(),
            parents: Vec::new(),
        });
        parents.len() - 1
    });
    let parent = &mut parents[position];
    match rest {
        [] => parent.keys.push(key),
        rest => add_parent(&mut parent.parents, other, rest, key),
    }
}

/// Rejects a converter that never accepts a value of the parameter's column.
fn check_converter(
    rule: &Rule,
    parameter: usize,
    table: &'static Table,
    column: usize,
) -> Result<(), String> {
    let (column, converter) = (&table.columns[column], rule.converter(parameter));
    let is_integer = matches!(column.data_type, DataType::I16 | DataType::I32 | DataType::I64);
    let fits = match converter {
        Converter::Int => is_integer || column.data_type == DataType::Text,
        Converter::Uuid => matches!(column.data_type, DataType::Uuid | DataType::Text),
        Converter::Float => !is_integer && column.data_type != DataType::Uuid,
        Converter::Any(_) | Converter::Text | Converter::Path => true,
    };
    if fits {
        Ok(())
    } else {
        Err(format!(
            "the parameter `{}` can never be a key of {}, whose `{}` is of another type",
            rule.names()[parameter],
            table.model,
            column.name
        ))
    }
}
