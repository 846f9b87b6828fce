//! Conditions that know the model whose rows they are about.

use std::marker::PhantomData;

use crate::model::{Model, Row};
use crate::query::any_where::AnyWhere;

/// Which rows of a model are meant.
///
/// ```
/// # use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
/// # use model_resource_schema::column_type::{ColumnType, TypeMismatch};
/// # use model_resource_schema::data_type::DataType;
/// # use model_resource_schema::model::{Field, Model, Row};
/// # use model_resource_schema::value::ValueRef;
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
/// let readable = Note::IS_PUBLIC.eq(true).or(Note::OWNER.eq(7));
/// assert!(readable.matches(&Note { id: 1, is_public: false, owner: 7 }));
/// assert!(!readable.matches(&Note { id: 2, is_public: false, owner: 8 }));
/// ```
pub struct Where<M> {
    condition: AnyWhere,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Where<M> {
    /// All rows.
    pub const fn all() -> Self {
        Self::from_any(AnyWhere::all())
    }

    /// No row.
    pub const fn none() -> Self {
        Self::from_any(AnyWhere::Or(Vec::new()))
    }

    /// Those of which both hold.
    pub fn and(self, other: Self) -> Self {
        Self::from_any(self.condition.and(other.condition))
    }

    /// Those of which one at least holds.
    pub fn or(self, other: Self) -> Self {
        match (self.condition, other.condition) {
            (all, _) | (_, all) if all.is_all() => Self::all(),
            (one, none) | (none, one) if none.is_none() => Self::from_any(one),
            (one, other) => Self::from_any(AnyWhere::Or(vec![one, other])),
        }
    }

    /// The same, said to be most of the rows: a database then reads rows in the order that is wanted and leaves the others
    /// out, instead of looking these up by an index and sorting them. A rule for what anyone sees says so, as SQLite knows
    /// nothing about how many rows have a value.
    pub fn likely(self) -> Self {
        match self.condition {
            all if all.is_all() => Self::from_any(all),
            condition => Self::from_any(AnyWhere::Likely(Box::new(condition))),
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

    /// A condition of this model from one without its type.
    pub(crate) const fn from_any(condition: AnyWhere) -> Self {
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
        Self::from_any(AnyWhere::Not(Box::new(self.condition)))
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
        AnyWhere::Compare(path, predicate) => Ok(predicate.matches(row.value(path.position()))),
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
