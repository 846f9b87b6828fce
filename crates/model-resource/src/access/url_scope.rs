//! Rows and columns that a request's URL decides: the item that it identifies, and the parents that it names.

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::message::Message;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, RowKey};

use crate::access::deleted_rows::DeletedRows;
use crate::access::table_access::TableAccess;
use crate::pipeline::{Context, Error, Result};
use crate::routing::{KeyParameter, Operation, Parent};

impl<'a> TableAccess<'a> {
    /// Whether the URL is about this table.
    pub(crate) fn is_of_url(self) -> bool {
        let own = self.cx.binding().table;
        own.is_some_and(|own| own.id() == self.table.id())
    }

    /// Parents that the URL limits the rows to; empty for tables other than the URL's own.
    pub(super) fn parents(self) -> &'a [Parent] {
        if self.is_of_url() {
            &self.cx.binding().parents
        } else {
            &[]
        }
    }

    /// Parameter that identifies a row of this table; `None` at URLs of collections and of other tables.
    fn key_parameter(self) -> Option<KeyParameter> {
        if self.is_of_url() {
            self.cx.binding().key
        } else {
            None
        }
    }

    /// Visible rows that the URL is about.
    pub(crate) fn scoped(self) -> Result<AnyQuery> {
        self.scoped_with(self.deleted_for(self.cx.operation()))
    }

    /// Visible rows that the URL is about, with or without deleted ones.
    pub(crate) fn scoped_with(self, deleted: DeletedRows) -> Result<AnyQuery> {
        let rows = self.rows_with(deleted);
        let visible = match self.key_parameter() {
            Some(key) => self.identified_by(key.column, rows)?,
            None => rows,
        };
        self.below(visible, self.parents())
    }

    /// Limits rows to those whose foreign keys lead to the parents, which must be visible.
    fn below(self, mut rows: AnyQuery, parents: &[Parent]) -> Result<AnyQuery> {
        if parents.is_empty() {
            return Ok(rows);
        }
        let hidden = self.hidden();
        for parent in parents {
            if hidden.contains(parent.column) {
                return Err(Error::not_found());
            }
            if let Some(key) = parent.primary_key() {
                rows = rows.filter(parent.column, self.other(parent.table).url_value(key)?);
            }
            let others = |key: &&KeyParameter| Some(*key) != parent.primary_key();
            let above = self.parent_rows(parent, parent.keys.iter().filter(others))?;
            if !above.is_all() {
                let condition = AnyWhere::references(parent.column, parent.table, above.into_where());
                rows = rows.restrict(condition);
            }
        }
        Ok(rows)
    }

    /// Rows of a parent's table that match these keys and the parent's own parents.
    pub(super) fn parent_rows<'k>(
        self,
        parent: &Parent,
        keys: impl Iterator<Item = &'k KeyParameter>,
    ) -> Result<AnyQuery> {
        let access = self.other(parent.table);
        let mut rows = access.rows();
        for key in keys {
            rows = access.identified_by(key.column, rows)?;
            rows = rows.filter(key.column, access.url_value(key)?);
        }
        access.below(rows, &parent.parents)
    }

    /// Value of a parameter's column. A value that the column cannot hold is answered with 404.
    pub(super) fn url_value(self, key: &KeyParameter) -> Result<Value> {
        let value = self.cx.params().iter().nth(key.parameter);
        let (_, text) = value.ok_or_else(Error::not_found)?;
        let column = &self.table.columns[key.column];
        let parsed = column.data_type.parse(text).map_err(|_| Error::not_found());
        // The same normalization as for stored values.
        Ok(column.normalize(parsed?))
    }

    /// Key of the row that an item URL identifies.
    pub(crate) fn url_key(self) -> Result<RowKey> {
        let key = self.key_parameter().ok_or_else(Error::not_found)?;
        Ok(RowKey::new(self.table, key.column, self.url_value(&key)?))
    }

    /// Whether the URL identifies this row by its primary key or a unique column.
    pub(crate) fn is_url_row(self, row: &dyn Row) -> bool {
        let own = |column: usize| row.value(column);
        match self.url_key() {
            Ok(RowKey::Primary(key)) => own(self.table.primary_key) == key.borrow(),
            Ok(RowKey::Unique(column, value)) => {
                own(column) == self.cx.loaded_url_value().unwrap_or(&value).borrow()
            }
            Err(_) => false,
        }
    }

    /// Restricts a query to the URL's value of a unique column, if `row` had that value when it was read. Another
    /// request may change the value between the read and the write.
    pub(crate) fn at_url(self, rows: AnyQuery, row: Option<&Record>) -> AnyQuery {
        let (Some(row), Ok(RowKey::Unique(column, value))) = (row, self.url_key()) else {
            return rows;
        };
        // The collation may ignore case, so the stored value can be spelled differently.
        let value = self.cx.loaded_url_value().cloned().unwrap_or(value);
        if row.value(column) == value.borrow() {
            rows.filter(column, value)
        } else {
            rows
        }
    }

    /// Whether a parameter identifies the object of the URL, which is of this table.
    pub(crate) fn is_identified_by(self, parameter: &str) -> bool {
        let position = self.cx.params().position(parameter);
        self.key_parameter()
            .is_some_and(|key| position == Some(key.parameter))
    }

    /// Key and rows that a parameter identifies a row of this table by, if the URL binds it to one.
    pub(crate) fn bound_rows(self, parameter: &str) -> Result<Option<(RowKey, AnyQuery)>> {
        let Some(position) = self.cx.params().position(parameter) else {
            return Ok(None);
        };
        if self.is_identified_by(parameter) {
            return Ok(Some((self.url_key()?, self.scoped()?)));
        }
        let (parent, column) = match self.cx.binding().parent(position) {
            Some((parent, column)) if parent.table.id() == self.table.id() => (parent, column),
            _ => return Ok(None),
        };
        let key = KeyParameter {
            parameter: position,
            column,
        };
        let rows = self.parent_rows(parent, parent.keys.iter())?;
        let row = RowKey::new(self.table, column, self.url_value(&key)?);
        Ok(Some((row, rows)))
    }
}

impl Context {
    /// Whether the caller may apply the request's operation to the row that the URL identifies.
    #[cfg(feature = "pages")]
    pub(crate) async fn permits_url_row(&self) -> Result<bool> {
        let table = self.binding().table.ok_or_else(Error::not_found)?;
        let access = self.access(table);
        let (rows, key) = (access.permitted()?, access.url_key()?);
        Ok(self.store_unchecked().exists_any(&rows, key).await?)
    }

    /// Fields that the caller cannot change on the row that the URL identifies, but on others.
    #[cfg(feature = "pages")]
    pub(crate) async fn frozen_fields(&self) -> Result<Vec<String>> {
        let table = self.binding().table.ok_or_else(Error::not_found)?;
        let access = self.access(table);
        let Some(frozen) = access.frozen_columns() else {
            return Ok(Vec::new());
        };
        let (rows, key) = (frozen.among(&access.permitted()?), access.url_key()?);
        let is_frozen = self.store_unchecked().exists_any(&rows, key).await?;
        Ok(if is_frozen {
            frozen.names(table)
        } else {
            Vec::new()
        })
    }

    /// Returns the primary key that a URL parameter identifies, as text. A parameter for another unique column is
    /// looked up in the database, and a foreign key leads to the referenced row. A parameter that identifies no row, as
    /// in a view, is returned as it is. `None` if the row or parameter does not exist.
    ///
    /// Guards compare it with the caller's key. Policies do not limit it, so it does not imply that the caller may see
    /// the row.
    pub async fn param_key(&self, parameter: &str) -> Result<Option<String>> {
        let Some(position) = self.params().position(parameter) else {
            return Ok(None);
        };
        let binding = self.binding();
        let own = binding.key.filter(|key| key.parameter == position);
        let (table, column) = match (own, binding.table, binding.parent(position)) {
            (Some(key), Some(table), _) => (table, key.column),
            (_, _, Some((parent, column))) => (parent.table, column),
            _ => return Ok(self.params().get(parameter).map(str::to_owned)),
        };
        let key = KeyParameter {
            parameter: position,
            column,
        };
        let Ok(value) = self.access(table).url_value(&key) else {
            return Ok(None);
        };
        if column == table.primary_key || table.columns[column].references.is_some() {
            return Ok(Some(url_text(value.borrow())));
        }
        let keep = move |row: &dyn Row| url_text(row.value(table.primary_key));
        let (rows, row) = (AnyQuery::from(table), RowKey::Unique(column, value));
        Ok(self.store_unchecked().find_any_with(rows, row, keep).await?)
    }
}

impl TableAccess<'_> {
    /// Columns that the URL fixes, with their values: foreign keys to parents identified by their primary key, a foreign
    /// key that identifies the row itself, and the key of an object that is created at its own URL.
    pub(crate) fn url_columns(self) -> Result<Vec<(usize, Value)>> {
        let mut fixed = Vec::new();
        for parent in self.parents() {
            if let Some(key) = parent.primary_key() {
                fixed.push((parent.column, self.other(parent.table).url_value(key)?));
            }
        }
        let Some(key) = self.key_parameter() else {
            return Ok(fixed);
        };
        // Only a put creates an object at its own URL.
        if self.cx.operation() == Some(Operation::Create) {
            if self.read_only().contains(key.column) || self.hidden().contains(key.column) {
                return Err(Error::forbidden("You may not choose the key of a new object."));
            }
            fixed.push((key.column, self.url_value(&key)?));
        } else if self.table.columns[key.column].references.is_some()
            && let Ok(RowKey::Unique(column, value)) = self.url_key()
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
                let exists = self.cx.store_unchecked().exists_any(&rows, key.clone()).await?;
                Ok(exists.then_some(key))
            }
            row => {
                let position = parent.table.primary_key;
                let keep = move |row: &dyn Row| row.value(position).to_value();
                Ok(self.cx.store_unchecked().find_any_with(rows, row, keep).await?)
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
                Some(value) => self.cx.store_unchecked().exists_any(&rows, value).await?,
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
