//! Conditions that know the model whose rows they are about.

use std::marker::PhantomData;

use crate::column::References;
use crate::column_type::ColumnType;
use crate::model::{Field, Model, Row};
use crate::query::any_where::{AnyWhere, FieldPath};
use crate::query::predicate::{Comparison, Predicate};
use crate::value::Value;

/// Which rows of a model are meant.
///
/// ```
/// # use model_resource_schema::column::{Assigned, Column, Role, Table};
/// # use model_resource_schema::column_type::{ColumnType, TypeMismatch};
/// # use model_resource_schema::data_type::DataType;
/// # use model_resource_schema::model::{Field, Model, Row};
/// # use model_resource_schema::value::ValueRef;
/// use model_resource_schema::query::Where;
/// # static NOTES: Table = Table::new("notes", "Note", &[
/// #     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
/// #     Column::new("is_public", DataType::Bool),
/// #     Column::new("owner", DataType::I64),
/// # ]);
/// # struct Note { id: i64, is_public: bool, owner: i64 }
/// # impl Note {
/// #     const IS_PUBLIC: Field<Note, bool> = Field::at(1);
/// #     const OWNER: Field<Note, i64> = Field::at(2);
/// # }
/// # impl Row for Note {
/// #     fn value(&self, column: usize) -> ValueRef<'_> {
/// #         [ValueRef::Int(self.id), ValueRef::Bool(self.is_public), ValueRef::Int(self.owner)][column]
/// #     }
/// # }
/// # impl Model for Note {
/// #     fn table() -> &'static Table { &NOTES }
/// #     fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
/// #         let (id, owner) = (i64::from_value(row.value(0))?, i64::from_value(row.value(2))?);
/// #         Ok(Note { id, is_public: bool::from_value(row.value(1))?, owner })
/// #     }
/// # }
///
/// let readable = Where::is(Note::IS_PUBLIC, true).or(Where::is(Note::OWNER, 7));
/// assert!(readable.holds(&Note { id: 1, is_public: false, owner: 7 }));
/// assert!(!readable.holds(&Note { id: 2, is_public: false, owner: 8 }));
/// ```
pub struct Where<M> {
    condition: AnyWhere,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Where<M> {
    /// All rows.
    pub const fn all() -> Self {
        Self::of(AnyWhere::all())
    }

    /// No row.
    pub const fn none() -> Self {
        Self::of(AnyWhere::Or(Vec::new()))
    }

    /// Those whose field has this value; `None` means those that have none.
    pub fn is<T: ColumnType>(field: Field<M, T>, value: T) -> Self {
        Self::has(field, value.to_value().to_value())
    }

    /// The same of a value whose type is not known.
    pub fn has<T: ColumnType>(field: Field<M, T>, value: Value) -> Self {
        let test = match value {
            Value::Null => Predicate::Null(true),
            value => Predicate::Is(Comparison::Eq, value),
        };
        Self::of(AnyWhere::Compare(FieldPath::from(field), test))
    }

    /// Those whose field compares so with this value; those without a value do not.
    pub fn compares<T: ColumnType>(field: Field<M, T>, comparison: Comparison, value: T) -> Self {
        let test = Predicate::Is(comparison, value.to_value().to_value());
        Self::of(AnyWhere::Compare(FieldPath::from(field), test))
    }

    /// Those that name, in this foreign key, a row of which the other condition holds.
    ///
    /// # Panics
    /// When the field is no foreign key to the other model.
    #[track_caller]
    pub fn references<T: ColumnType, O: Model>(field: Field<M, T>, other: Where<O>) -> Self {
        let (column, table) = (&M::table().columns[field.position()], O::table());
        let is_key = |references: References| std::ptr::eq((references.table)(), table);
        assert!(
            column.references.is_some_and(is_key),
            "`{name}` of {model} is no foreign key to {other}: give the one that is, or declare it by \
             #[column(references = {other})]",
            name = column.name,
            model = M::table().model,
            other = table.model
        );
        Self::of(AnyWhere::references(
            field.position(),
            O::table(),
            other.condition,
        ))
    }

    /// Those of which both hold.
    pub fn and(self, other: Self) -> Self {
        Self::of(self.condition.and(other.condition))
    }

    /// Those of which one at least holds.
    pub fn or(self, other: Self) -> Self {
        match (self.condition, other.condition) {
            (all, _) | (_, all) if all.is_all() => Self::all(),
            (one, none) | (none, one) if none.is_none() => Self::of(one),
            (one, other) => Self::of(AnyWhere::Or(vec![one, other])),
        }
    }

    /// The same, said to be most of the rows: a database then reads rows in the order that is wanted and leaves the others
    /// out, instead of looking these up by an index and sorting them. A rule for what anyone sees says so, as SQLite knows
    /// nothing about how many rows have a value.
    pub fn likely(self) -> Self {
        match self.condition {
            all if all.is_all() => Self::of(all),
            condition => Self::of(AnyWhere::Likely(Box::new(condition))),
        }
    }

    /// The condition without its model's type.
    pub fn into_any(self) -> AnyWhere {
        self.condition
    }

    /// Whether it holds of an instance, for tests of rules without a database.
    ///
    /// # Panics
    /// When that depends on rows of other models, which only a database knows.
    pub fn matches(&self, instance: &M) -> bool {
        let known = evaluate(&self.condition, instance);
        known.unwrap_or_else(|table| panic!("only a database knows the rows of {table} that this depends on"))
    }

    const fn of(condition: AnyWhere) -> Self {
        Self {
            condition,
            marker: PhantomData,
        }
    }
}

/// The others.
impl<M: Model> std::ops::Not for Where<M> {
    type Output = Self;

    fn not(self) -> Self {
        Self::of(AnyWhere::Not(Box::new(self.condition)))
    }
}

impl<M> Clone for Where<M> {
    fn clone(&self) -> Self {
        Self {
            condition: self.condition.clone(),
            marker: PhantomData,
        }
    }
}

impl<M> std::fmt::Debug for Where<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.condition.fmt(f)
    }
}

/// Whether a condition holds of a row, or the model whose rows decide that.
pub(crate) fn evaluate(condition: &AnyWhere, row: &dyn Row) -> Result<bool, &'static str> {
    match condition {
        AnyWhere::And(conditions) => all(conditions.iter().map(|one| evaluate(one, row))),
        AnyWhere::Or(conditions) => {
            let not_one = all(conditions.iter().map(|one| Ok(!evaluate(one, row)?)));
            Ok(!not_one?)
        }
        AnyWhere::Not(condition) => Ok(!evaluate(condition, row)?),
        AnyWhere::Likely(condition) => evaluate(condition, row),
        AnyWhere::Compare(path, _) if !path.is_own_column() => Err(path.table().model),
        AnyWhere::Compare(path, test) => {
            let value = row.value(path.position());
            Ok(match test {
                Predicate::Is(comparison, other) => comparison.holds(value, other.borrow()),
                Predicate::Null(is_null) => value.is_null() == *is_null,
                // `Where` makes no such tests; a filter does, and is decided by the database.
                Predicate::OneOf(_) | Predicate::NoneOf(_) | Predicate::Between(..) | Predicate::Like(_) => {
                    return Err(path.table().model);
                }
            })
        }
    }
}

/// One that does not hold decides, whatever is not known of the others.
fn all(known: impl Iterator<Item = Result<bool, &'static str>>) -> Result<bool, &'static str> {
    let mut all = Ok(true);
    for one in known {
        match one {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            unknown => all = unknown,
        }
    }
    all
}
