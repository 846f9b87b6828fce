//! Uniqueness of values, checked before a row is written.

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::query::AnyQuery;

use crate::error::Result;
use crate::row_key::RowKey;
use crate::store::Store;
use crate::violation_errors;

impl Store {
    /// Returns an error for each changed value of a unique column that another row has, with the message of the write
    /// that would fail. Empty for a draft over a row that was not read.
    ///
    /// For work that is worth saving, such as hashing a password: another request may still take a value before the
    /// draft is written, and the write then fails as usual. Generated keys are not checked.
    pub async fn unique_conflicts(&self, draft: &AnyDraft) -> Result<Errors> {
        let mut errors = Errors::new();
        if draft.key().is_some() && draft.original().is_none() {
            return Ok(errors);
        }
        let table = draft.table();
        let changes = draft.changes(&self.clock);
        for (column, value) in violation_errors::uniques(table, &changes.values) {
            let Some(position) = table.position(column.name) else {
                continue;
            };
            let key = RowKey::new(table, position, value.clone());
            if self.exists_any(&AnyQuery::from(table), key).await? {
                violation_errors::add_not_unique(&mut errors, table, column, value);
            }
        }
        Ok(errors)
    }
}
