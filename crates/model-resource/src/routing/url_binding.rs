//! Binding of URL parameters to rows, resolved at startup.

use std::sync::Arc;

use model_resource_schema::column::{Column, Table};

use crate::routing::axum_path::AxumPath;
use crate::routing::rule::Rule;

/// Binding of a URL's parameters to the rows of a model.
#[derive(Clone)]
pub(crate) struct UrlBinding {
    /// Table served at the URL; `None` for a view.
    pub(crate) table: Option<&'static Table>,
    /// Last parameter of an item URL, which identifies the row.
    pub(crate) key: Option<KeyParameter>,
    /// Rows that foreign keys of the model must lead to.
    pub(crate) parents: Vec<Parent>,
    /// Positions of the parameters that limit no rows.
    pub(crate) unscoped: Vec<usize>,
    /// Item URLs that can be built from this URL's parameters and an object.
    pub(crate) items: Vec<ItemUrl>,
    /// Whether the URL is about deleted rows alone, which requests there restore.
    pub(crate) restores: bool,
    /// Path for axum's extractors.
    pub(crate) path: Arc<AxumPath>,
}

/// URL parameter and the unique column that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyParameter {
    /// Position of the parameter in the URL.
    pub(crate) parameter: usize,
    pub(crate) column: usize,
}

/// Row that the URL's parameters identify and that a foreign key must lead to.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    /// Foreign key column in the child's table.
    pub(crate) column: usize,
    pub(crate) table: &'static Table,
    /// Parameters that identify the row; empty if only its own parents are known.
    pub(crate) keys: Vec<KeyParameter>,
    pub(crate) parents: Vec<Parent>,
}

/// URL of one object.
#[derive(Clone)]
pub(crate) struct ItemUrl {
    pub(crate) rule: Rule,
    /// Column whose value is the last parameter.
    pub(crate) column: usize,
    /// Binding of the URL.
    pub(crate) binding: Arc<UrlBinding>,
}

impl UrlBinding {
    /// Creates the binding of a view, whose parameters identify no rows.
    pub(crate) fn of_view(rule: &Rule) -> Self {
        Self {
            table: None,
            key: None,
            parents: Vec::new(),
            unscoped: (0..rule.names().len()).collect(),
            items: Vec::new(),
            restores: false,
            path: Arc::new(AxumPath::of(rule)),
        }
    }

    /// Returns the binding of a URL below the same parents that identifies no row.
    pub(crate) fn without_key(&self) -> Self {
        Self {
            key: None,
            restores: false,
            ..self.clone()
        }
    }

    /// Whether the URL identifies one row, and not a collection.
    pub(crate) fn is_item(&self) -> bool {
        self.key.is_some()
    }

    /// Parent that a parameter identifies, and the matched column.
    pub(crate) fn parent(&self, parameter: usize) -> Option<(&Parent, usize)> {
        find(&self.parents, parameter)
    }

    /// Column of the served table that a parameter gives one value: the key of the row, or the foreign key to the
    /// parent that the parameter identifies.
    pub(crate) fn own_column(&self, parameter: usize) -> Option<&'static Column> {
        let is_own = |key: &&KeyParameter| key.parameter == parameter;
        let own = self.key.as_ref().filter(is_own).map(|key| key.column);
        let mut parents = self.parents.iter();
        let parent = parents.find(|parent| parent.keys.iter().any(|key| is_own(&key)));
        let column = own.or_else(|| parent.map(|parent| parent.column))?;
        Some(&self.table?.columns[column])
    }

    /// Table whose primary key a parameter identifies. A foreign key identifies the referenced row.
    pub(crate) fn identified_table(&self, parameter: usize) -> Option<&'static Table> {
        self.identified_column(parameter).map(|(table, _)| table)
    }

    /// Table whose rows a parameter identifies, and the column that has its value.
    pub(crate) fn identified_column(&self, parameter: usize) -> Option<(&'static Table, &'static Column)> {
        let own = self.key.filter(|key| key.parameter == parameter);
        let (table, column) = match (own, self.table) {
            (Some(key), Some(table)) => (table, key.column),
            _ => {
                let (parent, column) = self.parent(parameter)?;
                (parent.table, column)
            }
        };
        match table.columns[column].references {
            Some(references) => {
                let referenced = (references.table)();
                Some((referenced, referenced.key()))
            }
            None => Some((table, &table.columns[column])),
        }
    }
}

impl Parent {
    /// Parameter that is the row's primary key, if any.
    pub(crate) fn primary_key(&self) -> Option<&KeyParameter> {
        self.keys.iter().find(|key| key.column == self.table.primary_key)
    }
}

fn find(parents: &[Parent], parameter: usize) -> Option<(&Parent, usize)> {
    parents.iter().find_map(|parent| {
        let key = parent.keys.iter().find(|key| key.parameter == parameter);
        match key {
            Some(key) => Some((parent, key.column)),
            None => find(&parent.parents, parameter),
        }
    })
}
