//! Steps of a migration.

use crate::encoding::SqliteConversion;
use crate::state::{ColumnState, ForeignKeyState, IndexState, PrimaryKeyState, TableState};
use crate::zero::zero_value;

/// One change of a schema. It has both sides, so that every step has an inverse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrationStep {
    /// Creates a table with its constraints, without its indexes.
    CreateTable(TableState),
    /// Removes a table.
    DropTable(TableState),
    /// Renames a table.
    RenameTable {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Changes a table.
    AlterTable {
        /// Table.
        table: String,
        /// Change.
        change: TableChange,
    },
    /// Renames a column.
    RenameColumn {
        /// Table.
        table: String,
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Creates an index.
    CreateIndex {
        /// Table.
        table: String,
        /// Index.
        index: IndexState,
    },
    /// Removes an index.
    DropIndex {
        /// Table.
        table: String,
        /// Index.
        index: IndexState,
    },
    /// Creates an enum type.
    CreateEnum {
        /// Name.
        name: String,
        /// Labels in order.
        labels: Vec<String>,
    },
    /// Removes an enum type.
    DropEnum {
        /// Name.
        name: String,
        /// Labels in order.
        labels: Vec<String>,
    },
    /// Changes the labels of an enum type.
    ChangeEnum {
        /// Name.
        name: String,
        /// Old labels in order.
        from: Vec<String>,
        /// New labels in order.
        to: Vec<String>,
    },
}

/// A change of a table's columns or constraints, which SQLite may need a new table for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableChange {
    /// Adds a column. Its default is the value of existing rows.
    AddColumn(ColumnState),
    /// Removes a column.
    DropColumn(ColumnState),
    /// Changes the type of a column, or whether it may be null.
    ChangeColumn {
        /// Column so far.
        from: ColumnState,
        /// Column from now on.
        to: ColumnState,
        /// Value of rows in which it is null.
        fill: Option<String>,
        /// Expression that converts a value.
        conversion: Option<String>,
    },
    /// Replaces the primary key.
    ChangePrimaryKey {
        /// Key so far.
        from: PrimaryKeyState,
        /// Key from now on.
        to: PrimaryKeyState,
    },
    /// Adds a unique constraint.
    AddUnique(Vec<String>),
    /// Removes a unique constraint.
    DropUnique(Vec<String>),
    /// Adds a check.
    AddCheck {
        /// Name.
        name: String,
        /// Condition.
        condition: String,
    },
    /// Removes a check.
    DropCheck {
        /// Name.
        name: String,
        /// Condition.
        condition: String,
    },
    /// Adds a foreign key.
    AddForeignKey(ForeignKeyState),
    /// Removes a foreign key.
    DropForeignKey(ForeignKeyState),
}

impl MigrationStep {
    /// Returns the step back. Removed values are gone: a column that must not be null gets the empty value of its type
    /// when it returns.
    pub fn inverse(&self) -> Self {
        match self.clone() {
            Self::CreateTable(table) => Self::DropTable(table),
            Self::DropTable(table) => Self::CreateTable(table),
            Self::RenameTable { from, to } => Self::RenameTable { from: to, to: from },
            Self::AlterTable { table, change } => Self::AlterTable {
                table,
                change: change.inverse(),
            },
            Self::RenameColumn { table, from, to } => Self::RenameColumn {
                table,
                from: to,
                to: from,
            },
            Self::CreateIndex { table, index } => Self::DropIndex { table, index },
            Self::DropIndex { table, index } => Self::CreateIndex { table, index },
            Self::CreateEnum { name, labels } => Self::DropEnum { name, labels },
            Self::DropEnum { name, labels } => Self::CreateEnum { name, labels },
            Self::ChangeEnum { name, from, to } => Self::ChangeEnum {
                name,
                from: to,
                to: from,
            },
        }
    }
}

impl TableChange {
    fn inverse(self) -> Self {
        match self {
            Self::AddColumn(column) => Self::DropColumn(column),
            Self::DropColumn(mut column) => {
                if !column.is_nullable && column.default.is_none() {
                    column.default = zero_value(&column.data_type);
                }
                Self::AddColumn(column)
            }
            Self::ChangeColumn { from, to, .. } => {
                let is_required = to.is_nullable && !from.is_nullable;
                let fill = is_required.then(|| zero_value(&from.data_type)).flatten();
                let conversion = match to.conversion_to(&from) {
                    SqliteConversion::Expression(expression) => Some(expression),
                    SqliteConversion::Copy | SqliteConversion::Unknown => None,
                };
                Self::ChangeColumn {
                    from: to,
                    to: from,
                    fill,
                    conversion,
                }
            }
            Self::ChangePrimaryKey { from, to } => Self::ChangePrimaryKey { from: to, to: from },
            Self::AddUnique(columns) => Self::DropUnique(columns),
            Self::DropUnique(columns) => Self::AddUnique(columns),
            Self::AddCheck { name, condition } => Self::DropCheck { name, condition },
            Self::DropCheck { name, condition } => Self::AddCheck { name, condition },
            Self::AddForeignKey(key) => Self::DropForeignKey(key),
            Self::DropForeignKey(key) => Self::AddForeignKey(key),
        }
    }
}

/// Returns the steps back, last one first.
pub fn inverse(steps: &[MigrationStep]) -> Vec<MigrationStep> {
    steps.iter().rev().map(MigrationStep::inverse).collect()
}
