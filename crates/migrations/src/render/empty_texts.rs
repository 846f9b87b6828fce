//! Comments on columns whose rows get an empty text on the way back.

use model_resource_store::SqlDialect;

use crate::state::ColumnState;
use crate::step::{MigrationStep, TableChange};
use crate::table_name::quoted_table;
use crate::token::quoted_name;
use crate::zero::zero_value;

/// Returns a comment for each required column that may get an empty text when these steps are taken back.
///
/// No type tells the text of an enum from another one, and no enum has an empty value: the older program could not read
/// such a row.
pub(super) fn empty_text_comments(dialect: SqlDialect, steps: &[MigrationStep]) -> String {
    let comments = steps.iter().filter_map(|step| match step {
        MigrationStep::AlterTable { table, change } => {
            let column = quoted_name(&emptied(dialect, change)?.name);
            let name = format!("{}.{column}", quoted_table(dialect, table)).replace(['\n', '\r'], " ");
            Some(format!(
                "-- Rows may get '' in {name}. If it is an enum, write one of its values instead.\n"
            ))
        }
        MigrationStep::CreateTable(_)
        | MigrationStep::DropTable(_)
        | MigrationStep::RenameTable { .. }
        | MigrationStep::RenameColumn { .. }
        | MigrationStep::CreateIndex { .. }
        | MigrationStep::DropIndex { .. }
        | MigrationStep::CreateEnum { .. }
        | MigrationStep::DropEnum { .. }
        | MigrationStep::ChangeEnum { .. } => None,
    });
    comments.collect()
}

/// Returns the column whose values a change loses or makes optional, if it is required and may have any text.
fn emptied(dialect: SqlDialect, change: &TableChange) -> Option<&ColumnState> {
    let column = match change {
        TableChange::DropColumn(column) => column,
        TableChange::ChangeColumn { from, to, .. } => {
            let is_lost = dialect == SqlDialect::Sqlite && to.is_lost_as(from);
            (to.is_nullable || is_lost).then_some(from)?
        }
        TableChange::AddColumn(_)
        | TableChange::ChangePrimaryKey { .. }
        | TableChange::AddUnique(_)
        | TableChange::DropUnique(_)
        | TableChange::AddCheck { .. }
        | TableChange::DropCheck { .. }
        | TableChange::AddForeignKey(_)
        | TableChange::DropForeignKey(_) => return None,
    };
    let is_text = zero_value(&column.data_type).as_deref() == Some("''");
    let has_default = column.default.is_some() && matches!(change, TableChange::DropColumn(_));
    (is_text && !column.is_nullable && !has_default).then_some(column)
}
