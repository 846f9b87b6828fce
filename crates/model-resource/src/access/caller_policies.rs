//! Policies of all models as they apply to one caller, and their answers.

use std::sync::{Arc, OnceLock};

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::query::{AnyColumns, AnyWhere, RowScope};
use model_resource_schema::serializer::{PrivateColumns, Visibility};
use model_resource_schema::value::Value;

use crate::access::caller::Caller;
use crate::access::frozen_columns::FrozenColumns;
use crate::access::policies::{Policies, Policy, are_storable};
use crate::routing::Operation;

/// Policies of all models as they apply to one caller. The policy of the URL's own table is asked each question at most
/// once per request.
pub(crate) struct CallerPolicies {
    policies: Arc<Policies>,
    caller: Caller,
    own: Option<(&'static Table, PolicyAnswers)>,
}

/// Answers of one policy, each filled in when it is first needed.
#[derive(Default)]
struct PolicyAnswers {
    visible: OnceLock<Arc<AnyWhere>>,
    hidden: OnceLock<AnyColumns>,
    /// Boxed, because most requests for an object need none of them.
    others: OnceLock<Box<OtherAnswers>>,
}

/// Answers that few reads need.
#[derive(Default)]
struct OtherAnswers {
    shows_deleted: OnceLock<AnyWhere>,
    private: OnceLock<Option<PrivateColumns>>,
    updatable: OnceLock<AnyWhere>,
    deletable: OnceLock<AnyWhere>,
    may_create: OnceLock<bool>,
    writable: OnceLock<AnyWhere>,
    presets: OnceLock<Vec<(usize, Value)>>,
    read_only: OnceLock<AnyColumns>,
    frozen: OnceLock<Option<FrozenColumns>>,
}

impl PolicyAnswers {
    fn others(&self) -> &OtherAnswers {
        self.others.get_or_init(Box::default)
    }
}

/// Policy of one table as it applies to one caller.
#[derive(Clone, Copy)]
pub(crate) struct TablePolicy<'a> {
    table: &'static Table,
    policy: &'a Policy,
    caller: &'a Caller,
    answers: Option<&'a PolicyAnswers>,
}

impl CallerPolicies {
    /// Applies the policies to a caller; `own` is the table of the URL, if it has one. `None` without policies.
    pub(crate) fn new(
        policies: &Arc<Policies>,
        caller: &Caller,
        own: Option<&'static Table>,
    ) -> Option<Arc<Self>> {
        (!policies.is_empty()).then(|| {
            Arc::new(Self {
                policies: Arc::clone(policies),
                caller: caller.clone(),
                own: own.map(|table| (table, PolicyAnswers::default())),
            })
        })
    }

    /// Policy of a table, if it has one.
    pub(crate) fn of(&self, table: &'static Table) -> Option<TablePolicy<'_>> {
        let own = self.own.as_ref().filter(|(own, _)| own.id() == table.id());
        Some(TablePolicy {
            table,
            policy: self.policies.of(table)?,
            caller: &self.caller,
            answers: own.map(|(_, answers)| answers),
        })
    }

    /// Whether the caller sees the same columns of a table as an anonymous one, on every row.
    pub(crate) fn show_as_to_anonymous(&self, table: &'static Table) -> bool {
        !self.caller.is_authenticated() || self.of(table).is_none_or(TablePolicy::shows_as_to_anonymous)
    }
}

impl<'a> TablePolicy<'a> {
    /// Condition of the rows that the caller can see.
    pub(crate) fn visible(self) -> Arc<AnyWhere> {
        let ask = || Arc::new(self.policy.visible(self.caller));
        self.answer(|answers| &answers.visible, ask)
    }

    /// Condition of the deleted rows that the caller can see, among the visible ones.
    pub(crate) fn shows_deleted(self) -> AnyWhere {
        self.answer(
            |answers| &answers.others().shows_deleted,
            || self.policy.shows_deleted(self.caller),
        )
    }

    /// Additional condition of the rows that the caller may apply the operation to.
    pub(crate) fn permits(self, operation: Operation) -> AnyWhere {
        let ask = || self.policy.permits(self.caller, operation);
        match operation {
            Operation::Put | Operation::Patch => self.answer(|answers| &answers.others().updatable, ask),
            Operation::Delete => self.answer(|answers| &answers.others().deletable, ask),
            Operation::Create | Operation::Get | Operation::List => ask(),
        }
    }

    /// Whether the caller may create rows.
    pub(crate) fn may_create(self) -> bool {
        let ask = || (self.policy.may_create)(self.caller) && are_storable(&self.presets(), self.table);
        self.answer(|answers| &answers.others().may_create, ask)
    }

    /// Condition of the rows that the caller may leave behind.
    pub(crate) fn writable(self) -> AnyWhere {
        self.answer(
            |answers| &answers.others().writable,
            || self.policy.writable(self.caller),
        )
    }

    /// Values preset on rows that the caller creates.
    pub(crate) fn presets(self) -> Vec<(usize, Value)> {
        self.answer(
            |answers| &answers.others().presets,
            || self.policy.presets(self.caller),
        )
    }

    /// Columns that the caller cannot see.
    pub(crate) fn hidden(self) -> AnyColumns {
        self.answer(|answers| &answers.hidden, || self.policy.hidden(self.caller))
    }

    /// Columns that the caller sees and cannot set.
    pub(crate) fn read_only(self) -> AnyColumns {
        self.answer(
            |answers| &answers.others().read_only,
            || self.policy.read_only(self.caller),
        )
    }

    /// Columns that the caller does not see on all rows, if there are any.
    pub(crate) fn private(self) -> Option<PrivateColumns> {
        if !self.policy.has_private() {
            return None;
        }
        self.answer(
            |answers| &answers.others().private,
            || self.policy.private(self.caller),
        )
    }

    fn shows_as_to_anonymous(self) -> bool {
        let anonymous = self.caller.to_anonymous();
        let is_hidden_everywhere = |private: &PrivateColumns| private.shown_on.scope() == RowScope::None;
        let shows_private_alike = match (self.private(), self.policy.private(&anonymous)) {
            (None, None) => true,
            (Some(own), Some(other)) => is_hidden_everywhere(&own) && is_hidden_everywhere(&other),
            (None, Some(_)) | (Some(_), None) => false,
        };
        shows_private_alike && self.hidden() == self.policy.hidden(&anonymous)
    }

    /// Columns that the caller cannot change on some rows. The policy is asked only if one of the drafts sets such a
    /// column.
    pub(crate) fn frozen<'d>(self, mut drafts: impl Iterator<Item = &'d AnyDraft>) -> Option<FrozenColumns> {
        let columns = self.policy.frozen;
        let sets_frozen = |draft: &AnyDraft| {
            let mut frozen = columns.of_table(self.table);
            frozen.any(|(column, _)| draft.is_set(column))
        };
        drafts.any(sets_frozen).then(|| self.frozen_columns())?
    }

    /// Columns that the caller cannot change on some rows.
    pub(crate) fn frozen_columns(self) -> Option<FrozenColumns> {
        if self.policy.frozen.is_empty() {
            return None;
        }
        self.answer(
            |answers| &answers.others().frozen,
            || self.policy.frozen(self.caller),
        )
    }

    /// Returns the stored answer to a question, or asks the policy.
    fn answer<T: Clone + 'a>(
        self,
        stored: impl FnOnce(&'a PolicyAnswers) -> &'a OnceLock<T>,
        ask: impl FnOnce() -> T,
    ) -> T {
        match self.answers {
            Some(answers) => stored(answers).get_or_init(ask).clone(),
            None => ask(),
        }
    }
}

impl Visibility for CallerPolicies {
    fn rows(&self, table: &'static Table) -> Option<AnyWhere> {
        let visible = self.of(table)?.visible();
        (!visible.is_all()).then(|| Arc::unwrap_or_clone(visible))
    }

    fn hidden(&self, table: &'static Table) -> AnyColumns {
        self.of(table).map_or(AnyColumns::NONE, TablePolicy::hidden)
    }

    fn private(&self, table: &'static Table) -> Option<PrivateColumns> {
        self.of(table)?.private()
    }
}
