//! An object that is not saved yet: each column set or not, over the row it changes, if any.

use std::marker::PhantomData;

use crate::calendar;
use crate::check::Check;
use crate::column::{Assigned, Role, Table};
use crate::column_type::{ColumnType, Mismatch};
use crate::errors::Errors;
use crate::model::{Field, Model, Record, Row};
use crate::value::{Value, ValueRef};

/// What create, put and patch load: an instance of `M` whose columns are each set or not, and which knows what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft<M> {
    draft: AnyDraft,
    marker: PhantomData<fn() -> M>,
}

/// A [`Draft`] of a model known only by its table.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyDraft {
    table: TableRef,
    base: Base,
    set: Vec<Option<Value>>,
    /// The columns whose values came from the program and have not been held against the column's constraints.
    unchecked: Vec<usize>,
    extra: Vec<(&'static str, Value)>,
}

/// What a draft lies over.
#[derive(Debug, Clone, PartialEq)]
enum Base {
    /// Nothing: the object is new.
    Nothing,
    /// The row with this key, whatever it holds.
    Unread(Value),
    /// This row.
    Row(Record),
}

/// What an update writes over a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// The columns and their new values.
    pub values: Vec<(usize, Value)>,
    /// Those of them that are written only if others really change, each with those others. There are none over a row
    /// that was read, where it is known what changes.
    pub following: Vec<(usize, Vec<usize>)>,
}

impl Changes {
    /// The columns, with their new values, of which one must really change for this one to be written; nothing if it is
    /// written anyway.
    pub fn causes(&self, column: usize) -> Option<impl Iterator<Item = &(usize, Value)>> {
        let (_, causes) = self.following.iter().find(|(own, _)| *own == column)?;
        Some(self.values.iter().filter(|(cause, _)| causes.contains(cause)))
    }
}

/// Tables are statics; two references to one are the same table.
#[derive(Debug, Clone, Copy)]
struct TableRef(&'static Table);

impl PartialEq for TableRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<M: Model> Default for Draft<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Model> Draft<M> {
    /// A new object with nothing set.
    pub fn new() -> Self {
        Self::from_any(AnyDraft::new(M::table()))
    }

    /// A change of an existing instance, with nothing changed yet.
    pub fn of(instance: &M) -> Self {
        let table = M::table();
        Self::from_any(AnyDraft::of(table, Record::copy(instance, table)))
    }

    /// Gives a draft its model's type back.
    pub fn from_any(draft: AnyDraft) -> Self {
        debug_assert!(
            std::ptr::eq(draft.table(), M::table()),
            "a draft of another table"
        );
        Self {
            draft,
            marker: PhantomData,
        }
    }

    /// The draft without its model's type.
    pub fn into_any(self) -> AnyDraft {
        self.draft
    }

    /// The column's value: the one set, or else the saved one.
    pub fn get<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        self.draft
            .get(field.position())
            .and_then(|value| T::from_value(value).ok())
    }

    /// The column's saved value, of a change of an existing row.
    pub fn saved<T: ColumnType>(&self, field: Field<M, T>) -> Option<T> {
        let base = self.draft.base()?;
        T::from_value(base.value(field.position())).ok()
    }

    /// Sets the column.
    pub fn set<T: ColumnType>(&mut self, field: Field<M, T>, value: T) {
        self.draft.set(field.position(), value.to_value().to_value());
        self.draft.unchecked.push(field.position());
    }

    /// Whether saving would change the column.
    pub fn is_changed<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.draft.is_changed(field.position())
    }

    /// An extra input that belongs to no column, by its wire name.
    pub fn extra<T: ColumnType>(&self, name: &str) -> Option<T> {
        self.draft.extra(name).and_then(|value| T::from_value(value).ok())
    }

    /// The instance that the draft describes; fails while a column without value is left.
    pub fn instance(&self) -> Result<M, Mismatch> {
        M::from_row(&self.draft)
    }
}

impl AnyDraft {
    /// A new object with nothing set.
    pub fn new(table: &'static Table) -> Self {
        Self {
            table: TableRef(table),
            base: Base::Nothing,
            set: vec![None; table.columns.len()],
            unchecked: Vec::new(),
            extra: Vec::new(),
        }
    }

    /// A change of a saved row.
    pub fn of(table: &'static Table, base: Record) -> Self {
        Self {
            base: Base::Row(base),
            ..Self::new(table)
        }
    }

    /// A change of the row with this key, which was not read.
    pub fn unread(table: &'static Table, key: Value) -> Self {
        Self {
            base: Base::Unread(key),
            ..Self::new(table)
        }
    }

    /// Moves the draft out, leaving an empty one behind that must not be used but overwritten.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self {
            table: self.table,
            base: Base::Nothing,
            set: Vec::new(),
            unchecked: Vec::new(),
            extra: Vec::new(),
        };
        std::mem::replace(self, empty)
    }

    /// The table of the draft's model.
    pub fn table(&self) -> &'static Table {
        self.table.0
    }

    /// The saved row, if the draft changes one that was read.
    pub fn base(&self) -> Option<&Record> {
        match &self.base {
            Base::Row(base) => Some(base),
            Base::Nothing | Base::Unread(_) => None,
        }
    }

    /// The key of the saved row, if the draft changes one.
    pub fn key(&self) -> Option<&Value> {
        match &self.base {
            Base::Nothing => None,
            Base::Unread(key) => Some(key),
            Base::Row(base) => Some(&base.values()[self.table().primary_key]),
        }
    }

    /// The same changes over the row as it was read now.
    pub fn rebase(&mut self, base: Record) {
        self.base = Base::Row(base);
    }

    /// The column's value: the one set, or else the saved one.
    pub fn get(&self, column: usize) -> Option<ValueRef<'_>> {
        let saved = || self.base().map(|base| base.value(column));
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
        match (&self.set[column], self.base()) {
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

    /// What is wrong with the values that the program has set; those of a body were checked when they were read.
    pub fn check(&self) -> Errors {
        let mut errors = Errors::new();
        for position in &self.unchecked {
            let (column, value) = (&self.table().columns[*position], &self.set[*position]);
            let complaint = value
                .as_ref()
                .and_then(|value| Check::of(column)?.complaint(value));
            if let Some(complaint) = complaint.filter(|_| !errors.has(&column.wire_name())) {
                errors.add(column.wire_name(), complaint);
            }
        }
        errors
    }

    /// The columns and values of the row to insert: what was set, defaults, and what the framework fills in.
    ///
    /// A primary key that the database assigns is left out. Fails with the columns that still lack a value.
    pub fn insertion(mut self) -> Result<Vec<(usize, Value)>, Errors> {
        self.fill_slugs();
        let now = calendar::now();
        let mut errors = Errors::new();
        let mut row = Vec::with_capacity(self.set.len());
        let columns = self.table().columns;
        for (position, (column, set)) in std::iter::zip(columns, self.set).enumerate() {
            let value = match (column.role, set) {
                (_, Some(value)) => value,
                (Role::PrimaryKey(Assigned::ByDatabase), None) => continue,
                (Role::PrimaryKey(Assigned::AsUuid), None) => Value::Uuid(uuid::Uuid::now_v7()),
                (Role::Created | Role::Updated, None) => Value::Timestamp(now),
                (Role::Slug(_) | Role::Data | Role::PrimaryKey(Assigned::ByClient), None) => {
                    match column.default.map(|text| column.kind.parse(text)) {
                        None => Value::Null,
                        Some(Ok(value)) => value,
                        // Only of a model that no store and no serializer was asked to check.
                        Some(Err(complaint)) => {
                            errors.add(column.wire_name(), complaint);
                            continue;
                        }
                    }
                }
            };
            if value.is_null() && !column.nullable {
                errors.add(column.wire_name(), format!("{} is required.", column.label()));
            }
            row.push((position, value));
        }
        if errors.is_empty() { Ok(row) } else { Err(errors) }
    }

    /// What to write over the saved row; nothing when nothing changed.
    pub fn changes(&self) -> Changes {
        let columns = self.table().columns;
        let changed: Vec<usize> = (0..columns.len())
            .filter(|position| self.is_changed(*position))
            .collect();
        let values = changed
            .iter()
            .filter_map(|position| Some((*position, self.set[*position].clone()?)));
        let mut changes = Changes {
            values: values.collect(),
            following: Vec::new(),
        };
        if changed.is_empty() {
            return changes;
        }
        for (position, column) in columns.iter().enumerate() {
            if self.is_set(position) {
                continue;
            }
            let (value, causes) = match column.role {
                Role::Updated => (Value::Timestamp(calendar::now()), changed.clone()),
                Role::Slug(source) => match self.table().position(source) {
                    Some(cause) if changed.contains(&cause) => (self.slug(source), vec![cause]),
                    _ => continue,
                },
                Role::Data | Role::PrimaryKey(_) | Role::Created => continue,
            };
            changes.values.push((position, value));
            if let Base::Unread(_) = self.base {
                changes.following.push((position, causes));
            }
        }
        changes
    }

    /// Makes the slugs that are not set, while the texts they are made of are still here.
    fn fill_slugs(&mut self) {
        for (position, column) in self.table().columns.iter().enumerate() {
            if let Role::Slug(source) = column.role
                && !self.is_set(position)
            {
                self.set[position] = Some(self.slug(source));
            }
        }
    }

    fn slug(&self, source: &str) -> Value {
        match self.table().position(source).and_then(|source| self.get(source)) {
            Some(ValueRef::Text(text)) => Value::Text(slug::slugify(text)),
            _ => Value::Null,
        }
    }
}

impl Row for AnyDraft {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.get(column).unwrap_or(ValueRef::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use crate::kind::Kind;

    static NOTES: Table = Table::new(
        "notes",
        "Note",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("slug", Kind::Text).role(Role::Slug("title")),
            Column::new("title", Kind::Text),
            Column::new("again", Kind::Text).role(Role::Slug("title")),
            Column::new("stars", Kind::I32).default("3"),
        ],
    );

    #[test]
    fn an_insertion_holds_what_was_set_and_slugs_and_defaults_but_no_counted_key() {
        let mut draft = AnyDraft::new(&NOTES);
        draft.set(2, Value::Text("Ho Ho".to_owned()));
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(
            draft.insertion().unwrap(),
            [
                (1, text("ho-ho")),
                (2, text("Ho Ho")),
                (3, text("ho-ho")),
                (4, Value::Int(3))
            ]
        );
        let errors = AnyDraft::new(&NOTES).insertion().unwrap_err();
        assert_eq!(errors.len(), 3);
    }

    #[test]
    fn an_insertion_takes_the_values_along_without_copying_them() {
        let mut draft = AnyDraft::new(&NOTES);
        let title = "Ho Ho".to_owned();
        let place = title.as_ptr();
        draft.set(2, Value::Text(title));
        let row = draft.insertion().unwrap();
        assert!(matches!(&row[1].1, Value::Text(title) if title.as_ptr() == place));
    }

    #[test]
    fn a_default_that_is_no_value_of_its_column_is_an_error_of_the_field() {
        static TABLE: Table = Table::new(
            "t",
            "T",
            &[
                Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
                Column::new("stars", Kind::I32).default("many"),
            ],
        );
        assert!(AnyDraft::new(&TABLE).insertion().unwrap_err().has("stars"));
    }
}
