//! Changes of rows.

use model_resource_schema::column::Table;
use model_resource_schema::column_type::{ColumnType, TypeMismatch};
use model_resource_schema::model::{Field, Model, Record};

/// A write of one row, for the subscribers of its model; see [`Api::on_change`](crate::Api::on_change) and
/// [`Api::after_change`](crate::Api::after_change).
///
/// ```
/// use model_resource::{Change, Model};
///
/// #[derive(Model)]
/// struct Loan {
///     #[column(primary_key)]
///     id: i64,
///     is_returned: bool,
/// }
///
/// fn describe(change: &Change<Loan>) -> String {
///     match change {
///         Change::Created(loan) => format!("loan {} begins", loan.id),
///         Change::Updated { after, .. } if change.updates(Loan::IS_RETURNED) && after.is_returned => {
///             format!("loan {} is back", after.id)
///         }
///         Change::Updated { after, .. } => format!("loan {} changes", after.id),
///         Change::Deleted(loan) => format!("loan {} is deleted", loan.id),
///     }
/// }
///
/// let (before, after) = (Loan { id: 1, is_returned: false }, Loan { id: 1, is_returned: true });
/// let change = Change::Updated { before, after };
/// assert_eq!(describe(&change), "loan 1 is back");
/// assert_eq!(change.updated_columns(), ["is_returned"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Change<M> {
    /// A new row, as it was saved.
    Created(M),
    /// A row of which at least one column has another value.
    Updated {
        /// The row before the write.
        before: M,
        /// The row as it was saved.
        after: M,
    },
    /// A row that was deleted, as it was before.
    Deleted(M),
}

impl<M> Change<M> {
    /// The row as it was saved, or as it was before it was deleted.
    pub fn row(&self) -> &M {
        match self {
            Change::Created(row) | Change::Updated { after: row, .. } | Change::Deleted(row) => row,
        }
    }
}

impl<M: Model> Change<M> {
    /// Whether this is an update that gives the column another value.
    pub fn updates<T: ColumnType>(&self, field: Field<M, T>) -> bool {
        self.updates_at(field.position())
    }

    /// Names of the columns to which an update gives other values, with those that the framework sets. Empty for a row that
    /// was created or deleted.
    pub fn updated_columns(&self) -> Vec<&'static str> {
        let columns = M::table().columns.iter().enumerate();
        let updated = columns.filter(|(position, _)| self.updates_at(*position));
        updated.map(|(_, column)| column.name).collect()
    }

    fn updates_at(&self, column: usize) -> bool {
        match self {
            Change::Updated { before, after } => before.value(column) != after.value(column),
            Change::Created(_) | Change::Deleted(_) => false,
        }
    }
}

/// A write of one row of a table.
#[derive(Debug, Clone)]
pub(crate) struct RowChange {
    pub(crate) table: &'static Table,
    pub(crate) change: Change<Record>,
}

impl RowChange {
    /// Converts the change to the model of its table.
    pub(crate) fn of_model<M: Model>(&self) -> Result<Change<M>, TypeMismatch> {
        Ok(match &self.change {
            Change::Created(row) => Change::Created(M::from_row(row)?),
            Change::Updated { before, after } => Change::Updated {
                before: M::from_row(before)?,
                after: M::from_row(after)?,
            },
            Change::Deleted(row) => Change::Deleted(M::from_row(row)?),
        })
    }
}
