//! Columns of a written row that its URL decides: foreign keys to the parents, and values that item URLs match.

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;
use model_resource_schema::model::Row;
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::RowKey;

use crate::access::table_access::TableAccess;
use crate::pipeline::{Error, Result};
use crate::routing::Parent;

impl TableAccess<'_> {
    /// Columns that the URL fixes, with their values: foreign keys to parents identified by their primary key, and a
    /// foreign key that identifies the row itself.
    pub(crate) fn url_columns(self) -> Result<Vec<(usize, Value)>> {
        let mut fixed = Vec::new();
        for parent in self.parents() {
            if let Some(key) = parent.primary_key() {
                fixed.push((parent.column, self.other(parent.table).url_value(key)?));
            }
        }
        if let Ok(RowKey::Unique(column, value)) = self.url_key()
            && self.table.columns[column].references.is_some()
        {
            fixed.push((column, value));
        }
        Ok(fixed)
    }

    /// Foreign keys of a loaded row to the parents that the URL identifies by a column other than the primary key.
    pub(crate) fn parent_columns(self, draft: &AnyDraft) -> Vec<(usize, Value)> {
        let Some(base) = draft.original() else {
            return Vec::new();
        };
        let by_other_column = |parent: &&Parent| !parent.keys.is_empty() && parent.primary_key().is_none();
        let parents = self.parents().iter().filter(by_other_column);
        let value = |parent: &Parent| (parent.column, base.value(parent.column).to_value());
        parents.map(value).collect()
    }

    /// Ends the request unless the parents in the URL exist for the caller and belong together. Returns the foreign
    /// keys of those that the URL identifies by a column other than the primary key.
    pub(crate) async fn require_parents(self) -> Result<Vec<(usize, Value)>> {
        let mut found = Vec::new();
        let mut open: Vec<&Parent> = self.parents().iter().collect();
        while let Some(parent) = open.pop() {
            if parent.keys.is_empty() {
                open.extend(&parent.parents);
                continue;
            }
            let primary_key = self.parent_key(parent).await?.ok_or_else(Error::not_found)?;
            let is_own = self.parents().iter().any(|own| std::ptr::eq(own, parent));
            if is_own && parent.primary_key().is_none() {
                found.push((parent.column, primary_key));
            }
        }
        Ok(found)
    }

    /// Primary key of the parent that the URL identifies, if it exists for the caller.
    async fn parent_key(self, parent: &Parent) -> Result<Option<Value>> {
        let Some(key) = parent.primary_key().or(parent.keys.first()) else {
            return Ok(None);
        };
        let others = parent.keys.iter().filter(|other| *other != key);
        let mut rows = self.parent_rows(parent, others)?;
        let access = self.other(parent.table);
        let row = RowKey::new(parent.table, key.column, access.url_value(key)?);
        if let RowKey::Unique(column, _) = row {
            rows = access.identified_by(column, rows)?;
        }
        match row {
            RowKey::Primary(key) => {
                let exists = self.cx.store().exists_any(&rows, key.clone()).await?;
                Ok(exists.then_some(key))
            }
            row => {
                let position = parent.table.primary_key;
                let keep = move |row: &dyn Row| row.value(position).to_value();
                Ok(self.cx.store().find_any_with(&rows, row, keep).await?)
            }
        }
    }

    /// Reports foreign keys of a draft that would lead out of the URL's scope, among those whose value the URL does not
    /// fix.
    pub(crate) async fn check_scope(
        self,
        draft: &AnyDraft,
        fixed: &[(usize, Value)],
        errors: &mut Errors,
    ) -> Result<()> {
        for parent in self.parents() {
            let is_fixed = fixed.iter().any(|(column, _)| *column == parent.column);
            let is_new = draft.key().is_none();
            if is_fixed || !(is_new || draft.is_changed(parent.column)) {
                continue;
            }
            let column = &self.table.columns[parent.column];
            if errors.has(&column.wire_name()) {
                continue;
            }
            let value = draft.get(parent.column).map(|value| value.to_value());
            let value = value.filter(|value| !value.is_null());
            let rows = self.parent_rows(parent, parent.keys.iter())?;
            let leads_there = match value {
                Some(value) => self.cx.store().exists_any(&rows, value).await?,
                None => false,
            };
            if !leads_there {
                errors.add(column.wire_name(), Message::url_mismatch());
            }
        }
        Ok(())
    }

    /// Reports new values of a draft by which no URL could identify its row.
    pub(crate) fn check_item_columns(self, draft: &AnyDraft, errors: &mut Errors) {
        for (position, pattern) in self.cx.services().item_columns.of(self.table) {
            let column = &self.table.columns[*position];
            let Some(ValueRef::Text(text)) = draft.get(*position) else {
                continue;
            };
            if !draft.is_changed(*position) || errors.has(&column.wire_name()) {
                continue;
            }
            if let Some(message) = pattern.violation(text) {
                errors.add(column.wire_name(), column.messages.replace(message));
            }
        }
    }
}
