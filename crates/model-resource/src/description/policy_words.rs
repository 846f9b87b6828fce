//! Policies in words, for the people whom they apply to.

use foldhash::HashSet;
use model_resource_schema::column::Table;
use model_resource_schema::naming;
use model_resource_schema::query::{AnyWhere, RowScope};

use crate::access::{Caller, Policies, Policy};
use crate::description::caller_key::DescriptionKey;
use crate::description::condition_words::ConditionWords;
use crate::description::describer::Describer;
use crate::description::docs;
use crate::description::reach::Reach;
use crate::routing::Operation;

/// Policy of a model in words, as it applies to one caller.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyDescription {
    /// Name of the model.
    pub model: &'static str,
    /// Sentences, such as `You see articles where published is yes, or author is you.`
    pub sentences: Vec<String>,
}

/// Sentence about a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PolicySentence {
    pub(crate) text: String,
    /// Whether it is about changes and deletions, and nothing else.
    pub(crate) is_about_changes: bool,
}

impl PolicySentence {
    fn new(text: String) -> Self {
        Self {
            text,
            is_about_changes: false,
        }
    }

    fn about_changes(text: String) -> Self {
        Self {
            text,
            is_about_changes: true,
        }
    }
}

impl Describer {
    /// Tables of the actions that the caller with this key can use, in their order.
    pub(crate) fn tables(&self, key: &DescriptionKey) -> Vec<&'static Table> {
        let usable = self.actions().iter();
        let usable = usable.filter(|action| !matches!(action.reach(key), Reach::Nothing));
        let mut known = HashSet::default();
        let tables = usable.filter_map(|action| action.binding.table);
        tables.filter(|table| known.insert(table.id())).collect()
    }

    /// Policy of a table in words; `None` if the table has none.
    pub(crate) fn policy_words(
        &self,
        policies: &Policies,
        table: &'static Table,
        caller: &Caller,
    ) -> Option<PolicyDescription> {
        let sentences = self.policy_sentences(policies, table, caller)?.into_iter();
        Some(PolicyDescription {
            model: table.model,
            sentences: sentences.map(|sentence| sentence.text).collect(),
        })
    }

    /// Sentences about the policy of a table; `None` if the table has none.
    pub(crate) fn policy_sentences(
        &self,
        policies: &Policies,
        table: &'static Table,
        caller: &Caller,
    ) -> Option<Vec<PolicySentence>> {
        let policy = policies.of(table)?;
        Some(match policy.explain(caller) {
            Some(text) => vec![PolicySentence::new(text.into_owned())],
            None => self.sentences(policies, policy, table, caller),
        })
    }

    fn sentences(
        &self,
        policies: &Policies,
        policy: &Policy,
        table: &'static Table,
        caller: &Caller,
    ) -> Vec<PolicySentence> {
        let key = self.key(policies, caller);
        let is_shown = |table, column| self.shows(&key, table, column);
        let words = ConditionWords {
            caller: caller.key_text(),
            is_shown: &is_shown,
        };
        let objects = naming::plural(&docs::words(table));
        // What guards refuse, or no URL offers, is not allowed by a policy.
        let usable = |operations: &[Operation], rows: AnyWhere| {
            if self.can_use(&key, table, operations) {
                rows
            } else {
                AnyWhere::Or(Vec::new())
            }
        };
        let visible = usable(&[Operation::Get, Operation::List], policy.visible(caller));
        let mut sentences = vec![PolicySentence::new(reach(
            &words, table, "You see", &objects, &visible,
        ))];
        if visible.scope() == RowScope::None {
            return sentences;
        }
        let may_create =
            if policy.may_create(caller, table) && self.can_use(&key, table, &[Operation::Create]) {
                "You may create"
            } else {
                "You may not create"
            };
        sentences.push(PolicySentence::new(format!("{may_create} {objects}.")));
        let updates = [Operation::Put, Operation::Patch];
        let update = usable(&updates, policy.permits(caller, Operation::Patch));
        let delete = usable(&[Operation::Delete], policy.permits(caller, Operation::Delete));
        let of = |verb| reach(&words, table, verb, &objects, &update);
        if of("") == reach(&words, table, "", &objects, &delete) {
            sentences.push(PolicySentence::about_changes(of("You may change and delete")));
        } else {
            let delete = reach(&words, table, "You may delete", &objects, &delete);
            sentences.extend([of("You may change"), delete].map(PolicySentence::about_changes));
        }
        sentences
    }

    /// Whether the caller can use one of these operations on a table.
    fn can_use(&self, key: &DescriptionKey, table: &'static Table, operations: &[Operation]) -> bool {
        self.actions().iter().any(|action| {
            let is_of_table = action.binding.table.is_some_and(|own| own.id() == table.id());
            let operation = action.operation();
            is_of_table
                && operation.is_some_and(|operation| operations.contains(&operation))
                && !matches!(action.reach(key), Reach::Nothing)
        })
    }

    /// Whether the caller may know a column: an action that they can use writes it.
    fn shows(&self, key: &DescriptionKey, table: &'static Table, column: usize) -> bool {
        let name = table.columns[column].wire_name();
        !key.rules(table).hidden.contains(column)
            && self.actions().iter().any(|action| {
                let serializer = action.response.as_ref();
                let serializer = serializer.filter(|serializer| serializer.table().id() == table.id());
                serializer.is_some_and(|serializer| serializer.projection().data_type(&name).is_some())
                    && !matches!(action.reach(key), Reach::Nothing)
            })
    }
}

/// Sentence about the objects that a condition leaves.
fn reach(
    words: &ConditionWords<'_>,
    table: &'static Table,
    verb: &str,
    objects: &str,
    condition: &AnyWhere,
) -> String {
    match condition.scope() {
        RowScope::All => format!("{verb} all {objects}."),
        RowScope::None => format!("{verb} no {objects}."),
        RowScope::Some => match words.of(table, condition) {
            Some(text) => format!("{verb} {objects} {text}."),
            None => format!("{verb} some {objects}."),
        },
    }
}
