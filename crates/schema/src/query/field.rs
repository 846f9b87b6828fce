//! Predicates and sort keys of typed fields.

use crate::column::References;
use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::query::any_where::{AnyWhere, FieldPath};
use crate::query::order_by::OrderBy;
use crate::query::predicate::{Comparison, Pattern, Predicate};
use crate::query::where_clause::Where;
use crate::value::Value;

/// Predicates on the value of a field, for [`Query::filter`](crate::query::Query::filter), policies and restrictions.
impl<M: Model, T: ColumnType> Field<M, T> {
    /// Rows whose field equals this value; `None` means rows without a value.
    pub fn eq(self, value: impl Into<T>) -> Where<M> {
        self.eq_value(value.into().to_value().to_value())
    }

    /// Rows whose field does not equal this value, rows without a value included.
    pub fn ne(self, value: impl Into<T>) -> Where<M> {
        !self.eq(value)
    }

    /// Rows whose field is greater than this value.
    pub fn gt(self, value: impl Into<T>) -> Where<M> {
        self.compare(Comparison::Gt, value.into())
    }

    /// Rows whose field is greater than or equal to this value.
    pub fn gte(self, value: impl Into<T>) -> Where<M> {
        self.compare(Comparison::Gte, value.into())
    }

    /// Rows whose field is less than this value.
    pub fn lt(self, value: impl Into<T>) -> Where<M> {
        self.compare(Comparison::Lt, value.into())
    }

    /// Rows whose field is less than or equal to this value.
    pub fn lte(self, value: impl Into<T>) -> Where<M> {
        self.compare(Comparison::Lte, value.into())
    }

    /// Rows whose field equals one of these values; without values, no row.
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Where<M> {
        let values: Vec<Value> = values
            .into_iter()
            .map(|value| value.into().to_value().to_value())
            .collect();
        if values.is_empty() {
            return Where::none();
        }
        self.has(Predicate::OneOf(values))
    }

    /// Rows whose field has no value.
    pub fn is_null(self) -> Where<M> {
        self.has(Predicate::Null(true))
    }

    /// Rows whose text contains this text; upper and lower case are different.
    pub fn contains(self, text: impl Into<String>) -> Where<M> {
        self.has(Predicate::Like(Pattern::containing(text)))
    }

    /// Rows whose foreign key references a row that the other condition matches.
    ///
    /// # Panics
    /// If the field is not a foreign key to the other model.
    #[track_caller]
    pub fn references<O: Model>(self, other: Where<O>) -> Where<M> {
        let (column, table) = (&M::table().columns[self.position()], O::table());
        let is_key = |references: References| (references.table)().id() == table.id();
        assert!(
            column.references.is_some_and(is_key),
            "`{name}` of {model} is no foreign key to {other}: give the one that is, or declare it by \
             #[column(references = {other})]",
            name = column.name,
            model = M::table().model,
            other = table.model
        );
        Where::from_any(AnyWhere::references(self.position(), table, other.into_any()))
    }

    /// Rows whose field equals another field of the row. Rows that lack one of the values do not match; this also
    /// applies to the comparisons below.
    ///
    /// # Panics
    /// If the fields have different types. One of them may be an `Option`.
    #[track_caller]
    pub fn eq_field<U: ColumnType>(self, other: Field<M, U>) -> Where<M> {
        self.compare_field(Comparison::Eq, other)
    }

    /// Rows whose field is greater than another field of the row.
    ///
    /// # Panics
    /// As [`Field::eq_field`].
    #[track_caller]
    pub fn gt_field<U: ColumnType>(self, other: Field<M, U>) -> Where<M> {
        self.compare_field(Comparison::Gt, other)
    }

    /// Rows whose field is greater than or equal to another field of the row.
    ///
    /// # Panics
    /// As [`Field::eq_field`].
    #[track_caller]
    pub fn gte_field<U: ColumnType>(self, other: Field<M, U>) -> Where<M> {
        self.compare_field(Comparison::Gte, other)
    }

    /// Ascending order of the field's values; rows without a value come last.
    pub fn asc(self) -> OrderBy<M> {
        OrderBy::new(FieldPath::from(self))
    }

    /// Descending order of the field's values; rows without a value come last.
    pub fn desc(self) -> OrderBy<M> {
        self.asc().reversed()
    }

    /// Rows whose field equals a value whose type is only known at run time.
    #[doc(hidden)]
    pub fn eq_value(self, value: Value) -> Where<M> {
        match value {
            Value::Null => self.is_null(),
            value => self.has(Predicate::Is(Comparison::Eq, value)),
        }
    }

    fn compare(self, comparison: Comparison, value: T) -> Where<M> {
        self.has(Predicate::Is(comparison, value.to_value().to_value()))
    }

    #[track_caller]
    fn compare_field<U: ColumnType>(self, comparison: Comparison, other: Field<M, U>) -> Where<M> {
        let (one, two) = (self.column(), other.column());
        assert!(
            one.data_type.is_comparable_with(two.data_type),
            "`{}` of {} cannot be compared with `{}`: give both fields the same type",
            one.name,
            M::table().model,
            two.name
        );
        self.has(Predicate::IsColumn(comparison, other.position()))
    }

    fn has(self, predicate: Predicate) -> Where<M> {
        Where::from_any(AnyWhere::Compare(FieldPath::from(self), predicate))
    }
}
