//! A draft that knows its model by its table.

use crate::column::Table;
use crate::constraints::Constraints;
use crate::errors::Errors;
use crate::model::{Record, Row};
use crate::value::{Value, ValueRef};

/// A [`Draft`](crate::draft::Draft) of a model known only by its table.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyDraft {
    table: TableRef,
    pub(super) base: DraftBase,
    pub(super) set: Vec<Option<Value>>,
    /// The columns whose values came from the program and have not been held against the column's constraints.
    pub(super) unchecked: Vec<usize>,
    extra: Vec<(&'static str, Value)>,
    /// The extra inputs that are stored in columns already, for checks that run when the draft is written.
    converted: Vec<(&'static str, Value)>,
}

/// What a draft lies over.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DraftBase {
    /// Nothing: the object is new.
    Nothing,
    /// The row with this key, whatever it holds.
    Blind(Value),
    /// This row.
    Row(Record),
}

/// Tables are statics; two references to one are the same table.
#[derive(Debug, Clone, Copy)]
struct TableRef(&'static Table);

impl PartialEq for TableRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl AnyDraft {
    /// A new object with nothing set.
    pub fn new(table: &'static Table) -> Self {
        Self {
            table: TableRef(table),
            base: DraftBase::Nothing,
            set: vec![None; table.columns.len()],
            unchecked: Vec::new(),
            extra: Vec::new(),
            converted: Vec::new(),
        }
    }

    /// A change of a saved row.
    pub fn of(table: &'static Table, base: Record) -> Self {
        Self {
            base: DraftBase::Row(base),
            ..Self::new(table)
        }
    }

    /// A change of the row with this key, which was not read.
    pub fn blind(table: &'static Table, key: Value) -> Self {
        Self {
            base: DraftBase::Blind(key),
            ..Self::new(table)
        }
    }

    /// Moves the draft out, leaving an empty one behind that must not be used but overwritten.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self {
            table: self.table,
            base: DraftBase::Nothing,
            set: Vec::new(),
            unchecked: Vec::new(),
            extra: Vec::new(),
            converted: Vec::new(),
        };
        std::mem::replace(self, empty)
    }

    /// The table of the draft's model.
    pub fn table(&self) -> &'static Table {
        self.table.0
    }

    /// The saved row, if the draft changes one that was read.
    pub fn original(&self) -> Option<&Record> {
        match &self.base {
            DraftBase::Row(base) => Some(base),
            DraftBase::Nothing | DraftBase::Blind(_) => None,
        }
    }

    /// The key of the saved row, if the draft changes one.
    pub fn key(&self) -> Option<&Value> {
        match &self.base {
            DraftBase::Nothing => None,
            DraftBase::Blind(key) => Some(key),
            DraftBase::Row(base) => Some(&base.values()[self.table().primary_key]),
        }
    }

    /// The same changes over the row as it was read now.
    pub fn rebase(&mut self, base: Record) {
        self.base = DraftBase::Row(base);
    }

    /// The column's value: the one set, or else the saved one.
    pub fn get(&self, column: usize) -> Option<ValueRef<'_>> {
        let saved = || self.original().map(|base| base.value(column));
        self.set[column].as_ref().map(Value::borrow).or_else(saved)
    }

    /// Sets the column.
    pub fn set(&mut self, column: usize, value: Value) {
        self.set[column] = Some(value);
    }

    /// Whether the column has been set, to whatever value.
    pub fn is_set(&self, column: usize) -> bool {
        self.set[column].is_some()
    }

    /// Whether saving would change the column, as far as is known.
    pub fn is_changed(&self, column: usize) -> bool {
        match (&self.set[column], self.original()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(value), Some(base)) => value.borrow() != base.value(column),
        }
    }

    /// An extra input that belongs to no column, by its wire name.
    pub fn extra(&self, name: &str) -> Option<ValueRef<'_>> {
        self.extra
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.borrow())
    }

    /// Keeps an extra input.
    pub fn set_extra(&mut self, name: &'static str, value: Value) {
        self.extra.retain(|(key, _)| *key != name);
        self.extra.push((name, value));
    }

    /// Takes an extra input out.
    pub fn take_extra(&mut self, name: &str) -> Option<Value> {
        let position = self.extra.iter().position(|(key, _)| *key == name)?;
        Some(self.extra.swap_remove(position).1)
    }

    /// Keeps an extra input that was taken out, for [`AnyDraft::with_converted`].
    pub(crate) fn keep_converted(&mut self, name: &'static str, value: Value) {
        self.converted.push((name, value));
    }

    /// A copy whose extra inputs include those that are stored in columns already.
    #[doc(hidden)]
    pub fn with_converted(&self) -> Self {
        let mut copy = self.clone();
        copy.extra.append(&mut copy.converted);
        copy
    }

    /// Returns the messages about values that the program sets or makes; those of a body were checked when it was read.
    pub fn check(&self) -> Errors {
        let mut errors = Errors::new();
        for position in &self.unchecked {
            let (column, value) = (&self.table().columns[*position], &self.set[*position]);
            let message = value
                .as_ref()
                .and_then(|value| Constraints::of(column)?.violation(value));
            if let Some(message) = message.filter(|_| !errors.has(&column.wire_name())) {
                errors.add(column.wire_name(), message);
            }
        }
        self.check_slugs(&mut errors);
        errors
    }
}

impl Row for AnyDraft {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.get(column).unwrap_or(ValueRef::Null)
    }
}
