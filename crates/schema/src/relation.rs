//! The rows that nested serializers need, found in one query per relation.

use std::collections::HashMap;

use crate::column::Table;
use crate::model::Record;
use crate::value::{Key, ValueRef};

/// A foreign key that a nested serializer follows to the row it names.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Where the foreign key stands in the parent's table.
    pub column: usize,
    /// The table it leads to, by its primary key.
    pub table: &'static Table,
    /// The relations that the nested serializer follows in turn.
    pub relations: Vec<Relation>,
}

/// The rows found for a list of relations, in the relations' order.
#[derive(Debug, Default)]
pub struct Related(pub Vec<RelatedRows>);

/// The rows found for one relation, by primary key, and what they in turn relate to.
#[derive(Debug, Default)]
pub struct RelatedRows {
    /// The rows, by primary key.
    pub rows: HashMap<Key, Record>,
    /// The rows that these rows relate to.
    pub related: Related,
}

impl Related {
    /// The row that the relation at `position` leads to from this key, and its own relations.
    pub fn find(&self, position: usize, key: ValueRef<'_>) -> Option<(&Record, &Related)> {
        if key.is_null() {
            return None;
        }
        let found = self.0.get(position)?;
        Some((found.rows.get(&Key(key.to_value()))?, &found.related))
    }
}
