//! Access of one caller to the actions and columns of an api, apart from what only rows decide.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyColumns, AnyWhere, RowScope};
use model_resource_schema::serializer::{PrivateColumns, RelatedWrites, Visibility};

use crate::access::{Caller, Policy};
use crate::routing::Operation;

/// Everything that distinguishes the descriptions of two callers: the actions and columns that they can use. Callers
/// with equal keys have equal descriptions, so that documents can be cached by it.
///
/// ```
/// use model_resource::{Api, Caller};
///
/// let api = Api::new("open").compile();
/// let (ann, visitor) = (Caller::of(7_i64), Caller::anonymous());
/// assert_eq!(api.description_key(&ann), api.description_key(&visitor));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DescriptionKey(Arc<CallerRules>);

/// Access of one caller.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CallerRules {
    /// Whether the caller passes the decorators of each chain.
    chains: Box<[bool]>,
    /// Access to each table with a policy.
    tables: Box<[(usize, TableRules)]>,
}

/// Policy of one table as it applies to one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TableRules {
    visible: RowScope,
    updatable: RowScope,
    deletable: RowScope,
    /// Deleted rows that the caller sees.
    pub(super) shows_deleted: RowScope,
    pub(super) may_create: bool,
    /// Columns that the caller sees on no row.
    pub(super) hidden: AnyColumns,
    /// Columns that the caller sees on some rows.
    pub(super) private: AnyColumns,
    /// Columns that the caller cannot set on new rows.
    pub(super) unset_on_create: AnyColumns,
    /// Columns that the caller cannot set on existing rows.
    pub(super) unset_on_update: AnyColumns,
    /// Columns that are preset on new rows.
    pub(super) presets: AnyColumns,
}

impl TableRules {
    /// Access to a table without a policy.
    pub(super) const OPEN: Self = Self {
        visible: RowScope::All,
        updatable: RowScope::All,
        deletable: RowScope::All,
        shows_deleted: RowScope::All,
        may_create: true,
        hidden: AnyColumns::NONE,
        private: AnyColumns::NONE,
        unset_on_create: AnyColumns::NONE,
        unset_on_update: AnyColumns::NONE,
        presets: AnyColumns::NONE,
    };

    fn of(policy: &Policy, table: &'static Table, caller: &Caller) -> Self {
        let visible = policy.visible(caller).scope();
        let shows_deleted = match table.soft_delete {
            Some(_) => visible.and(policy.shows_deleted(caller).scope()),
            None => RowScope::None,
        };
        // Of the rows that a caller sees, the deleted ones cannot be changed.
        let changed = match shows_deleted {
            RowScope::None => visible,
            RowScope::Some | RowScope::All => visible.and(RowScope::Some),
        };
        let permits = |operation| changed.and(policy.permits(caller, operation).scope());
        let (mut private, mut unseen) = (AnyColumns::NONE, AnyColumns::NONE);
        if let Some(PrivateColumns { columns, shown_on }) = policy.private(caller) {
            match shown_on.scope() {
                RowScope::All => {}
                RowScope::Some => private = columns,
                RowScope::None => unseen = columns,
            }
        }
        let presets = policy.presets(caller).into_iter().map(|(column, _)| column);
        let presets = presets.fold(AnyColumns::NONE, AnyColumns::with);
        let hidden = policy.hidden(caller);
        let fixed = hidden.union(policy.read_only(caller));
        Self {
            visible,
            updatable: permits(Operation::Patch),
            deletable: permits(Operation::Delete),
            shows_deleted,
            may_create: policy.may_create(caller, table),
            hidden: hidden.union(unseen),
            private,
            unset_on_create: fixed,
            // An update of a private column needs a row on which it is shown.
            unset_on_update: fixed.union(presets).union(unseen),
            presets,
        }
    }

    /// Deleted rows that the caller may restore.
    pub(super) fn restored(&self) -> RowScope {
        self.shows_deleted.and(self.updatable)
    }

    /// Rows that an operation can be applied to.
    pub(super) fn rows(&self, operation: Operation) -> RowScope {
        match operation {
            Operation::Get | Operation::List => self.visible,
            Operation::Put | Operation::Patch => self.updatable,
            Operation::Delete => self.deletable,
            Operation::Create => RowScope::All,
        }
    }
}

impl DescriptionKey {
    /// Whether the caller sees every column of the rows that they see.
    pub(super) fn shows_all_columns(&self) -> bool {
        let mut tables = self.0.tables.iter();
        tables.all(|(_, rules)| rules.hidden == AnyColumns::NONE && rules.private == AnyColumns::NONE)
    }

    /// Asks the decorators of the chains and the policies of the tables.
    pub(super) fn new<'p>(
        chains: impl Iterator<Item = bool>,
        policies: impl Iterator<Item = (&'static Table, &'p Policy)>,
        caller: &Caller,
    ) -> Self {
        let rules = |(table, policy)| (address(table), TableRules::of(policy, table, caller));
        let mut tables: Vec<(usize, TableRules)> = policies.map(rules).collect();
        tables.sort_unstable_by_key(|(address, _)| *address);
        Self(Arc::new(CallerRules {
            chains: chains.collect(),
            tables: tables.into(),
        }))
    }

    /// Whether the caller passes the decorators of a chain.
    pub(super) fn passes(&self, chain: usize) -> bool {
        self.0.chains.get(chain).is_none_or(|passes| *passes)
    }

    /// Access to a table.
    pub(super) fn rules(&self, table: &'static Table) -> &TableRules {
        let found = self
            .0
            .tables
            .binary_search_by_key(&address(table), |(address, _)| *address);
        found.map_or(&TableRules::OPEN, |position| &self.0.tables[position].1)
    }
}

/// Order of the tables.
fn address(table: &'static Table) -> usize {
    std::ptr::from_ref(table).addr()
}

/// Visibility of the columns; rows are all visible, since a description shows none.
impl Visibility for DescriptionKey {
    fn rows(&self, _: &'static Table) -> Option<AnyWhere> {
        None
    }

    fn hidden(&self, table: &'static Table) -> AnyColumns {
        self.rules(table).hidden
    }

    fn private(&self, table: &'static Table) -> Option<PrivateColumns> {
        let columns = self.rules(table).private;
        (!columns.is_empty()).then_some(PrivateColumns {
            columns,
            shown_on: AnyWhere::Or(Vec::new()),
        })
    }

    fn related_writes(&self, table: &'static Table) -> RelatedWrites {
        let rules = self.rules(table);
        RelatedWrites {
            can_add: rules.may_create,
            can_change: rules.updatable != RowScope::None,
            can_remove: rules.deletable != RowScope::None,
            unset_on_create: rules.unset_on_create,
            unset_on_update: rules.unset_on_update,
            presets: rules.presets,
        }
    }
}
