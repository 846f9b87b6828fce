//! Writes of related rows in the transaction of the row that they refer to.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::{AnyDraft, ChildDraft, ChildDrafts};
use model_resource_schema::errors::Errors;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyWhere;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::PrivateColumns;
use model_resource_schema::value::Value;
use model_resource_store::{
    AnyQuery, DeleteQuery, ListQuery, MapRow, Precondition, RowSink, Store, StoreError, StoreResult, Updated,
};

use crate::access::FrozenColumns;
use crate::events::ChangeLog;
use crate::pipeline::{Context, Error, Result};
use crate::routing::Operation;

/// Related rows to write with a row, with what the policies of their models allow. Empty for most writes.
#[derive(Clone)]
pub(super) struct ChildWrites(Arc<[RelationWrite]>);

/// Rows of one relation to write.
struct RelationWrite {
    drafts: ChildDrafts,
    visible: AnyQuery,
    updatable: AnyQuery,
    /// Columns that can be written only on rows on which the caller sees them.
    private: Option<PrivateColumns>,
    /// Columns that cannot be changed on some rows.
    frozen: Option<FrozenColumns>,
    /// Parent that new rows of the caller have, if the policy presets it.
    preset_parent: Option<Value>,
    deletable: AnyQuery,
    writable: AnyQuery,
    /// Whether subscribers hear of the writes.
    is_watched: bool,
}

impl Context {
    /// Takes the related rows out of a draft, and applies the policies of their models. Ends the request if one denies a
    /// write.
    pub(super) async fn prepare_children(&self, draft: &mut AnyDraft) -> Result<ChildWrites> {
        let children = draft.take_children();
        if children.is_empty() {
            return Ok(ChildWrites(Arc::from([])));
        }
        // The version of the row is that of the whole.
        if children.iter().any(|drafts| !drafts.is_empty()) {
            draft.touch();
        }
        let mut writes = Vec::with_capacity(children.len());
        for mut drafts in children {
            let access = self.access(drafts.table());
            if !drafts.created.is_empty() {
                access.require_create()?;
            }
            let mut presets = access.presets();
            let parent = presets
                .iter()
                .position(|(column, _)| *column == drafts.foreign_key);
            let preset_parent = parent.map(|position| presets.swap_remove(position).1);
            for child in &mut drafts.created {
                for (column, value) in &presets {
                    match child.draft.is_set(*column) {
                        false => child.draft.set(*column, value.clone()),
                        // A link to another object than the caller may create links to.
                        true if child.draft.value(*column) != value.borrow() => return Err(self.denied()),
                        true => {}
                    }
                }
            }
            self.require_visible_targets(&drafts).await?;
            writes.push(RelationWrite {
                visible: access.rows(),
                updatable: access.permitted_for(Operation::Patch)?,
                private: access.private(),
                frozen: access.frozen(drafts.updated.iter().map(|child| &child.draft)),
                preset_parent,
                deletable: access.permitted_for(Operation::Delete)?,
                writable: access.writable(),
                is_watched: self.is_watched(drafts.table()),
                drafts,
            });
        }
        Ok(ChildWrites(writes.into()))
    }

    /// Rejects related rows that newly reference rows which the caller cannot see, as if they did not exist. Each foreign
    /// key takes one statement, however many rows there are.
    async fn require_visible_targets(&self, drafts: &ChildDrafts) -> Result<()> {
        let columns = drafts.table().columns.iter().enumerate();
        for (position, column) in columns.filter(|(position, _)| *position != drafts.foreign_key) {
            let Some(references) = column.references else {
                continue;
            };
            let visible = self.access((references.table)()).rows();
            if visible.is_all() {
                continue;
            }
            let changed = drafts.created.iter().chain(&drafts.updated);
            let changed = changed.filter(|child| child.draft.is_changed(position));
            let target = |child: &ChildDraft| child.draft.value(position).to_value();
            let targets: Vec<(&ChildDraft, Value)> = changed
                .map(|child| (child, target(child)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            let values = targets.iter().map(|(_, value)| value.clone()).collect();
            let seen = keys(self.store_unchecked(), visible, values).await?;
            if let Some((child, _)) = targets.iter().find(|(_, value)| !seen.contains(value)) {
                let errors = Errors::field(column.wire_name(), column.reference_message());
                return Err(Error::invalid(drafts.errors_at(child.place, errors)));
            }
        }
        Ok(())
    }
}

impl ChildWrites {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tables of the related rows.
    pub(super) fn tables(&self) -> impl Iterator<Item = &'static Table> + Clone {
        self.0.iter().map(|relation| relation.drafts.table())
    }

    /// Writes the related rows of the row with this key, in the transaction of `store`. Returns whether the policies allow
    /// that; if not, the transaction is to be rolled back.
    pub(super) async fn write(&self, store: &Store, parent: &Value, changes: &mut ChangeLog) -> Result<bool> {
        for relation in &*self.0 {
            if !relation.write(store, parent, changes).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl RelationWrite {
    async fn write(&self, store: &Store, parent: &Value, changes: &mut ChangeLog) -> Result<bool> {
        self.require_unchanged(store, parent).await?;
        Ok(self.remove(store, parent, changes).await?
            && self.update(store, parent, changes).await?
            && self.create(store, parent, changes).await?)
    }

    /// Rows of the relation among these.
    fn of(&self, rows: &AnyQuery, parent: &Value) -> AnyQuery {
        rows.clone().filter(self.drafts.foreign_key, parent.clone())
    }

    /// Ends the request if it replaces all rows and there are others than it has read.
    async fn require_unchanged(&self, store: &Store, parent: &Value) -> Result<()> {
        let Some(known) = &self.drafts.replaced else {
            return Ok(());
        };
        let present = all_keys(store, self.of(&self.visible, parent)).await?;
        let is_known = present.len() == known.len() && present.iter().all(|key| known.contains(key));
        if is_known { Ok(()) } else { Err(Error::stale()) }
    }

    async fn remove(&self, store: &Store, parent: &Value, changes: &mut ChangeLog) -> Result<bool> {
        let removed = &self.drafts.removed;
        if removed.is_empty() {
            return Ok(true);
        }
        let is_removed = AnyWhere::key_in(self.drafts.table(), removed.clone());
        let rows = self.of(&self.deletable, parent).restrict(is_removed.clone());
        if self.is_watched {
            // Locked, so that each event has the row that is deleted.
            let key = self.drafts.table().primary_key;
            store.lock_rows(&rows, key, removed.clone()).await?;
            for row in store.records(&ListQuery::of(rows.clone())).await? {
                changes.deleted(self.drafts.table(), row);
            }
        }
        let count = store
            .delete_all_any(DeleteQuery::soft(&rows, store.clock()))
            .await?;
        if usize::try_from(count) == Ok(removed.len()) {
            return Ok(true);
        }
        let left = self.of(&self.visible, parent).restrict(is_removed);
        if store.count(&left).await? == 0 {
            return Err(Error::stale());
        }
        Ok(false)
    }

    async fn update(&self, store: &Store, parent: &Value, changes: &mut ChangeLog) -> Result<bool> {
        let updatable = self.of(&self.updatable, parent);
        let private = self
            .private
            .as_ref()
            .map(|private| updatable.clone().restrict(private.shown_on.clone()));
        for child in &self.drafts.updated {
            let rows = match &private {
                Some(shown) if self.sets_private(&child.draft) => shown,
                _ => &updatable,
            };
            if !self.update_one(store, parent, rows, child, changes).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a draft sets a column that the caller does not see on all rows.
    fn sets_private(&self, draft: &AnyDraft) -> bool {
        let Some(private) = &self.private else {
            return false;
        };
        let mut columns = 0..self.drafts.table().columns.len();
        columns.any(|column| private.columns.contains(column) && draft.is_set(column))
    }

    async fn update_one(
        &self,
        store: &Store,
        parent: &Value,
        rows: &AnyQuery,
        child: &ChildDraft,
        changes: &mut ChangeLog,
    ) -> Result<bool> {
        let (draft, keep) = (&child.draft, self.copy());
        let frozen = self.frozen.as_ref();
        let frozen = frozen.filter(|frozen| frozen.are_changed(draft));
        let changeable = frozen.map_or(Cow::Borrowed(rows), |frozen| frozen.changeable(rows, draft));
        let updated =
            store.update_writable(&self.writable, &changeable, draft, Precondition::Unchanged, keep);
        let key = draft.key().cloned().unwrap_or(Value::Null);
        match updated.await.map_err(|error| self.at(child, error))? {
            // Nothing was written, so nothing has checked the permission.
            Some(Updated::Row(_)) if draft.changes(store.clock()).values.is_empty() => {
                Ok(store.exists_any(rows, key).await?)
            }
            Some(Updated::Row(after)) => {
                changes.updated(self.drafts.table(), draft.original(), after);
                Ok(true)
            }
            Some(Updated::Stale(_)) => Err(Error::stale()),
            Some(Updated::Missing) if !store.exists_any(&self.of(&self.visible, parent), key).await? => {
                Err(Error::stale())
            }
            Some(Updated::Missing) => match frozen {
                Some(frozen) => self.require_unfrozen(store, frozen, rows, child).await,
                None => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Ends the request if a row was not written because its draft changes frozen columns. Returns false if the policy
    /// denies any update of the row.
    async fn require_unfrozen(
        &self,
        store: &Store,
        frozen: &FrozenColumns,
        rows: &AnyQuery,
        child: &ChildDraft,
    ) -> Result<bool> {
        let key = child.draft.key().cloned().unwrap_or(Value::Null);
        let Some(row) = store.find_any(rows, key.clone()).await? else {
            return Ok(false);
        };
        let is_known = child.draft.original() == Some(&row);
        if is_known && store.exists_any(&frozen.among(rows), key).await? {
            let errors = frozen.errors(&child.draft);
            return Err(Error::invalid(self.drafts.errors_at(child.place, errors)));
        }
        Err(Error::stale())
    }

    async fn create(&self, store: &Store, parent: &Value, changes: &mut ChangeLog) -> Result<bool> {
        let created = &self.drafts.created;
        if created.is_empty() {
            return Ok(true);
        }
        if self.preset_parent.as_ref().is_some_and(|preset| preset != parent) {
            return Ok(false);
        }
        let draft = |child: &ChildDraft| {
            let mut draft = child.draft.clone();
            draft.set(self.drafts.foreign_key, parent.clone());
            draft
        };
        if self.writable.is_all() && !self.is_watched {
            let drafts = created.iter().map(draft).collect();
            let inserted = store.insert_all_any(self.drafts.table(), drafts).await;
            inserted.map_err(|(place, error)| self.at(&created[place], error))?;
            return Ok(true);
        }
        for child in created {
            let inserted = store.insert_writable(&self.writable, draft(child), self.copy());
            let Some(row) = inserted.await.map_err(|error| self.at(child, error))? else {
                return Ok(false);
            };
            changes.created(self.drafts.table(), row);
        }
        Ok(true)
    }

    /// Copies a written row, if subscribers hear of it.
    fn copy(&self) -> impl MapRow<Option<Record>> + use<> {
        let (table, is_watched) = (self.drafts.table(), self.is_watched);
        move |row: &dyn Row| is_watched.then(|| Record::copy(row, table))
    }

    /// Error of one related row, under its path in the body.
    fn at(&self, child: &ChildDraft, error: StoreError) -> Error {
        match error {
            StoreError::Invalid(errors) => Error::invalid(self.drafts.errors_at(child.place, errors)),
            error => error.into(),
        }
    }
}

/// Collects the keys of rows.
struct ChildKeys {
    primary_key: usize,
    keys: Vec<Value>,
}

impl RowSink for ChildKeys {
    fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
        self.keys.push(row.value(self.primary_key).to_value());
        ControlFlow::Continue(())
    }
}

/// Keys of all selected rows.
async fn all_keys(store: &Store, rows: AnyQuery) -> StoreResult<Vec<Value>> {
    let sink = ChildKeys {
        primary_key: rows.table().primary_key,
        keys: Vec::new(),
    };
    let found = store.scan(&ListQuery::of(rows), Arc::from([]), sink).await?;
    Ok(found.sink.keys)
}

/// Keys among these whose rows are selected.
async fn keys(store: &Store, rows: AnyQuery, keys: Vec<Value>) -> StoreResult<Vec<Value>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let selected = AnyWhere::key_in(rows.table(), keys);
    all_keys(store, rows.restrict(selected)).await
}
