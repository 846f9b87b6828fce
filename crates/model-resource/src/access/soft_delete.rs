//! Soft deletion: the requests and callers for which deleted rows exist.

use model_resource_schema::query::{AnyWhere, RowScope};
use model_resource_store::{AnyQuery, RowKey};

use crate::access::caller_policies::TablePolicy;
use crate::access::deleted_rows::DeletedRows;
use crate::access::table_access::TableAccess;
use crate::pipeline::{Error, Result};
use crate::query::{DELETED, invalid_parameter, only_value};
use crate::routing::Operation;

impl TableAccess<'_> {
    /// Whether deleted rows of this table exist for the caller.
    pub(crate) fn sees_deleted(self) -> bool {
        self.table.soft_delete.is_some() && self.shown_deleted().scope() != RowScope::None
    }

    /// Deleted rows that the policy shows to the caller.
    fn shown_deleted(self) -> AnyWhere {
        let shown = self.policy.map(TablePolicy::shows_deleted);
        shown.unwrap_or(AnyWhere::Or(Vec::new()))
    }

    /// Deleted rows that an operation of this request uses: a read of one object sees them, and their restoration sees
    /// nothing else.
    pub(super) fn deleted_for(self, operation: Option<Operation>) -> DeletedRows {
        if self.table.soft_delete.is_none() || !self.is_of_url() {
            return DeletedRows::Excluded;
        }
        match operation {
            _ if self.cx.binding().restores => DeletedRows::Only,
            Some(Operation::Get) if self.cx.binding().is_item() => DeletedRows::Included,
            _ => DeletedRows::Excluded,
        }
    }

    /// Restricts rows of a table by their deletion.
    pub(super) fn restrict_deleted(self, rows: AnyQuery, deleted: DeletedRows) -> AnyQuery {
        if self.table.soft_delete.is_none() {
            return rows;
        }
        let existing = AnyWhere::not_deleted(self.table);
        if deleted == DeletedRows::Excluded {
            return rows.restrict(existing);
        }
        let shown = self.shown_deleted();
        let all = shown.is_all();
        let shown = AnyWhere::deleted(self.table).and(shown);
        match deleted {
            DeletedRows::Only => rows.restrict(shown),
            DeletedRows::Included if all => rows,
            DeletedRows::Included | DeletedRows::Excluded => {
                rows.restrict(AnyWhere::Or(vec![existing, shown]))
            }
        }
    }

    /// Deleted rows that a list shows, by its parameter `deleted`. For a caller who sees none there is no such parameter.
    pub(crate) fn listed_deleted(self) -> Result<Option<DeletedRows>> {
        if !self.sees_deleted() {
            return Ok(None);
        }
        match only_value(self.cx.query_string(), DELETED)? {
            None => Ok(Some(DeletedRows::Excluded)),
            Some("include") => Ok(Some(DeletedRows::Included)),
            Some("only") => Ok(Some(DeletedRows::Only)),
            Some(_) => Err(invalid_parameter(DELETED, "Write \"include\" or \"only\".")),
        }
    }

    /// Error for a row that does not exist for the operation: a conflict if the caller sees that it is deleted, or that a
    /// row to restore is not.
    pub(super) async fn why_missing(self, key: RowKey) -> Error {
        let (rows, message) = match self.deleted_for(self.cx.operation()) {
            _ if !self.sees_deleted() => return Error::not_found(),
            DeletedRows::Included => return Error::not_found(),
            DeletedRows::Only => (DeletedRows::Excluded, "This object is not deleted."),
            DeletedRows::Excluded => (DeletedRows::Only, "This object is deleted; restore it first."),
        };
        let rows = match self.scoped_with(rows) {
            Ok(rows) => rows,
            Err(error) => return error,
        };
        match self.cx.store_unchecked().exists_any(&rows, key).await {
            Ok(true) => Error::conflict(message),
            Ok(false) => Error::not_found(),
            Err(error) => error.into(),
        }
    }
}
