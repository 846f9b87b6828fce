//! Relations between tables, and related rows fetched by one query per relation.

use crate::column::Table;
use crate::model::Record;
use crate::query::AnyWhere;
use crate::value::{Key, ValueRef};
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};

/// A relation to rows of another table that share a value: the row that a foreign key references, or all rows whose
/// foreign key references this one.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Position of the shared value in this table.
    pub column: usize,
    /// Related table.
    pub table: &'static Table,
    /// Position of the shared value in the related table.
    pub to: usize,
    /// Visibility filter of the related rows, if any.
    pub visible: Option<AnyWhere>,
    /// Relations followed from the related rows.
    pub relations: Vec<Relation>,
}

/// Related rows of a list of relations, in the same order.
#[derive(Debug, Default)]
pub struct Related(pub Vec<RelatedRows>);

/// Related rows of one relation, with their own related rows.
#[derive(Debug, Default)]
pub struct RelatedRows {
    /// Rows by the shared value.
    rows: HashMap<Key, RowGroup>,
    /// Related rows of these rows.
    related: Related,
}

/// Rows that share a value.
#[derive(Debug, Default)]
struct RowGroup {
    rows: Vec<Record>,
    /// JSON of the first row, cached because the same object is often written many times. The text is the same each
    /// time: a relation belongs to one field of one projection, for one caller.
    json: OnceLock<Vec<u8>>,
}

/// Row that a foreign key references.
pub(crate) struct FoundRow<'r> {
    pub(crate) row: &'r Record,
    pub(crate) related: &'r Related,
    /// Cached JSON of the row.
    pub(crate) json: &'r OnceLock<Vec<u8>>,
}

impl RelatedRows {
    /// Groups fetched rows by the column at `to`.
    pub fn new(rows: Vec<Record>, to: usize, related: Related) -> Self {
        let mut by_value: HashMap<Key, RowGroup> = HashMap::with_capacity(rows.len());
        for row in rows {
            let key = Key(row.values()[to].clone());
            by_value.entry(key).or_default().rows.push(row);
        }
        Self {
            rows: by_value,
            related,
        }
    }
}

impl Related {
    /// Returns the rows that the relation at `position` leads to from this value, and their own relations.
    pub fn find(&self, position: usize, value: ValueRef<'_>) -> (&[Record], &Related) {
        static NONE: Related = Related(Vec::new());
        match self.group(position, value) {
            Some((sharing, related)) => (&sharing.rows, related),
            None => (&[], &NONE),
        }
    }

    /// Returns the row that the relation at `position` leads to from this value, if any.
    pub(crate) fn find_one(&self, position: usize, value: ValueRef<'_>) -> Option<FoundRow<'_>> {
        let (sharing, related) = self.group(position, value)?;
        Some(FoundRow {
            row: sharing.rows.first()?,
            related,
            json: &sharing.json,
        })
    }

    fn group(&self, position: usize, value: ValueRef<'_>) -> Option<(&RowGroup, &Related)> {
        if value.is_null() {
            return None;
        }
        let found = self.0.get(position)?;
        Some((found.rows.get(&Key(value.to_value()))?, &found.related))
    }
}
