//! Relations between tables, and related rows fetched by one query per relation.

use crate::column::Table;
use crate::model::Record;
use crate::query::{AnyColumns, AnyWhere, SortKey};
use crate::value::{Key, ValueRef};
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};

/// A relation to rows of another table: the row that a foreign key references, the rows whose foreign key references
/// this one, or those that the rows of a join table relate to this one.
#[derive(Debug, Clone)]
pub struct Relation {
    /// Position of the shared value in this table.
    pub column: usize,
    /// Related table.
    pub table: &'static Table,
    /// Position of the shared value in the related table, or of the value that the join table references.
    pub to: usize,
    /// Join table, if the relation leads through one.
    pub through: Option<JoinTable>,
    /// Visibility filter of the related rows, if any.
    pub visible: Option<AnyWhere>,
    /// Order of the related rows of one row, before their primary key.
    pub order: Vec<SortKey>,
    /// Columns of the related rows that are read. The others are null.
    pub columns: AnyColumns,
    /// Relations followed from the related rows.
    pub relations: Vec<Relation>,
}

/// Table whose rows relate the rows of two tables.
#[derive(Debug, Clone)]
pub struct JoinTable {
    /// The join table.
    pub table: &'static Table,
    /// Position of the foreign key to the rows that the relation starts from.
    pub from: usize,
    /// Position of the foreign key to the related rows.
    pub to: usize,
    /// Visibility filter of the join rows, if any.
    pub visible: Option<AnyWhere>,
}

impl Relation {
    /// Creates a relation to all rows that share a value, in the order of their primary keys.
    pub fn new(column: usize, table: &'static Table, to: usize) -> Self {
        Self {
            column,
            table,
            to,
            through: None,
            visible: None,
            order: Vec::new(),
            columns: AnyColumns::ALL,
            relations: Vec::new(),
        }
    }

    /// Position of the value by which fetched rows belong to the rows that the relation starts from. Behind a join
    /// table, it is an extra value after the columns.
    pub fn group_column(&self) -> usize {
        match self.through {
            Some(_) => self.table.columns.len(),
            None => self.to,
        }
    }
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
    /// Groups fetched rows by the value at this position.
    pub fn new(rows: Vec<Record>, position: usize, related: Related) -> Self {
        let mut by_value: HashMap<Key, RowGroup> = HashMap::with_capacity(rows.len());
        for row in rows {
            let key = Key(row.values()[position].clone());
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
