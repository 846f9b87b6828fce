//! Foreign keys of drafts: a caller may only reference rows that they can see.

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, RowKey};

use crate::access::table_access::TableAccess;
use crate::pipeline::{Error, Result};

impl TableAccess<'_> {
    /// Rejects a draft that newly references rows which the caller cannot see, as if they did not exist. `rows` are
    /// those that the draft may change. If the draft's row was not read, it is read only if a reference is not visible,
    /// because a foreign key that keeps its value is not a write.
    pub(crate) async fn require_visible_references(
        self,
        draft: &mut AnyDraft,
        rows: &AnyQuery,
    ) -> Result<()> {
        let keys = self.table.columns.iter().enumerate();
        let keys = keys.filter(|(_, column)| column.references.is_some());
        for (position, column) in keys {
            if self.sees_reference(draft, position).await? {
                continue;
            }
            if draft.original().is_none()
                && let Some(key) = draft.key().cloned()
            {
                let base = self.cx.store().find_any(rows, key.clone()).await?;
                let Some(base) = base else {
                    let key = RowKey::Primary(key);
                    return Err(self.why_not_permitted(self.scoped()?, key).await);
                };
                draft.rebase(base);
            }
            if draft.is_changed(position) {
                return Err(Error::field(column.wire_name(), column.reference_message()));
            }
        }
        Ok(())
    }

    /// Whether the caller sees the row that a foreign key of the draft newly references, if it references one.
    async fn sees_reference(self, draft: &AnyDraft, position: usize) -> Result<bool> {
        let references = self.table.columns[position].references;
        let (Some(references), true) = (references, draft.is_changed(position)) else {
            return Ok(true);
        };
        let value = draft.get(position);
        let value = value.map_or(Value::Null, |value| value.to_value());
        let visible = self.other((references.table)()).rows();
        // If all rows are visible, the foreign key constraint is the check.
        if visible.is_all() || value.is_null() {
            return Ok(true);
        }
        Ok(self.cx.store().exists_any(&visible, value).await?)
    }
}
