//! Policies of all models.

use std::any::TypeId;
use std::borrow::Cow;

use foldhash::HashMap;
use model_resource_schema::column::{Table, TableId};
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::query::{AnyColumns, AnyWhere, RowScope};
use model_resource_schema::serializer::PrivateColumns;
use model_resource_schema::value::Value;

use crate::access::caller::Caller;
use crate::access::frozen_columns::FrozenColumns;
use crate::access::model_policy::ModelPolicy;
use crate::routing::Operation;

/// Type-erased policy of one model.
pub(crate) struct Policy {
    visible: fn(&Caller) -> AnyWhere,
    shows_deleted: fn(&Caller) -> AnyWhere,
    updatable: fn(&Caller) -> AnyWhere,
    deletable: fn(&Caller) -> AnyWhere,
    pub(super) may_create: fn(&Caller) -> bool,
    writable: fn(&Caller) -> AnyWhere,
    presets: fn(&Caller) -> AnyDraft,
    hidden: fn(&Caller) -> AnyColumns,
    read_only: fn(&Caller) -> AnyColumns,
    private: AnyColumns,
    shows_private: fn(&Caller) -> AnyWhere,
    pub(super) frozen: AnyColumns,
    frozen_on: fn(&Caller) -> AnyWhere,
    explain: fn(&Caller) -> Option<Cow<'static, str>>,
}

impl Policy {
    pub(crate) fn of<P: ModelPolicy>() -> Self {
        Self {
            visible: |caller| P::visible(caller).into_any(),
            shows_deleted: |caller| P::shows_deleted(caller).into_any(),
            updatable: |caller| P::updatable(caller).into_any(),
            deletable: |caller| P::deletable(caller).into_any(),
            may_create: P::may_create,
            writable: |caller| P::writable(caller).into_any(),
            presets: |caller| P::presets(caller).into_any(),
            hidden: |caller| P::hidden(caller).into_any(),
            read_only: |caller| P::read_only(caller).into_any(),
            private: P::private().into_any(),
            shows_private: |caller| P::shows_private(caller).into_any(),
            frozen: P::frozen().into_any(),
            frozen_on: |caller| P::frozen_on(caller).into_any(),
            explain: P::explain,
        }
    }

    /// Evaluates every row condition of the policy once.
    pub(crate) fn smoke_test(&self, caller: &Caller) {
        let conditions = [
            self.visible,
            self.shows_deleted,
            self.updatable,
            self.deletable,
            self.writable,
            self.shows_private,
            self.frozen_on,
        ];
        for condition in conditions {
            condition(caller);
        }
    }

    /// Whether the model has private columns.
    pub(crate) fn has_private(&self) -> bool {
        !self.private.is_empty()
    }

    /// Mistake in the declaration of private columns, with the remedy.
    pub(crate) fn private_mistake(&self, table: &'static Table) -> Option<String> {
        let mut private = self.private.of_table(table);
        let key =
            private.find(|(position, column)| *position == table.primary_key || column.references.is_some());
        if let Some((_, column)) = key {
            return Some(format!(
                "the policy of {}: `{}` cannot be private, since URLs and relations lead over keys; hide it by `hidden`",
                table.model, column.name
            ));
        }
        let decided = (self.shows_private)(&Caller::anonymous()).depends_on_own_columns();
        (!decided).then(|| {
            format!(
                "the policy of {}: `shows_private` asks for rows of another model; compare columns of {} alone",
                table.model, table.model
            )
        })
    }

    /// Mistake in the declaration of frozen columns, with the remedy.
    pub(crate) fn frozen_mistake(&self, table: &'static Table) -> Option<String> {
        FrozenColumns::mistake(self.frozen, table)
    }

    /// Mistake in the declaration of deleted rows, with the remedy.
    pub(crate) fn deleted_mistake(&self, table: &'static Table) -> Option<String> {
        let shows_deleted = (self.shows_deleted)(&Caller::anonymous()).scope() != RowScope::None;
        (table.soft_delete.is_none() && shows_deleted).then(|| {
            format!(
                "the policy of {}: `shows_deleted` needs rows that are deleted softly: mark a field of {} with \
                 #[column(soft_delete)]",
                table.model, table.model
            )
        })
    }

    /// Condition of the rows that the caller can see.
    pub(crate) fn visible(&self, caller: &Caller) -> AnyWhere {
        (self.visible)(caller)
    }

    /// Condition of the deleted rows that the caller can see, among the visible ones.
    pub(crate) fn shows_deleted(&self, caller: &Caller) -> AnyWhere {
        (self.shows_deleted)(caller)
    }

    /// Additional condition of the rows that the caller may apply the operation to.
    pub(crate) fn permits(&self, caller: &Caller, operation: Operation) -> AnyWhere {
        match operation {
            Operation::Put | Operation::Patch => (self.updatable)(caller),
            Operation::Delete => (self.deletable)(caller),
            Operation::Create | Operation::Get | Operation::List => AnyWhere::all(),
        }
    }

    /// Whether the caller may create rows of the table.
    pub(crate) fn may_create(&self, caller: &Caller, table: &'static Table) -> bool {
        (self.may_create)(caller) && are_storable(&self.presets(caller), table)
    }

    /// Condition of the rows that the caller may leave behind.
    pub(crate) fn writable(&self, caller: &Caller) -> AnyWhere {
        (self.writable)(caller)
    }

    /// Values preset on rows that the caller creates.
    pub(crate) fn presets(&self, caller: &Caller) -> Vec<(usize, Value)> {
        let presets = (self.presets)(caller);
        let set = |column| Some((column, presets.get(column)?.to_value()));
        (0..presets.table().columns.len()).filter_map(set).collect()
    }

    /// Columns that the caller cannot see.
    pub(crate) fn hidden(&self, caller: &Caller) -> AnyColumns {
        (self.hidden)(caller)
    }

    /// Columns that the caller does not see on all rows, if there are any.
    pub(crate) fn private(&self, caller: &Caller) -> Option<PrivateColumns> {
        if self.private.is_empty() {
            return None;
        }
        let shown_on = (self.shows_private)(caller);
        (!shown_on.is_all()).then_some(PrivateColumns {
            columns: self.private,
            shown_on,
        })
    }

    /// Columns that the caller cannot change on some rows, if there are such rows.
    pub(super) fn frozen(&self, caller: &Caller) -> Option<FrozenColumns> {
        let rows = (self.frozen_on)(caller);
        (rows.scope() != RowScope::None).then_some(FrozenColumns {
            columns: self.frozen,
            rows,
        })
    }

    /// Text of the application about the policy, if it has one.
    pub(crate) fn explain(&self, caller: &Caller) -> Option<Cow<'static, str>> {
        (self.explain)(caller)
    }

    /// Columns that the caller sees and cannot set.
    pub(crate) fn read_only(&self, caller: &Caller) -> AnyColumns {
        (self.read_only)(caller)
    }
}

/// Whether rows can have these presets: one that is null, as for a caller without a key, needs a nullable column.
pub(super) fn are_storable(presets: &[(usize, Value)], table: &'static Table) -> bool {
    let is_storable = |(column, value): &(usize, Value)| !value.is_null() || table.columns[*column].nullable;
    presets.iter().all(is_storable)
}

/// Policies of all models that have one.
#[derive(Default)]
pub(crate) struct Policies(HashMap<TableId, RegisteredPolicy>);

/// Policy of a model with its type.
struct RegisteredPolicy {
    table: &'static Table,
    id: TypeId,
    policy: Policy,
}

impl Policies {
    /// Adds the policy of a model; the same policy may be added twice. Returns false if the model has another one.
    pub(crate) fn add(&mut self, table: &'static Table, id: TypeId, policy: Policy) -> bool {
        let registered = RegisteredPolicy { table, id, policy };
        self.0.entry(table.id()).or_insert(registered).id == id
    }

    pub(crate) fn of(&self, table: &'static Table) -> Option<&Policy> {
        self.0.get(&table.id()).map(|registered| &registered.policy)
    }

    /// Tables with their policies, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Table, &Policy)> {
        let registered = self.0.values();
        registered.map(|registered| (registered.table, &registered.policy))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
