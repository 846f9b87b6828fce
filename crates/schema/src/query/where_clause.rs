//! Typed conditions on the rows of a model.

use std::marker::PhantomData;

use crate::model::{Model, Row};
use crate::query::any_where::AnyWhere;
use crate::query::predicate::Predicate;
use crate::table_constraints::RowCondition;

/// A condition on the rows of a model.
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
    /// Matches all rows.
    pub const fn all() -> Self {
        Self::from_any(AnyWhere::all())
    }

    /// Matches no row.
    pub const fn none() -> Self {
        Self::from_any(AnyWhere::Or(Vec::new()))
    }

    /// Matches all rows if this holds, and no row otherwise: `Where::all_if(caller.has_role("admin"))`.
    pub const fn all_if(condition: bool) -> Self {
        if condition { Self::all() } else { Self::none() }
    }

    /// Combines two conditions with AND.
    pub fn and(self, other: Self) -> Self {
        Self::from_any(self.condition.and(other.condition))
    }

    /// Combines two conditions with OR.
    pub fn or(self, other: Self) -> Self {
        match (self.condition, other.condition) {
            (all, _) | (_, all) if all.is_all() => Self::all(),
            (one, none) | (none, one) if none.is_none() => Self::from_any(one),
            (one, other) => Self::from_any(AnyWhere::Or(vec![one, other])),
        }
    }

    /// Hints that most rows match (see SQLite's `likely()`). The database then reads rows in the requested order and
    /// skips the others, instead of looking rows up by an index and sorting them. Use it in policies that show most
    /// rows to everyone, because SQLite has no statistics about the values.
    pub fn likely(self) -> Self {
        match self.condition {
            all if all.is_all() => Self::from_any(all),
            condition => Self::from_any(AnyWhere::Likely(Box::new(condition))),
        }
    }

    /// Converts to the type-erased condition.
    pub fn into_any(self) -> AnyWhere {
        self.condition
    }

    /// Converts to the condition of a constraint or a partial index. `#[derive(Model)]` calls it.
    #[doc(hidden)]
    pub fn into_row_condition(self) -> RowCondition {
        row_condition(self.condition)
    }

    /// Evaluates the condition on an instance, to test policies without a database.
    ///
    /// # Panics
    /// If the result depends on rows of other models.
    pub fn matches(&self, instance: &M) -> bool {
        let known = evaluate(&self.condition, instance);
        known.unwrap_or_else(|table| panic!("only a database knows the rows of {table} that this depends on"))
    }

    /// Creates a typed condition from a type-erased one.
    pub(crate) const fn from_any(condition: AnyWhere) -> Self {
        Self {
            condition,
            marker: PhantomData,
        }
    }
}

/// Negates the condition.
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

/// Converts a condition that only the row's own columns decide.
fn row_condition(condition: AnyWhere) -> RowCondition {
    let all = |conditions: Vec<AnyWhere>| conditions.into_iter().map(row_condition).collect();
    match condition {
        AnyWhere::And(conditions) => RowCondition::And(all(conditions)),
        AnyWhere::Or(conditions) => RowCondition::Or(all(conditions)),
        AnyWhere::Not(condition) => RowCondition::Not(Box::new(row_condition(*condition))),
        AnyWhere::Likely(condition) => row_condition(*condition),
        AnyWhere::Compare(path, predicate) => match (path.steps(), path.keys(), predicate) {
            ([], [], Predicate::Like(_)) => {
                RowCondition::Unsupported(format!("searches in the text of `{}`", path.column().name))
            }
            ([], [], predicate) => RowCondition::Compare(path.position(), predicate),
            ([], _, _) => {
                RowCondition::Unsupported(format!("looks into the JSON of `{}`", path.column().name))
            }
            (_, _, _) => RowCondition::Unsupported(format!("depends on rows of {}", path.table().model)),
        },
    }
}

/// Evaluates a condition on a row. Fails with the name of another model if the result depends on its rows.
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
        AnyWhere::Compare(path, predicate) => {
            Ok(predicate.matches(path.position(), &|column| row.value(column)))
        }
    }
}

/// Combines results with AND: one `false` decides, even if others are unknown.
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
