//! Authorization of one request: the caller, and the rows and columns that policies let them reach.

use std::any::Any;
use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::Model;
use model_resource_schema::query::{AnyColumns, Where};
use model_resource_schema::serializer::{PrivateColumns, Projection, Visibility};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, RowKey};

use crate::access::caller::Caller;
use crate::access::policies::Policy;
use crate::pipeline::{Context, Error, Result, caller_visibility};
use crate::routing::Operation;

impl Context {
    /// Caller of the request.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    pub(crate) fn set_caller(&mut self, caller: Caller) {
        self.0.caller = caller.at_url(&self.0.params, &self.0.binding.unscoped);
    }

    /// Authenticator of the api, for handlers that use more of it than the caller. `None` unless it is an `S`.
    pub fn authenticator<S: Any>(&self) -> Option<&S> {
        self.0.services.security.as_ref()?.downcast_ref()
    }

    /// Application state of type `S`. `None` unless [`Api::with_state`](crate::Api::with_state) set it.
    ///
    /// Operations and views take it by axum's `State<S>`; this method is for decorators and
    /// [`FromContext`](crate::FromContext).
    pub fn state<S: Any>(&self) -> Option<&S> {
        self.0.services.states.get()
    }

    /// Returns the error for a caller who may not do this: 401 if they are anonymous, 403 otherwise.
    pub fn denied(&self) -> Error {
        if self.caller().is_authenticated() {
            Error::forbidden("You may not do this.")
        } else {
            Error::unauthorized()
        }
    }

    fn policy(&self, table: &'static Table) -> Option<&Policy> {
        self.0.services.policies.of(table)
    }

    /// Rows of a table that the caller can see, at any URL.
    pub(crate) fn visible_rows(&self, table: &'static Table) -> AnyQuery {
        let select = AnyQuery::from(table);
        let select = match self.policy(table) {
            Some(policy) => select.restrict(policy.visible(self.caller())),
            None => select,
        };
        let restrictions = self.0.restrictions.iter();
        let restrictions = restrictions.filter(|(other, _)| std::ptr::eq(*other, table));
        restrictions.fold(select, |select, (_, condition)| {
            select.restrict(condition.clone())
        })
    }

    /// Restricts the rows of a model that the request can see. The other rows do not exist for it: in lists, their
    /// counts and pages, and by their keys. Decorators call it before the loaders run.
    ///
    /// ```
    /// use model_resource::schema::query::Comparison;
    /// use model_resource::{Context, Model, Next, Reply, Result, Where};
    ///
    /// #[derive(Model)]
    /// struct Track {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     seconds: i32,
    /// }
    ///
    /// /// `GET /tracks?minMinutes=6`, with `minMinutes` among the resource's `QUERY_PARAMETERS`.
    /// async fn long_enough(mut cx: Context, next: Next) -> Result<Reply> {
    ///     if let Some(minutes) = cx.query("minMinutes").and_then(|text| text.parse::<i32>().ok()) {
    ///         cx.restrict(Track::SECONDS.gte(minutes.saturating_mul(60)));
    ///     }
    ///     next.run(cx).await
    /// }
    /// # fn check(_: impl model_resource::Decorator) {}
    /// # check(long_enough);
    /// ```
    pub fn restrict<M: Model>(&mut self, rows: Where<M>) {
        self.0.restrictions.push((M::table(), rows.into_any()));
    }

    /// Restricts the visible rows to those that the caller may apply the request's operation to.
    pub(crate) fn permitted_rows(&self, table: &'static Table) -> Result<AnyQuery> {
        let operation = self.operation().filter(|_| self.is_about(table));
        self.permitted_rows_for(operation.unwrap_or(Operation::Get), table)
    }

    /// Restricts the visible rows to those that the caller may apply this operation to.
    pub(crate) fn permitted_rows_for(&self, operation: Operation, table: &'static Table) -> Result<AnyQuery> {
        let select = self.scoped_rows(table)?;
        Ok(match self.policy(table) {
            Some(policy) => select.restrict(policy.permits(self.caller(), operation)),
            None => select,
        })
    }

    /// Ends the request unless the caller may apply its operation to the row with this key.
    pub(crate) async fn require_permitted(&self, table: &'static Table, key: RowKey) -> Result<()> {
        let permitted = self.permitted_rows(table)?;
        if self.store().exists(&permitted, key.clone()).await? {
            Ok(())
        } else {
            Err(self.why_not_permitted(self.scoped_rows(table)?, key).await)
        }
    }

    /// The error for a row that the operation may not be applied to: 401 or 403 if it is one of the rows that the caller
    /// sees, and 404 otherwise.
    pub(crate) async fn why_not_permitted(&self, seen: AnyQuery, key: RowKey) -> Error {
        if self.policy(seen.table()).is_none() {
            return Error::not_found();
        }
        match self.store().exists(&seen, key).await {
            Ok(true) => self.denied(),
            Ok(false) => Error::not_found(),
            Err(error) => error.into(),
        }
    }

    /// Ends the request if the caller may not create rows of this table.
    pub(crate) fn require_create(&self, table: &'static Table) -> Result<()> {
        match self.policy(table) {
            Some(policy) if !policy.may_create(self.caller()) => Err(self.denied()),
            _ => Ok(()),
        }
    }

    /// Sets the foreign keys that the URL fixes and the policy's presets, where the application has set nothing itself.
    pub(crate) async fn apply_presets(&self, draft: &mut AnyDraft) -> Result<()> {
        let table = draft.table();
        let presets = self.presets(table);
        let mut fixed = self.url_columns(table)?;
        if self
            .parents(table)
            .iter()
            .any(|parent| !draft.is_set(parent.column))
        {
            fixed.extend(self.require_parents(table).await?);
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
        &self,
        fixed: &[(usize, Value)],
        presets: &[(usize, Value)],
    ) -> Result<()> {
        let contradicts = |(column, value): &(usize, Value)| {
            let mut presets = presets.iter();
            presets.any(|(preset, other)| preset == column && other != value)
        };
        if fixed.iter().any(contradicts) {
            Err(self.denied())
        } else {
            Ok(())
        }
    }

    /// Values that the policy presets on rows the caller creates.
    pub(crate) fn presets(&self, table: &'static Table) -> Vec<(usize, Value)> {
        let Some(policy) = self.policy(table) else {
            return Vec::new();
        };
        let presets = policy.presets(self.caller());
        let set = |column| Some((column, presets.get(column)?.to_value()));
        (0..table.columns.len()).filter_map(set).collect()
    }

    /// Columns that the caller cannot see.
    pub(crate) fn hidden_columns(&self, table: &'static Table) -> AnyColumns {
        let policy = self.policy(table);
        policy.map_or(AnyColumns::NONE, |policy| policy.hidden(self.caller()))
    }

    /// Columns that the caller sees and cannot set.
    pub(crate) fn read_only_columns(&self, table: &'static Table) -> AnyColumns {
        let policy = self.policy(table);
        policy.map_or(AnyColumns::NONE, |policy| policy.read_only(self.caller()))
    }

    /// Rejects a draft that newly references rows which the caller cannot see, as if they did not exist. `rows` are
    /// those that the draft may change. If the draft's row was not read, it is read only if a reference is not visible,
    /// because a foreign key that keeps its value is not a write.
    pub(crate) async fn require_visible_references(
        &self,
        draft: &mut AnyDraft,
        rows: &AnyQuery,
    ) -> Result<()> {
        let table = draft.table();
        let keys = table.columns.iter().enumerate();
        let keys = keys.filter(|(_, column)| column.references.is_some());
        for (position, column) in keys {
            if self.sees_reference(draft, position).await? {
                continue;
            }
            if draft.original().is_none()
                && let Some(key) = draft.key().cloned()
            {
                let base = self.store().find(rows, key.clone()).await?;
                let Some(base) = base else {
                    return Err(self
                        .why_not_permitted(self.scoped_rows(table)?, RowKey::Primary(key))
                        .await);
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
    async fn sees_reference(&self, draft: &AnyDraft, position: usize) -> Result<bool> {
        let Some(references) = draft.table().columns[position].references else {
            return Ok(true);
        };
        let other = (references.table)();
        let value = draft.get(position).filter(|_| draft.is_changed(position));
        let value = value.map_or(Value::Null, |value| value.to_value());
        let visible = self.visible_rows(other);
        // If all rows are visible, the foreign key constraint is the check.
        if visible.is_all() || value.is_null() {
            return Ok(true);
        }
        Ok(self.store().exists(&visible, value).await?)
    }

    /// Rows that a draft may be written to. If it sets a private column, only the rows on which the caller sees that
    /// column. Ends the request if the draft's row is not among them.
    pub(crate) async fn writable(&self, rows: AnyQuery, draft: &AnyDraft) -> Result<AnyQuery> {
        let table = draft.table();
        let Some(private) = self.private_columns(table) else {
            return Ok(rows);
        };
        let is_written = |column| private.columns.contains(column) && draft.is_set(column);
        if !(0..table.columns.len()).any(is_written) {
            return Ok(rows);
        }
        let rows = rows.restrict(private.shown_on.clone());
        // Checked even for a draft that changes nothing: such an update is not executed, so its success would confirm a
        // guessed value.
        let key = draft.key().cloned().unwrap_or(Value::Null);
        if self.store().exists(&rows, key.clone()).await? {
            Ok(rows)
        } else {
            let seen = self.at_url(self.scoped_rows(table)?, draft.original());
            Err(self.why_not_permitted(seen, RowKey::Primary(key)).await)
        }
    }

    /// Restricts rows to those that the caller may identify by a column: none if it is hidden, and if it is private those on which the
    /// caller sees it.
    pub(crate) fn identified_by(&self, column: usize, rows: AnyQuery) -> Result<AnyQuery> {
        let table = rows.table();
        if self.hidden_columns(table).contains(column) {
            return Err(Error::not_found());
        }
        Ok(match self.private_columns(table) {
            Some(private) if private.columns.contains(column) => rows.restrict(private.shown_on),
            _ => rows,
        })
    }

    /// Columns that the caller does not see on all rows, if there are any.
    pub(crate) fn private_columns(&self, table: &'static Table) -> Option<PrivateColumns> {
        self.policy(table)?.private(self.caller())
    }

    /// Visibility of rows and columns for the caller; none without policies.
    pub(crate) fn visibility(&self) -> Option<Arc<dyn Visibility>> {
        self.visibility_of(self.caller())
    }

    /// Visibility of rows and columns for another caller; none without policies.
    pub(crate) fn visibility_of(&self, caller: &Caller) -> Option<Arc<dyn Visibility>> {
        caller_visibility(&self.0.services, caller)
    }

    /// Default projection for the caller, if the request selects no fields; often the serializer's own.
    pub(crate) fn output_projection(&self, projection: &Arc<Projection>) -> Arc<Projection> {
        let policy = self.policy(projection.table());
        let is_restricted = policy.is_some_and(|policy| {
            !policy.hidden(self.caller()).is_empty() || policy.private(self.caller()).is_some()
        });
        if !is_restricted && projection.writes_columns_only() {
            Arc::clone(projection)
        } else {
            self.query_projection(projection)
        }
    }

    /// Part of a projection that the caller sees, including relations, and so may name in a query.
    pub(crate) fn query_projection(&self, projection: &Arc<Projection>) -> Arc<Projection> {
        match self.visibility() {
            Some(visibility) => Arc::new(projection.restricted_to(&visibility)),
            None => Arc::clone(projection),
        }
    }
}
