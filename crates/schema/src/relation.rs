//! The rows that other rows relate to, found in one query per relation.

use crate::column::Table;
use crate::model::Record;
use crate::query::AnyWhere;
use crate::value::{Key, ValueRef};
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};

/// Rows of another table with the same value in one of their columns: the row that a foreign key names, or all rows whose
/// foreign key names this one.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Where the value stands in the table here.
    pub column: usize,
    /// The other table.
    pub table: &'static Table,
    /// Where the same value stands there.
    pub to: usize,
    /// What must hold of the rows there besides, if anything.
    pub visible: Option<AnyWhere>,
    /// The relations that are followed from there.
    pub relations: Vec<Relation>,
}

/// The rows found for a list of relations, in the relations' order.
#[derive(Debug, Default)]
pub struct Related(pub Vec<RelatedRows>);

/// The rows found for one relation, and what they in turn relate to.
#[derive(Debug, Default)]
pub struct RelatedRows {
    /// By the value that they share with those they were found for.
    rows: HashMap<Key, RowGroup>,
    /// The rows that these rows relate to.
    related: Related,
}

/// The rows that share a value.
#[derive(Debug, Default)]
struct RowGroup {
    rows: Vec<Record>,
    /// The first of them as it was written, since the same object often stands beside many others. It looks the same beside
    /// each: a relation is found for one member of one shape, which alone writes it, and as one caller sees it.
    json: OnceLock<Vec<u8>>,
}

/// The row that a foreign key names.
pub(crate) struct FoundRow<'r> {
    pub(crate) row: &'r Record,
    pub(crate) related: &'r Related,
    /// What it looks like, once it was written.
    pub(crate) json: &'r OnceLock<Vec<u8>>,
}

impl RelatedRows {
    /// Rows that were found, by the column that they were found by.
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
    /// The rows that the relation at `position` leads to from this value, and their own relations.
    pub fn find(&self, position: usize, value: ValueRef<'_>) -> (&[Record], &Related) {
        static NONE: Related = Related(Vec::new());
        match self.group(position, value) {
            Some((sharing, related)) => (&sharing.rows, related),
            None => (&[], &NONE),
        }
    }

    /// The row that the relation at `position` leads to from this value, if it leads to one.
    pub(crate) fn find_one(&self, position: usize, value: ValueRef<'_>) -> Option<FoundRow<'_>> {
        let (sharing, related) = self.group(position, value)?;
        Some(FoundRow {
            row: sharing.rows.first()?,
            related,
            json: &sharing.json,
        })
    }

    fn group(&self, position: usize, value: ValueRef<'_>) -> Option<(&RowGroup, &Related)> {
        let found = self.0.get(position).filter(|_| !value.is_null())?;
        Some((found.rows.get(&Key(value.to_value()))?, &found.related))
    }
}
