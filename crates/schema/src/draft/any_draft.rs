//! Type-erased drafts.

use crate::column::Table;
use crate::constraints::Constraints;
use crate::errors::Errors;
use crate::model::{Record, Row};
use crate::value::{Value, ValueRef};

/// A type-erased [`Draft`](crate::draft::Draft), which knows its model by its table.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyDraft {
    table: TableRef,
    pub(super) base: DraftBase,
    pub(super) set: Vec<Option<Value>>,
    /// Columns set by the program, whose constraints have not been checked yet.
    pub(super) unchecked: Vec<usize>,
    extra: Vec<(&'static str, Value)>,
    /// Extra fields already converted to columns, kept for checks that run when the draft is written.
    converted: Vec<(&'static str, Value)>,
    /// Related rows that are written with this one. Boxed, because most drafts have none.
    pub(super) related: Option<Box<RelatedDrafts>>,
}

/// Row that a draft changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DraftBase {
    /// None: the object is new.
    Nothing,
    /// The row with this key, which was not read.
    Blind(Value),
    /// The row that was read.
    Row(Record),
}

/// Related rows of a draft.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RelatedDrafts {
    /// Texts of the body, by relation.
    pub(super) texts: Vec<(&'static str, String)>,
    pub(super) children: Vec<ChildDrafts>,
    pub(super) is_touched: bool,
}

/// Changes of the rows of one relation, whose foreign key refers to the row of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildDrafts {
    /// Name of the relation.
    pub name: &'static str,
    pub(super) table: TableRef,
    /// Position of the foreign key in the children's table.
    pub foreign_key: usize,
    /// New rows, without their foreign key.
    pub created: Vec<ChildDraft>,
    /// Changes of existing rows, which were read.
    pub updated: Vec<ChildDraft>,
    /// Keys of rows to remove.
    pub removed: Vec<Value>,
    /// Keys of all existing rows when the body was loaded, if it replaces them all.
    pub replaced: Option<Vec<Value>>,
}

/// Draft of one related row.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildDraft {
    /// Place in the body.
    pub place: ChildPlace,
    /// Draft of the row.
    pub draft: AnyDraft,
}

/// Place of a related object in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildPlace {
    /// Member of the changes, such as `add`, unless the relation is a list.
    pub member: Option<&'static str>,
    /// Index in the list.
    pub index: usize,
}

/// A table, compared by its identity.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRef(pub(super) &'static Table);

impl PartialEq for TableRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.id() == other.0.id()
    }
}

impl AnyDraft {
    /// Creates the draft of a new object.
    pub fn new(table: &'static Table) -> Self {
        Self {
            table: TableRef(table),
            base: DraftBase::Nothing,
            set: vec![None; table.columns.len()],
            unchecked: Vec::new(),
            extra: Vec::new(),
            converted: Vec::new(),
            related: None,
        }
    }

    /// Creates a draft that changes a saved row.
    pub fn of(table: &'static Table, base: Record) -> Self {
        Self {
            base: DraftBase::Row(base),
            ..Self::new(table)
        }
    }

    /// Creates a draft that changes the row with this key, without reading it.
    pub fn blind(table: &'static Table, key: Value) -> Self {
        Self {
            base: DraftBase::Blind(key),
            ..Self::new(table)
        }
    }

    /// Moves the draft out and leaves an empty one, which must be overwritten.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self {
            table: self.table,
            base: DraftBase::Nothing,
            set: Vec::new(),
            unchecked: Vec::new(),
            extra: Vec::new(),
            converted: Vec::new(),
            related: None,
        };
        std::mem::replace(self, empty)
    }

    /// Table of the draft's model.
    pub fn table(&self) -> &'static Table {
        self.table.0
    }

    /// Saved row, if the draft changes one that was read.
    pub fn original(&self) -> Option<&Record> {
        match &self.base {
            DraftBase::Row(base) => Some(base),
            DraftBase::Nothing | DraftBase::Blind(_) => None,
        }
    }

    /// Key of the saved row, if the draft changes one.
    pub fn key(&self) -> Option<&Value> {
        match &self.base {
            DraftBase::Nothing => None,
            DraftBase::Blind(key) => Some(key),
            DraftBase::Row(base) => Some(&base.values()[self.table().primary_key]),
        }
    }

    /// Applies the same changes to a newly read row.
    pub fn rebase(&mut self, base: Record) {
        self.base = DraftBase::Row(base);
    }

    /// Returns the column's value: the one set, or else the saved one.
    pub fn get(&self, column: usize) -> Option<ValueRef<'_>> {
        let saved = || self.original().map(|base| base.value(column));
        self.set[column].as_ref().map(Value::borrow).or_else(saved)
    }

    /// Sets the column.
    pub fn set(&mut self, column: usize, value: Value) {
        self.set[column] = Some(value);
    }

    /// Whether the column has been set.
    pub fn is_set(&self, column: usize) -> bool {
        self.set[column].is_some()
    }

    /// Whether saving would change the column, as far as known.
    pub fn is_changed(&self, column: usize) -> bool {
        match (&self.set[column], self.original()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(value), Some(base)) => value.borrow() != base.value(column),
        }
    }

    /// Returns an extra field that is not a column, by its wire name.
    pub fn extra(&self, name: &str) -> Option<ValueRef<'_>> {
        self.extra
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.borrow())
    }

    /// Sets an extra field.
    pub fn set_extra(&mut self, name: &'static str, value: Value) {
        self.extra.retain(|(key, _)| *key != name);
        self.extra.push((name, value));
    }

    /// Takes an extra field out.
    pub fn take_extra(&mut self, name: &str) -> Option<Value> {
        let position = self.extra.iter().position(|(key, _)| *key == name)?;
        Some(self.extra.swap_remove(position).1)
    }

    /// Keeps an extra field that was taken out, for [`AnyDraft::with_converted`].
    pub(crate) fn keep_converted(&mut self, name: &'static str, value: Value) {
        self.converted.push((name, value));
    }

    /// Copies the draft with all extra fields, including those already converted to columns.
    #[doc(hidden)]
    pub fn with_converted(&self) -> Self {
        let mut copy = self.clone();
        copy.extra.append(&mut copy.converted);
        copy
    }

    /// Validates values set or generated by the program; those of a body were validated when it was read.
    pub fn check(&self) -> Errors {
        let mut errors = Errors::new();
        for position in &self.unchecked {
            let (column, value) = (&self.table().columns[*position], &self.set[*position]);
            let message = value
                .as_ref()
                .and_then(|value| Constraints::of(column)?.violation(value));
            if let Some(message) = message
                && !errors.has(&column.wire_name())
            {
                errors.add(column.wire_name(), message);
            }
        }
        self.check_slugs(&mut errors);
        self.check_transitions(&mut errors);
        if errors.is_empty() {
            self.check_conditions(&mut errors);
        }
        errors
    }
}

impl Row for AnyDraft {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.get(column).unwrap_or(ValueRef::Null)
    }
}
