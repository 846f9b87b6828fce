//! Type-erased filters of a table's rows.

use std::sync::Arc;

use crate::column::Table;
use crate::data_type::DataType;
use crate::model::Row;
use crate::query::any_where::{AnyWhere, FieldPath};
use crate::query::predicate::{Comparison, Predicate};
use crate::query::where_clause::evaluate;
use crate::value::Value;

/// A type-erased query: the rows of a table whose columns equal the given values and which match a condition, without an
/// order or a limit.
#[derive(Debug, Clone)]
pub struct AnyQuery {
    table: &'static Table,
    conditions: Vec<(usize, Value)>,
    /// Additional condition; `None` for all rows. It is shared, because that of a policy goes into many queries.
    condition: Option<Arc<AnyWhere>>,
}

static ALL: AnyWhere = AnyWhere::all();

impl AnyQuery {
    /// Selects all rows of a table.
    pub fn from(table: &'static Table) -> Self {
        Self {
            table,
            conditions: Vec::new(),
            condition: None,
        }
    }

    /// Keeps rows whose column at this position equals the value; [`Value::Null`] matches rows without a value.
    pub fn filter(mut self, column: usize, value: Value) -> Self {
        self.conditions.push((column, value));
        self
    }

    /// Keeps rows that match the condition.
    pub fn restrict(mut self, condition: impl Into<Arc<AnyWhere>>) -> Self {
        let condition = condition.into();
        if condition.is_all() {
            return self;
        }
        self.condition = Some(match self.condition {
            Some(present) => Arc::new(Arc::unwrap_or_clone(present).and(Arc::unwrap_or_clone(condition))),
            None => condition,
        });
        self
    }

    /// Keeps rows that match a condition of the application. Equality with a column is kept separately, as by
    /// [`AnyQuery::filter`], so that a lookup by an indexed column counts as a short read.
    pub(crate) fn filter_where(self, condition: AnyWhere) -> Self {
        match condition {
            AnyWhere::And(conditions) => conditions.into_iter().fold(self, Self::filter_where),
            AnyWhere::Compare(path, predicate) if path.is_own_column() => self.filter_column(path, predicate),
            other => self.restrict(other),
        }
    }

    fn filter_column(self, path: FieldPath, predicate: Predicate) -> Self {
        match predicate {
            Predicate::Is(Comparison::Eq, value) => self.filter(path.position(), value),
            Predicate::Null(true) => self.filter(path.position(), Value::Null),
            other => self.restrict(AnyWhere::Compare(path, other)),
        }
    }

    /// Table of the query.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Columns and the values that they must equal.
    pub fn conditions(&self) -> &[(usize, Value)] {
        &self.conditions
    }

    /// Additional condition.
    pub fn condition(&self) -> &AnyWhere {
        self.condition.as_deref().unwrap_or(&ALL)
    }

    /// Converts the whole query to one condition.
    pub fn into_where(self) -> AnyWhere {
        let Self {
            table,
            conditions,
            condition,
        } = self;
        let condition = condition.map_or(AnyWhere::all(), Arc::unwrap_or_clone);
        let equals = |(column, value)| AnyWhere::equals(table, column, value);
        conditions.into_iter().map(equals).fold(condition, AnyWhere::and)
    }

    /// Whether the values of a row decide if it is selected, as exactly as in a database: whether the query compares
    /// booleans, integers and UUIDs of the table itself and nothing else.
    pub fn is_decided_by_row(&self) -> bool {
        let is_exact = |column: usize| is_exact(self.table.columns[column].data_type);
        self.conditions.iter().all(|(column, _)| is_exact(*column)) && is_decided(self.condition(), &is_exact)
    }

    /// Whether a row is selected, if [its values decide that](Self::is_decided_by_row); otherwise `false`.
    ///
    /// ```
    /// use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
    /// use model_resource_schema::data_type::DataType;
    /// use model_resource_schema::model::Record;
    /// use model_resource_schema::query::AnyQuery;
    /// use model_resource_schema::value::Value;
    ///
    /// static NOTES: Table = Table::new("notes", "Note", &[
    ///     Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    ///     Column::new("owner_id", DataType::I64),
    /// ]);
    /// let own = AnyQuery::from(&NOTES).filter(1, Value::Int(7));
    /// assert!(own.selects(&Record::new(vec![Value::Int(1), Value::Int(7)])));
    /// assert!(!own.selects(&Record::new(vec![Value::Int(2), Value::Int(8)])));
    /// ```
    pub fn selects(&self, row: &dyn Row) -> bool {
        let is_equal = |(column, value): &(usize, Value)| {
            let own = row.value(*column);
            own == value.borrow()
        };
        self.conditions.iter().all(is_equal) && evaluate(self.condition(), row) == Ok(true)
    }

    /// Whether all rows of the table are selected.
    pub fn is_all(&self) -> bool {
        self.conditions.is_empty() && self.condition().is_all()
    }
}

/// Whether all databases compare values of this type alike.
fn is_exact(data_type: DataType) -> bool {
    matches!(
        data_type,
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 | DataType::Uuid
    )
}

fn is_decided(condition: &AnyWhere, is_exact: &impl Fn(usize) -> bool) -> bool {
    match condition {
        AnyWhere::And(conditions) | AnyWhere::Or(conditions) => {
            conditions.iter().all(|condition| is_decided(condition, is_exact))
        }
        AnyWhere::Not(condition) | AnyWhere::Likely(condition) => is_decided(condition, is_exact),
        AnyWhere::Compare(path, _) => path.is_own_column() && is_exact(path.position()),
    }
}

impl AsRef<AnyQuery> for AnyQuery {
    fn as_ref(&self) -> &AnyQuery {
        self
    }
}
