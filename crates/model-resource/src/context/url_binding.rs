//! The rows that a URL's parameters stand for, resolved at start.

use model_resource_schema::column::Table;

use crate::url::{AxumPath, Rule};

/// The binding of a URL's parameters to the rows of a model.
pub(crate) struct UrlBinding {
    /// The model served at the URL; none for a view.
    pub(crate) table: Option<&'static Table>,
    /// The last parameter of an item URL, which identifies the row.
    pub(crate) key: Option<KeyParameter>,
    /// The rows that foreign keys of the model must lead to.
    pub(crate) parents: Vec<Parent>,
    /// The positions of the parameters that limit no rows.
    pub(crate) unscoped: Vec<usize>,
    /// The URLs of one object that can be built from this URL's parameters and the object.
    pub(crate) items: Vec<ItemUrl>,
    /// The URL in the terms of axum's extractors.
    pub(crate) path: AxumPath,
}

/// A URL parameter and the unique column that has its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyParameter {
    /// The parameter's position in the URL.
    pub(crate) parameter: usize,
    pub(crate) column: usize,
}

/// A row that the URL's parameters identify and that a foreign key must lead to.
#[derive(Debug)]
pub(crate) struct Parent {
    /// The foreign key, in the table of the child.
    pub(crate) column: usize,
    pub(crate) table: &'static Table,
    /// The parameters that identify the row; none where only its own parents are known.
    pub(crate) keys: Vec<KeyParameter>,
    pub(crate) parents: Vec<Parent>,
}

/// The URL of one object.
#[derive(Debug, Clone)]
pub(crate) struct ItemUrl {
    pub(crate) rule: Rule,
    /// The column whose value is the last parameter.
    pub(crate) column: usize,
}

impl UrlBinding {
    /// The binding of a view, whose parameters stand for no rows.
    pub(crate) fn of_view(rule: &Rule) -> Self {
        Self {
            table: None,
            key: None,
            parents: Vec::new(),
            unscoped: (0..rule.names().len()).collect(),
            items: Vec::new(),
            path: AxumPath::of(rule),
        }
    }

    /// Whether the URL identifies one row, and not a collection.
    pub(crate) fn is_item(&self) -> bool {
        self.key.is_some()
    }

    /// The parent that a parameter identifies, and the column that has its value.
    pub(crate) fn parent(&self, parameter: usize) -> Option<(&Parent, usize)> {
        find(&self.parents, parameter)
    }

    /// The table whose primary key a parameter stands for: a foreign key stands for the row it leads to.
    pub(crate) fn identified_table(&self, parameter: usize) -> Option<&'static Table> {
        let own = self.key.filter(|key| key.parameter == parameter);
        let (table, column) = match (own, self.table) {
            (Some(key), Some(table)) => (table, key.column),
            _ => {
                let (parent, column) = self.parent(parameter)?;
                (parent.table, column)
            }
        };
        match table.columns[column].references {
            Some(references) => Some((references.table)()),
            None => Some(table),
        }
    }
}

impl Parent {
    /// The parameter that is the row's primary key, if one is.
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
