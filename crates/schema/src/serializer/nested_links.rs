//! Links of many-to-many relations that are written together with their parent.

use crate::column::Table;
use crate::serializer::declaration::DeclaredRelation;
use crate::serializer::relation_columns::JoinColumns;

/// Rows of a join model that are written together with their parent.
#[derive(Debug, Clone, Copy)]
pub struct NestedLinks {
    /// Table of the join model.
    pub table: &'static Table,
    /// Position of its foreign key to the related objects.
    pub to: usize,
    /// Table of the related objects.
    pub target: &'static Table,
    /// Position of the column by which bodies name related objects.
    pub column: usize,
}

/// Checks that rows of a join model can be created from their two foreign keys alone.
pub(super) fn compile_links(relation: &DeclaredRelation, join: JoinColumns) -> Result<NestedLinks, String> {
    let target = (relation.table)();
    let column = relation.link.member.unwrap_or(target.primary_key);
    if column != target.primary_key && !target.columns[column].unique {
        return Err(format!(
            "needs a column that identifies the objects, and `{}` of {} is not `unique`",
            target.columns[column].name, target.model
        ));
    }
    let columns = join.table.columns.iter().enumerate();
    let mut others = columns.filter(|(position, _)| *position != join.from && *position != join.to);
    if let Some((_, column)) = others.find(|(_, column)| column.is_required() && !column.is_generated()) {
        return Err(format!(
            "cannot set `{}` of the join model {}; give it a default, or write the rows of {} at a URL of their own",
            column.name, join.table.model, join.table.model
        ));
    }
    Ok(NestedLinks {
        table: join.table,
        to: join.to,
        target,
        column,
    })
}
