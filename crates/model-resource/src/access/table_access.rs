//! Access of one request to the rows and columns of one table.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Row as _;
use model_resource_schema::query::AnyColumns;
use model_resource_schema::serializer::{PrivateColumns, Projection};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, RowKey};

use crate::access::caller_policies::TablePolicy;
use crate::access::deleted_rows::DeletedRows;
use crate::access::frozen_columns::FrozenColumns;
use crate::pipeline::{Context, Error, Result};
use crate::query::read_selection;
use crate::routing::Operation;

/// Access of one request to one table: the rows that the policy and the URL let the caller reach, and the columns that
/// they may see and set. Every read and write of a request goes through it.
#[derive(Clone, Copy)]
pub(crate) struct TableAccess<'a> {
    pub(super) cx: &'a Context,
    pub(super) table: &'static Table,
    pub(super) policy: Option<TablePolicy<'a>>,
}

impl Context {
    /// Access of this request to a table.
    pub(crate) fn access(&self, table: &'static Table) -> TableAccess<'_> {
        TableAccess {
            cx: self,
            table,
            policy: self.caller_policies().and_then(|policies| policies.of(table)),
        }
    }
}

impl<'a> TableAccess<'a> {
    /// Access of the same request to another table.
    pub(super) fn other(self, table: &'static Table) -> TableAccess<'a> {
        self.cx.access(table)
    }

    /// Rows that the caller can see, at any URL.
    pub(crate) fn rows(self) -> AnyQuery {
        self.rows_with(DeletedRows::Excluded)
    }

    /// Rows that the caller can see, at any URL, among them deleted ones.
    pub(super) fn rows_with(self, deleted: DeletedRows) -> AnyQuery {
        let query = AnyQuery::from(self.table);
        let query = match self.policy {
            Some(policy) => query.restrict(policy.visible()),
            None => query,
        };
        let query = self.restrict_deleted(query, deleted);
        let restrictions = self.cx.restrictions().iter();
        let restrictions = restrictions.filter(|(table, _)| table.id() == self.table.id());
        restrictions.fold(query, |query, (_, condition)| query.restrict(condition.clone()))
    }

    /// Rows of the URL that the caller may apply the request's operation to.
    pub(crate) fn permitted(self) -> Result<AnyQuery> {
        let operation = if self.is_of_url() {
            self.cx.operation()
        } else {
            None
        };
        match operation {
            None if self.is_of_url() && self.cx.binding().restores => self.permitted_for(Operation::Patch),
            operation => self.permitted_for(operation.unwrap_or(Operation::Get)),
        }
    }

    /// Rows of the URL that the caller may apply this operation to.
    pub(crate) fn permitted_for(self, operation: Operation) -> Result<AnyQuery> {
        let query = self.scoped_with(self.deleted_for(Some(operation)))?;
        Ok(match self.policy {
            Some(policy) => query.restrict(policy.permits(operation)),
            None => query,
        })
    }

    /// Ends the request unless the caller may apply its operation to the row with this key.
    pub(crate) async fn require_permitted(self, key: RowKey) -> Result<()> {
        let permitted = self.permitted()?;
        if self
            .cx
            .store_unchecked()
            .exists_any(&permitted, key.clone())
            .await?
        {
            Ok(())
        } else {
            Err(self.why_not_permitted(self.scoped()?, key).await)
        }
    }

    /// Returns the error for a row that the operation may not be applied to: 401 or 403 if it is among the rows that the
    /// caller sees, 409 if they see that it is deleted, and 404 otherwise.
    pub(crate) async fn why_not_permitted(self, seen: AnyQuery, key: RowKey) -> Error {
        if self.policy.is_none() {
            return Error::not_found();
        }
        match self.cx.store_unchecked().exists_any(&seen, key.clone()).await {
            Ok(true) => self.cx.denied(),
            Ok(false) => self.why_missing(key).await,
            Err(error) => error.into(),
        }
    }

    /// Ends the request if the caller may not create rows.
    pub(crate) fn require_create(self) -> Result<()> {
        match self.policy {
            Some(policy) if !policy.may_create() => Err(self.cx.denied()),
            _ => Ok(()),
        }
    }

    /// Rows that the caller may leave behind by a write.
    pub(crate) fn writable(self) -> AnyQuery {
        let rows = AnyQuery::from(self.table);
        match self.policy {
            Some(policy) => rows.restrict(policy.writable()),
            None => rows,
        }
    }

    /// Values that the policy presets on rows the caller creates.
    pub(crate) fn presets(self) -> Vec<(usize, Value)> {
        self.policy.map_or_else(Vec::new, TablePolicy::presets)
    }

    /// Sets the foreign keys that the URL fixes and the policy's presets, where the application has set nothing itself.
    pub(crate) async fn apply_presets(self, draft: &mut AnyDraft) -> Result<()> {
        let presets = self.presets();
        let mut fixed = self.url_columns()?;
        let is_open = |column| !draft.is_set(column);
        if self.parents().iter().any(|parent| is_open(parent.column)) {
            fixed.extend(self.require_parents().await?);
        }
        fixed.retain(|(column, _)| !draft.is_set(*column));
        self.require_agreement(&fixed, &presets)?;
        for (column, value) in fixed.into_iter().chain(presets) {
            if !draft.is_set(column) {
                draft.set(column, value);
            }
        }
        Ok(())
    }

    /// Ends the request of a caller whose presets contradict the parents in the URL: they may not create a row there.
    pub(crate) fn require_agreement(
        self,
        fixed: &[(usize, Value)],
        presets: &[(usize, Value)],
    ) -> Result<()> {
        let contradicts = |(column, value): &(usize, Value)| {
            let mut presets = presets.iter();
            presets.any(|(preset, other)| preset == column && other != value)
        };
        if fixed.iter().any(contradicts) {
            Err(self.cx.denied())
        } else {
            Ok(())
        }
    }

    /// Columns that the caller cannot see.
    pub(crate) fn hidden(self) -> AnyColumns {
        self.policy.map_or(AnyColumns::NONE, TablePolicy::hidden)
    }

    /// Columns that the caller sees and cannot set.
    pub(crate) fn read_only(self) -> AnyColumns {
        self.policy.map_or(AnyColumns::NONE, TablePolicy::read_only)
    }

    /// Columns that the caller does not see on all rows, if there are any.
    pub(crate) fn private(self) -> Option<PrivateColumns> {
        self.policy?.private()
    }

    /// Columns that the caller cannot change on some rows, if one of the drafts sets such a column.
    pub(crate) fn frozen<'d>(self, drafts: impl Iterator<Item = &'d AnyDraft>) -> Option<FrozenColumns> {
        self.policy?.frozen(drafts)
    }

    /// Columns that the caller cannot change on some rows.
    #[cfg(feature = "pages")]
    pub(crate) fn frozen_columns(self) -> Option<FrozenColumns> {
        self.policy?.frozen_columns()
    }

    /// Restricts the rows that a draft may be written to: if it sets a private column, to those on which the caller
    /// sees that column. Ends the request if the draft's row is not among them.
    pub(crate) async fn with_private_shown(self, rows: AnyQuery, draft: &AnyDraft) -> Result<AnyQuery> {
        let Some(private) = self.private() else {
            return Ok(rows);
        };
        let is_written = |column| private.columns.contains(column) && draft.is_set(column);
        if !(0..self.table.columns.len()).any(is_written) {
            return Ok(rows);
        }
        let rows = rows.restrict(private.shown_on.clone());
        // Checked even for a draft that changes nothing: such an update is not executed, so its success would confirm a
        // guessed value.
        let key = draft.key().cloned().unwrap_or(Value::Null);
        if self.cx.store_unchecked().exists_any(&rows, key.clone()).await? {
            Ok(rows)
        } else {
            let seen = self.at_url(self.scoped()?, draft.original());
            Err(self.why_not_permitted(seen, RowKey::Primary(key)).await)
        }
    }

    /// Restricts rows to those that the caller may identify by a column: none if it is hidden, and if it is private
    /// those on which the caller sees it.
    pub(crate) fn identified_by(self, column: usize, rows: AnyQuery) -> Result<AnyQuery> {
        if self.hidden().contains(column) {
            return Err(Error::not_found());
        }
        Ok(match self.private() {
            Some(private) if private.columns.contains(column) => rows.restrict(private.shown_on),
            _ => rows,
        })
    }
}

impl TableAccess<'_> {
    /// Projection of one object: the fields that the request selects, or those that the caller sees by default.
    pub(crate) fn object_projection(self) -> Result<Arc<Projection>> {
        let projection = self.cx.services().serializers.single(self.table)?.projection();
        match self.cx.uri().query() {
            Some(_) => read_selection(&self.selectable(projection), self.cx.query_string()),
            None => Ok(self.output(projection)),
        }
    }

    /// Projection of an object that was written: the fields that the caller sees by default.
    pub(crate) fn written_projection(self) -> Result<Arc<Projection>> {
        let serializer = self.cx.services().serializers.single(self.table)?;
        Ok(self.output(serializer.projection()))
    }

    /// Projection of one object with these relations: the fields that the request selects, or those that the caller sees
    /// by default.
    pub(crate) fn expanded_projection(self, relations: &[&str]) -> Result<Arc<Projection>> {
        let projection = self.object_projection()?;
        Ok(Arc::new(self.selectable(&projection).with_relations(relations)?))
    }

    /// Projection of a list, of which the query may select and filter fields.
    pub(crate) fn list_projection(self) -> Result<Arc<Projection>> {
        let projection = self.cx.services().serializers.many(self.table)?.projection();
        Ok(match self.cx.uri().query() {
            Some(_) => self.selectable(projection),
            None => self.output(projection),
        })
    }

    /// Part of a projection that the caller gets if the request selects no fields; often the whole.
    pub(crate) fn output(self, projection: &Arc<Projection>) -> Arc<Projection> {
        let is_restricted = !self.hidden().is_empty() || self.private().is_some();
        if !is_restricted && projection.writes_columns_only() {
            Arc::clone(projection)
        } else {
            self.selectable(projection)
        }
    }

    /// Part of a projection that the caller sees, including relations, and so may name in a query.
    fn selectable(self, projection: &Arc<Projection>) -> Arc<Projection> {
        match self.cx.visibility() {
            Some(visibility) => Arc::new(projection.restricted_to(&visibility)),
            None => Arc::clone(projection),
        }
    }
}

impl TableAccess<'_> {
    /// Rejects a draft that newly references rows which the caller cannot see, as if they did not exist. `rows` are
    /// those that the draft may change.
    pub(crate) async fn require_visible_references(
        self,
        draft: &mut AnyDraft,
        rows: &AnyQuery,
    ) -> Result<()> {
        match self.invisible_references(draft, rows).await?.as_slice() {
            [] => Ok(()),
            columns => Err(Error::invalid(self.missing_references(columns))),
        }
    }

    /// Errors of a loaded draft that newly references rows which the caller cannot see, before checks that read all rows
    /// run on it.
    pub(crate) async fn reference_errors(self, draft: &mut AnyDraft) -> Result<Errors> {
        let is_unread = draft.key().is_some() && draft.original().is_none();
        let rows = if is_unread {
            self.permitted_for(Operation::Patch)?
        } else {
            AnyQuery::from(self.table)
        };
        let mut missing = Vec::new();
        for column in self.invisible_references(draft, &rows).await? {
            if !self.may_be_created_meanwhile(draft, column).await? {
                missing.push(column);
            }
        }
        Ok(self.missing_references(&missing))
    }

    /// Positions of the foreign keys of the draft that newly reference rows which the caller cannot see. If the draft's
    /// row was not read, it is read only if a reference is not visible, because a foreign key that keeps its value is
    /// not a write.
    async fn invisible_references(self, draft: &mut AnyDraft, rows: &AnyQuery) -> Result<Vec<usize>> {
        let mut invisible = Vec::new();
        let keys = self.table.columns.iter().enumerate();
        let keys = keys.filter(|(_, column)| column.references.is_some());
        for (position, _) in keys {
            if self.sees_reference(draft, position).await? {
                continue;
            }
            if draft.original().is_none()
                && let Some(key) = draft.key().cloned()
            {
                let base = self.cx.store_unchecked().find_any(rows, key.clone()).await?;
                let Some(base) = base else {
                    let key = RowKey::Primary(key);
                    return Err(self.why_not_permitted(self.scoped()?, key).await);
                };
                draft.rebase(base);
            }
            if draft.is_changed(position) {
                invisible.push(position);
            }
        }
        Ok(invisible)
    }

    fn missing_references(self, positions: &[usize]) -> Errors {
        let mut errors = Errors::new();
        for position in positions {
            let column = &self.table.columns[*position];
            errors.add(column.wire_name(), column.reference_message());
        }
        errors
    }

    /// Whether the row that a new object of a bulk request references may be an earlier object of the request, which is
    /// not written yet: a row of the same model, whose keys the request names, and which does not exist.
    async fn may_be_created_meanwhile(self, draft: &AnyDraft, position: usize) -> Result<bool> {
        let references = self.table.columns[position].references;
        let is_own = references.is_some_and(|references| (references.table)().id() == self.table.id());
        let names_keys = draft.key().is_none() && draft.is_set(self.table.primary_key);
        if !(self.cx.is_sub_request() && is_own && names_keys) {
            return Ok(false);
        }
        let (all, key) = (AnyQuery::from(self.table), draft.value(position).to_value());
        Ok(!self.cx.store_unchecked().exists_any(&all, key).await?)
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
        Ok(self.cx.store_unchecked().exists_any(&visible, value).await?)
    }
}
