//! Rows that a request's URL is about.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::message::Message;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, RowKey};

use crate::pipeline::{Context, Error, Result};
use crate::routing::{KeyParameter, Parent, UrlBinding};

impl Context {
    pub(crate) fn binding(&self) -> &UrlBinding {
        &self.0.binding
    }

    /// URL binding, shared with the items of a bulk request.
    pub(crate) fn shared_binding(&self) -> Arc<UrlBinding> {
        Arc::clone(&self.0.binding)
    }

    /// Whether the URL is about this table.
    pub(crate) fn is_about(&self, table: &'static Table) -> bool {
        self.0.binding.table.is_some_and(|own| std::ptr::eq(own, table))
    }

    /// Parents that the URL limits a table's rows to; empty for tables other than the URL's own.
    pub(super) fn parents(&self, table: &'static Table) -> &[Parent] {
        if self.is_about(table) {
            &self.0.binding.parents
        } else {
            &[]
        }
    }

    /// Visible rows of a table that the URL is about.
    pub(crate) fn scoped_rows(&self, table: &'static Table) -> Result<AnyQuery> {
        let key = self.0.binding.key.filter(|_| self.is_about(table));
        let visible = match key {
            Some(key) => self.identified_by(key.column, self.visible_rows(table))?,
            None => self.visible_rows(table),
        };
        self.below(visible, self.parents(table))
    }

    /// Limits rows to those whose foreign keys lead to the parents, which must be visible.
    fn below(&self, mut select: AnyQuery, parents: &[Parent]) -> Result<AnyQuery> {
        if parents.is_empty() {
            return Ok(select);
        }
        let hidden = self.hidden_columns(select.table());
        for parent in parents {
            if hidden.contains(parent.column) {
                return Err(Error::not_found());
            }
            if let Some(key) = parent.primary_key() {
                select = select.filter(parent.column, self.url_value(parent.table, key)?);
            }
            let others = |key: &&KeyParameter| Some(*key) != parent.primary_key();
            let rows = self.parent_rows(parent, parent.keys.iter().filter(others))?;
            if !rows.is_all() {
                let condition = AnyWhere::references(parent.column, parent.table, rows.into_where());
                select = select.restrict(condition);
            }
        }
        Ok(select)
    }

    /// Rows of a parent's table that match these keys and the parent's own parents.
    fn parent_rows<'k>(
        &self,
        parent: &Parent,
        keys: impl Iterator<Item = &'k KeyParameter>,
    ) -> Result<AnyQuery> {
        let mut rows = self.visible_rows(parent.table);
        for key in keys {
            rows = self.identified_by(key.column, rows)?;
            rows = rows.filter(key.column, self.url_value(parent.table, key)?);
        }
        self.below(rows, &parent.parents)
    }

    /// Value of a parameter's column. A value that the column cannot hold is answered with 404.
    fn url_value(&self, table: &'static Table, key: &KeyParameter) -> Result<Value> {
        let value = self.0.params.iter().nth(key.parameter);
        let (_, text) = value.ok_or_else(Error::not_found)?;
        let column = &table.columns[key.column];
        let parsed = column.kind.parse(text).map_err(|_| Error::not_found());
        // The same normalization as for stored values.
        Ok(column.normalize(parsed?))
    }

    /// Key of the row that an item URL identifies.
    pub(crate) fn url_key(&self, table: &'static Table) -> Result<RowKey> {
        let key = self.0.binding.key.filter(|_| self.is_about(table));
        let key = key.ok_or_else(Error::not_found)?;
        Ok(RowKey::new(table, key.column, self.url_value(table, &key)?))
    }

    /// Restricts a query to the URL's value of a unique column, if `row` had that value when it was read. Another
    /// request may change the value between the read and the write.
    pub(crate) fn at_url(&self, select: AnyQuery, row: Option<&Record>) -> AnyQuery {
        let (Some(row), Ok(RowKey::Unique(column, value))) = (row, self.url_key(select.table())) else {
            return select;
        };
        // The collation may ignore case, so the stored value can be spelled differently.
        let value = self.0.loaded.url_value.clone().unwrap_or(value);
        if row.value(column) == value.borrow() {
            select.filter(column, value)
        } else {
            select
        }
    }

    /// Columns that the URL fixes, with their values: foreign keys to parents identified by their primary key, and a
    /// foreign key that identifies the row itself.
    pub(crate) fn url_columns(&self, table: &'static Table) -> Result<Vec<(usize, Value)>> {
        let mut fixed = Vec::new();
        for parent in self.parents(table) {
            if let Some(key) = parent.primary_key() {
                fixed.push((parent.column, self.url_value(parent.table, key)?));
            }
        }
        if let Ok(RowKey::Unique(column, value)) = self.url_key(table)
            && table.columns[column].references.is_some()
        {
            fixed.push((column, value));
        }
        Ok(fixed)
    }

    /// Foreign keys of a loaded row to the parents that the URL identifies by a column other than the primary key.
    pub(crate) fn parent_columns(&self, draft: &AnyDraft) -> Vec<(usize, Value)> {
        let Some(base) = draft.original() else {
            return Vec::new();
        };
        let by_other_column = |parent: &&Parent| !parent.keys.is_empty() && parent.primary_key().is_none();
        let parents = self.parents(draft.table()).iter().filter(by_other_column);
        let value = |parent: &Parent| (parent.column, base.value(parent.column).to_value());
        parents.map(value).collect()
    }

    /// Ends the request unless the parents in the URL exist for the caller and belong together. Returns the foreign
    /// keys of those that the URL identifies by a column other than the primary key.
    pub(crate) async fn require_parents(&self, table: &'static Table) -> Result<Vec<(usize, Value)>> {
        let mut found = Vec::new();
        let mut open: Vec<&Parent> = self.parents(table).iter().collect();
        while let Some(parent) = open.pop() {
            let Some(key) = parent.primary_key().or(parent.keys.first()) else {
                open.extend(&parent.parents);
                continue;
            };
            let others = parent.keys.iter().filter(|other| *other != key);
            let mut rows = self.parent_rows(parent, others)?;
            let row = RowKey::new(parent.table, key.column, self.url_value(parent.table, key)?);
            if let RowKey::Unique(column, _) = row {
                rows = self.identified_by(column, rows)?;
            }
            let primary_key = match row {
                RowKey::Primary(key) => {
                    let exists = self.store().exists(&rows, key.clone()).await?;
                    exists.then_some(key)
                }
                row => {
                    let position = parent.table.primary_key;
                    let keep = move |row: &dyn Row| row.value(position).to_value();
                    self.store().find_with(&rows, row, keep).await?
                }
            };
            let primary_key = primary_key.ok_or_else(Error::not_found)?;
            let is_own = self.parents(table).iter().any(|own| std::ptr::eq(own, parent));
            if is_own && parent.primary_key().is_none() {
                found.push((parent.column, primary_key));
            }
        }
        Ok(found)
    }

    /// Reports foreign keys of a draft that would lead out of the URL's scope, among those whose value the URL does not
    /// fix.
    pub(crate) async fn check_scope(
        &self,
        draft: &AnyDraft,
        fixed: &[(usize, Value)],
        errors: &mut Errors,
    ) -> Result<()> {
        let table = draft.table();
        for parent in self.parents(table) {
            let is_fixed = fixed.iter().any(|(column, _)| *column == parent.column);
            let is_new = draft.key().is_none();
            if is_fixed || !(is_new || draft.is_changed(parent.column)) {
                continue;
            }
            let column = &table.columns[parent.column];
            if errors.has(&column.wire_name()) {
                continue;
            }
            let value = draft.get(parent.column).map(|value| value.to_value());
            let value = value.filter(|value| !value.is_null());
            let rows = self.parent_rows(parent, parent.keys.iter())?;
            let leads_there = match value {
                Some(value) => self.store().exists(&rows, value).await?,
                None => false,
            };
            if !leads_there {
                errors.add(column.wire_name(), Message::url_mismatch());
            }
        }
        Ok(())
    }

    /// Reports new values of a draft by which no URL could identify its row.
    pub(crate) fn check_item_columns(&self, draft: &AnyDraft, errors: &mut Errors) {
        let table = draft.table();
        for (position, pattern) in self.0.services.item_columns.of(table) {
            let column = &table.columns[*position];
            let value = draft.get(*position).filter(|_| draft.is_changed(*position));
            let invalid = match value {
                Some(ValueRef::Text(text)) => pattern.violation(text),
                _ => None,
            };
            let is_new = |_: &Message| !errors.has(&column.wire_name());
            if let Some(message) = invalid.filter(is_new) {
                errors.add(column.wire_name(), column.messages.replace(message));
            }
        }
    }

    /// Whether a parameter identifies the object of the URL, which is of this model.
    pub(crate) fn identifies_object(&self, parameter: &str, table: &'static Table) -> bool {
        let key = self.0.binding.key.filter(|_| self.is_about(table));
        key.is_some_and(|key| self.0.params.position(parameter) == Some(key.parameter))
    }

    /// Key and rows that a parameter identifies a row of this table by, if the URL binds it to one.
    pub(crate) fn bound_rows(
        &self,
        parameter: &str,
        table: &'static Table,
    ) -> Result<Option<(RowKey, AnyQuery)>> {
        let Some(position) = self.0.params.position(parameter) else {
            return Ok(None);
        };
        if self.identifies_object(parameter, table) {
            return Ok(Some((self.url_key(table)?, self.scoped_rows(table)?)));
        }
        let parent = self.0.binding.parent(position);
        let Some((parent, column)) = parent.filter(|(parent, _)| std::ptr::eq(parent.table, table)) else {
            return Ok(None);
        };
        let key = KeyParameter {
            parameter: position,
            column,
        };
        let rows = self.parent_rows(parent, parent.keys.iter())?;
        let row = RowKey::new(table, column, self.url_value(table, &key)?);
        Ok(Some((row, rows)))
    }

    /// Returns the primary key that a URL parameter identifies, as text. A parameter for another unique column is
    /// looked up in the database, and a foreign key leads to the referenced row. A parameter that identifies no row, as
    /// in a view, is returned as it is. `None` if the row or parameter does not exist.
    ///
    /// Guards compare it with the caller's key. Policies do not limit it, so it does not imply that the caller may see
    /// the row.
    pub async fn param_key(&self, parameter: &str) -> Result<Option<String>> {
        let Some(position) = self.0.params.position(parameter) else {
            return Ok(None);
        };
        let binding = &self.0.binding;
        let own = binding.key.filter(|key| key.parameter == position);
        let (table, column) = match (own, binding.table, binding.parent(position)) {
            (Some(key), Some(table), _) => (table, key.column),
            (_, _, Some((parent, column))) => (parent.table, column),
            _ => return Ok(self.0.params.get(parameter).map(str::to_owned)),
        };
        let key = KeyParameter {
            parameter: position,
            column,
        };
        let Ok(value) = self.url_value(table, &key) else {
            return Ok(None);
        };
        if column == table.primary_key || table.columns[column].references.is_some() {
            return Ok(Some(url_text(value.borrow())));
        }
        let keep = move |row: &dyn Row| url_text(row.value(table.primary_key));
        let (rows, row) = (AnyQuery::from(table), RowKey::Unique(column, value));
        Ok(self.store().find_with(&rows, row, keep).await?)
    }
}
