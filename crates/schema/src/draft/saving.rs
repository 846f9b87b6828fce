//! Conversion of drafts to inserts and updates, with the values that the framework fills in.

use crate::clock::Clock;
use crate::column::{ColumnRole, KeyGeneration, Table};
use crate::constraints::Constraints;
use crate::draft::AnyDraft;
use crate::draft::any_draft::DraftBase;
use crate::errors::Errors;
use crate::message::{Message, code};
use crate::value::{Value, ValueRef};

/// Message for a text without any character for a unique slug.
const EMPTY_SLUG: &str = "Must contain a letter or a digit.";

/// Maximum length of a generated unique slug, which is part of URLs.
const MAX_SLUG_LENGTH: usize = 2048;

/// Changes that an update writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// Columns and their new values.
    pub values: Vec<(usize, Value)>,
    /// Derived columns, each with its source columns: they are written only if a source really changes. Empty over a
    /// row that was read, where the changes are known.
    pub derived: Vec<(usize, Vec<usize>)>,
    /// Column of the row's version, if the framework sets it: it gets its new value, or the one that follows the present
    /// value if that is greater, so that no two versions of a row are equal.
    pub version: Option<usize>,
}

impl Changes {
    /// Changes of a soft deletion at the current time, if the table supports it: the time, and a new version.
    pub fn deletion(table: &'static Table, clock: &Clock) -> Option<Self> {
        let column = table.soft_delete?;
        let mut draft = AnyDraft::blind(table, Value::Null);
        draft.set(column, Value::Timestamp(clock.now()));
        Some(Self {
            // The row was not deleted before, so that its version always changes.
            derived: Vec::new(),
            ..draft.changes(clock)
        })
    }

    /// Source columns of a derived column, with their new values; `None` if the column is written unconditionally.
    pub fn derived_from(&self, column: usize) -> Option<impl Iterator<Item = &(usize, Value)>> {
        let (_, causes) = self.derived.iter().find(|(own, _)| *own == column)?;
        Some(self.values.iter().filter(|(cause, _)| causes.contains(cause)))
    }
}

impl AnyDraft {
    /// Returns the columns and values to insert: set values, defaults, and generated values.
    ///
    /// Omits a primary key that the database assigns. Fails with the columns that still lack a value.
    pub fn insert_values(mut self, clock: &Clock) -> Result<Vec<(usize, Value)>, Errors> {
        self.fill_slugs();
        let now = clock.now();
        let mut errors = Errors::new();
        let mut row = Vec::with_capacity(self.set.len());
        let columns = self.table().columns;
        for (position, (column, set)) in std::iter::zip(columns, self.set).enumerate() {
            let value = match (column.role, set) {
                (_, Some(value)) => value,
                (ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement), None) => continue,
                (ColumnRole::PrimaryKey(KeyGeneration::UuidV7), None) => Value::Uuid(clock.uuid_at(now)),
                (ColumnRole::Created | ColumnRole::Updated, None) => Value::Timestamp(now),
                (ColumnRole::Version, None) => Value::Int(1),
                (
                    ColumnRole::Slug(_)
                    | ColumnRole::StableSlug(_)
                    | ColumnRole::Data
                    | ColumnRole::Deleted
                    | ColumnRole::PrimaryKey(KeyGeneration::Client),
                    None,
                ) => {
                    match column.default_value() {
                        None => Value::Null,
                        Some(Ok(value)) => value,
                        // Only possible for a model that neither a store nor a serializer has checked.
                        Some(Err(message)) => {
                            errors.add(column.wire_name(), message);
                            continue;
                        }
                    }
                }
            };
            if value.is_null() && !column.nullable {
                errors.add(column.wire_name(), column.required_message());
            }
            row.push((position, value));
        }
        if errors.is_empty() { Ok(row) } else { Err(errors) }
    }

    /// Returns the changes to write to the saved row; empty if nothing changed.
    pub fn changes(&self, clock: &Clock) -> Changes {
        let columns = self.table().columns;
        let changed: Vec<usize> = (0..columns.len())
            .filter(|position| self.is_changed(*position))
            .collect();
        let values = changed
            .iter()
            .filter_map(|position| Some((*position, self.set[*position].clone()?)));
        let mut changes = Changes {
            values: values.collect(),
            derived: Vec::new(),
            version: None,
        };
        let is_touched = self.is_touched();
        if changed.is_empty() && !is_touched {
            return changes;
        }
        for (position, column) in columns.iter().enumerate() {
            if self.is_set(position) {
                continue;
            }
            let (value, causes) = match column.role {
                ColumnRole::Updated => (Value::Timestamp(clock.now()), changed.clone()),
                ColumnRole::Version => (Value::Int(1), changed.clone()),
                ColumnRole::Slug(source) => match self.table().position(source) {
                    Some(cause) if changed.contains(&cause) => (self.slug(source), vec![cause]),
                    _ => continue,
                },
                ColumnRole::Data
                | ColumnRole::Deleted
                | ColumnRole::PrimaryKey(_)
                | ColumnRole::Created
                | ColumnRole::StableSlug(_) => continue,
            };
            changes.values.push((position, value));
            if self.table().version == Some(position) {
                changes.version = Some(position);
            }
            let is_of_change = !is_touched || matches!(column.role, ColumnRole::Slug(_));
            if matches!(self.base, DraftBase::Blind(_)) && is_of_change {
                changes.derived.push((position, causes));
            }
        }
        changes
    }

    /// Validates the slugs that saving generates. Errors are reported for the slug's source column.
    pub(super) fn check_slugs(&self, errors: &mut Errors) {
        let table = self.table();
        for (slug, column) in table.columns.iter().enumerate() {
            let Some(source) = column.role.slug_source() else {
                continue;
            };
            let Some(cause) = table.position(source) else {
                continue;
            };
            if !(column.unique || column.is_constrained()) || !self.makes_slug(slug, cause) {
                continue;
            }
            let made = self.slug(table.columns[cause].name);
            let message = Constraints::of(column).and_then(|check| check.violation(&made));
            // An empty slug cannot end a URL, and only one row could have it.
            let is_empty = column.unique && made == Value::Text(String::new());
            let message = message.or_else(|| is_empty.then(|| Message::new(code::PATTERN, EMPTY_SLUG)));
            let is_long = matches!(&made, Value::Text(slug) if column.unique && slug.len() > MAX_SLUG_LENGTH);
            let message = message.or_else(|| is_long.then(long_slug));
            if let Some(message) = message {
                errors.add(table.columns[cause].wire_name(), message);
            }
        }
    }

    /// Whether saving generates a new slug from this column.
    fn makes_slug(&self, slug: usize, cause: usize) -> bool {
        let is_new = matches!(self.base, DraftBase::Nothing);
        let follows = matches!(self.table().columns[slug].role, ColumnRole::Slug(_));
        !self.is_set(slug) && (is_new || follows && self.is_changed(cause))
    }

    /// Generates the slugs that are not set, while their source texts are still present.
    fn fill_slugs(&mut self) {
        for (position, column) in self.table().columns.iter().enumerate() {
            if let Some(source) = column.role.slug_source()
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

/// Message for a text whose unique slug would be too long.
fn long_slug() -> Message {
    let text = format!("Is too long: the slug made from it must have at most {MAX_SLUG_LENGTH} characters.");
    Message::new(code::MAX_LENGTH, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use crate::data_type::DataType;

    static NOTES: Table = Table::new(
        "notes",
        "Note",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("slug", DataType::Text).role(ColumnRole::Slug("title")),
            Column::new("title", DataType::Text),
            Column::new("again", DataType::Text).role(ColumnRole::Slug("title")),
            Column::new("stars", DataType::I32).default("3"),
        ],
    );

    #[test]
    fn an_insertion_holds_what_was_set_and_slugs_and_defaults_but_no_counted_key() {
        let mut draft = AnyDraft::new(&NOTES);
        draft.set(2, Value::Text("Ho Ho".to_owned()));
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(
            draft.insert_values(&Clock::system()).unwrap(),
            [
                (1, text("ho-ho")),
                (2, text("Ho Ho")),
                (3, text("ho-ho")),
                (4, Value::Int(3))
            ]
        );
        let errors = AnyDraft::new(&NOTES).insert_values(&Clock::system()).unwrap_err();
        assert_eq!(errors.len(), 3);
    }

    #[test]
    fn an_insertion_takes_the_values_along_without_copying_them() {
        let mut draft = AnyDraft::new(&NOTES);
        let title = "Ho Ho".to_owned();
        let place = title.as_ptr();
        draft.set(2, Value::Text(title));
        let row = draft.insert_values(&Clock::system()).unwrap();
        assert!(matches!(&row[1].1, Value::Text(title) if title.as_ptr() == place));
    }

    #[test]
    fn a_default_that_is_no_value_of_its_column_is_an_error_of_the_field() {
        static TABLE: Table = Table::new(
            "t",
            "T",
            &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
                Column::new("stars", DataType::I32).default("many"),
            ],
        );
        let errors = AnyDraft::new(&TABLE).insert_values(&Clock::system()).unwrap_err();
        assert!(errors.has("stars"));
    }
}
