//! Columns that a caller cannot change on some rows.

use std::borrow::Cow;

use model_resource_schema::column::{ColumnRole, Table};
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::query::{AnyColumns, AnyWhere};
use model_resource_store::AnyQuery;

/// Columns that a caller cannot change on some rows.
#[derive(Debug, Clone)]
pub(crate) struct FrozenColumns {
    pub(super) columns: AnyColumns,
    /// Rows on which they are frozen.
    pub(super) rows: AnyWhere,
}

impl FrozenColumns {
    /// Mistake in a declaration of frozen columns, with the remedy.
    pub(super) fn mistake(columns: AnyColumns, table: &'static Table) -> Option<String> {
        let is_set_by_updates = |role| matches!(role, ColumnRole::Data | ColumnRole::StableSlug(_));
        let mut frozen = columns.of_table(table);
        let (_, column) = frozen.find(|(_, column)| !is_set_by_updates(column.role))?;
        let reason = match column.role {
            ColumnRole::PrimaryKey(_) => "since the primary key never changes",
            _ => "since the framework sets it",
        };
        Some(format!(
            "the policy of {}: `{}` cannot be frozen, {reason}; leave it out of `frozen`",
            table.model, column.name
        ))
    }

    /// Whether a draft changes a frozen column. Of a row that was not read, it may change each one that it sets.
    pub(crate) fn are_changed(&self, draft: &AnyDraft) -> bool {
        self.changed(draft).next().is_some()
    }

    /// Rows among these that a draft may be written to: if it changes a frozen column, those on which it is not frozen.
    pub(crate) fn changeable<'a>(&self, rows: &'a AnyQuery, draft: &AnyDraft) -> Cow<'a, AnyQuery> {
        if self.are_changed(draft) {
            let unfrozen = AnyWhere::Not(Box::new(self.rows.clone()));
            Cow::Owned(rows.clone().restrict(unfrozen))
        } else {
            Cow::Borrowed(rows)
        }
    }

    /// Rows among these on which the columns are frozen.
    pub(crate) fn among(&self, rows: &AnyQuery) -> AnyQuery {
        rows.clone().restrict(self.rows.clone())
    }

    /// Names of the columns in JSON.
    #[cfg(feature = "pages")]
    pub(super) fn names(&self, table: &'static Table) -> Vec<String> {
        let columns = self.columns.of_table(table);
        columns.map(|(_, column)| column.wire_name()).collect()
    }

    /// Errors of the frozen columns that a draft changes.
    pub(crate) fn errors(&self, draft: &AnyDraft) -> Errors {
        let mut errors = Errors::new();
        for column in self.changed(draft) {
            let name = draft.table().columns[column].wire_name();
            errors.add(
                name,
                Message::new(code::READ_ONLY, "Cannot be changed on this object."),
            );
        }
        errors
    }

    fn changed<'a>(&self, draft: &'a AnyDraft) -> impl Iterator<Item = usize> + use<'a> {
        let frozen = self.columns.of_table(draft.table());
        frozen
            .map(|(column, _)| column)
            .filter(|column| draft.is_changed(*column))
    }
}
