//! Relations between tables, and related rows fetched by one query per relation.

use crate::column::Table;
use crate::model::Record;
use crate::query::{AnyColumns, AnyWhere, SortKey};
use crate::value::{Key, ValueRef};
use std::sync::OnceLock;

use foldhash::HashMap;

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
#[derive(Debug)]
pub struct RelatedRows {
    /// The rows. One that is related to many rows is kept once.
    rows: Vec<RelatedRow>,
    /// The rows by the values that they share with the rows that the relation starts from.
    groups: HashMap<Key, RowGroup>,
    /// Related rows of these rows.
    related: Related,
}

/// Related rows that share a value.
#[derive(Debug, Default)]
pub struct RowGroup {
    /// Number of times the rows are written: once for each row that the relation starts from and that has the value.
    pub times: usize,
    /// Positions of the rows, in the order in which they are written.
    pub rows: Vec<usize>,
}

/// A related row.
#[derive(Debug)]
pub(crate) struct RelatedRow {
    pub(crate) row: Record,
    /// JSON of the row, kept if it is written more than once. The text is the same each time: a relation belongs to one
    /// field of one projection, for one caller.
    pub(crate) json: Option<OnceLock<Vec<u8>>>,
}

impl RelatedRows {
    /// Creates the related rows. `times` is the number of times each row is written.
    pub fn new(rows: Vec<Record>, times: &[usize], groups: HashMap<Key, RowGroup>, related: Related) -> Self {
        let rows = rows.into_iter().zip(times).map(|(row, times)| RelatedRow {
            row,
            json: (*times > 1).then(OnceLock::new),
        });
        Self {
            rows: rows.collect(),
            groups,
            related,
        }
    }
}

impl Related {
    /// Returns the rows that the relation at `position` leads to from this value, and their own relations.
    pub fn find(&self, position: usize, value: ValueRef<'_>) -> (Vec<&Record>, &Related) {
        let (found, related) = self.rows_of(position, value);
        (found.map(|related| &related.row).collect(), related)
    }

    pub(crate) fn rows_of(
        &self,
        position: usize,
        value: ValueRef<'_>,
    ) -> (impl Iterator<Item = &RelatedRow>, &Related) {
        static NONE: Related = Related(Vec::new());
        let found = self.0.get(position).filter(|_| !value.is_null());
        let group = found.and_then(|found| found.groups.get(&Key(value.to_value())));
        let positions = group.map_or(&[] as &[usize], |group| &group.rows);
        let rows = found.map_or(&[] as &[RelatedRow], |found| &found.rows);
        let related = found.map_or(&NONE, |found| &found.related);
        (positions.iter().map(|position| &rows[*position]), related)
    }
}
