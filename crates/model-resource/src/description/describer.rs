//! Source of an api's descriptions: the whole api, and the part of it that one caller can use.

use std::sync::Arc;
#[cfg(any(feature = "openapi", feature = "pages"))]
use std::sync::{Mutex, PoisonError};

#[cfg(any(feature = "openapi", feature = "pages"))]
use foldhash::HashMap;
use foldhash::HashSet;
use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyColumns, RowScope};
use model_resource_schema::serializer::{InputRules, RelatedWrites, Visibility as _, WriteMode};

use crate::access::{Caller, Policies};
use crate::description::action::{ActionDescription, ApiDescription, ResourceDescription};
use crate::description::caller_key::{DescriptionKey, TableRules};
use crate::description::described_action::DescribedAction;
use crate::description::list::ListDescription;
use crate::description::models::describe_models;
use crate::description::objects::ObjectCache;
use crate::description::reach::Reach;
use crate::routing::{Operation, Parent};

/// Maximum descriptions that are kept. There are as many as there are kinds of callers.
#[cfg(any(feature = "openapi", feature = "pages"))]
const MAX_CACHED: usize = 64;

/// Source of an api's descriptions, built once at startup.
pub(crate) struct Describer {
    whole: Arc<ApiDescription>,
    actions: Vec<DescribedAction>,
    chains: Vec<Allows>,
    /// Descriptions that pages have asked for.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    cache: Mutex<HashMap<DescriptionKey, Arc<ApiDescription>>>,
}

/// Whether a caller can pass the decorators of a chain.
pub(crate) type Allows = Box<dyn Fn(&Caller) -> bool + Send + Sync>;

impl Describer {
    pub(crate) fn new(
        name: String,
        prefix: String,
        actions: Vec<DescribedAction>,
        chains: Vec<Allows>,
    ) -> Self {
        let mut objects = ObjectCache::new(None);
        let described = actions
            .iter()
            .map(|action| (action, Arc::new(action.whole(&mut objects))));
        let whole = assemble(name, prefix, described.collect(), None);
        Self {
            whole: Arc::new(whole),
            actions,
            chains,
            #[cfg(any(feature = "openapi", feature = "pages"))]
            cache: Mutex::default(),
        }
    }

    pub(super) fn actions(&self) -> &[DescribedAction] {
        &self.actions
    }

    /// Description of the whole api.
    pub(crate) fn whole(&self) -> &Arc<ApiDescription> {
        &self.whole
    }

    /// Key of the caller's description, under the policies of the api.
    pub(crate) fn key(&self, policies: &Policies, caller: &Caller) -> DescriptionKey {
        let chains = self.chains.iter().map(|allows| allows(caller));
        DescriptionKey::new(chains, policies.iter(), caller)
    }

    /// Description of what the caller with this key can use, made once for callers with the same key.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    pub(crate) fn cached(&self, key: &DescriptionKey) -> Arc<ApiDescription> {
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(key) {
            return Arc::clone(known);
        }
        let described = Arc::new(self.describe(key));
        let mut cache = lock();
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(key.clone(), Arc::clone(&described));
        described
    }

    /// Description of what the caller with this key can use.
    pub(crate) fn describe(&self, key: &DescriptionKey) -> ApiDescription {
        let mut objects = ObjectCache::new(Some(key));
        let actions = self.actions.iter().zip(&self.whole.actions);
        let described = actions
            .filter_map(|(action, whole)| Some((action, action.for_caller(key, whole, &mut objects)?)));
        assemble(
            self.whole.name.clone(),
            self.whole.prefix.clone(),
            described.collect(),
            Some(key),
        )
    }
}

/// Assembles the description of an api from its actions.
fn assemble(
    name: String,
    prefix: String,
    actions: Vec<(&DescribedAction, Arc<ActionDescription>)>,
    key: Option<&DescriptionKey>,
) -> ApiDescription {
    let models = describe_models(
        actions
            .iter()
            .map(|(action, described)| (*action, described.as_ref())),
        key,
    );
    let mut known = HashSet::default();
    let resources = actions.iter().filter_map(|(action, _)| action.resource());
    let resources = resources.filter(|resource| known.insert(resource.endpoint));
    let resources = resources.collect();
    ApiDescription {
        name,
        prefix,
        actions: actions.into_iter().map(|(_, described)| described).collect(),
        resources,
        models,
    }
}

impl DescribedAction {
    /// Description of the resource; `None` for a view.
    fn resource(&self) -> Option<ResourceDescription> {
        let table = self.binding.table?;
        let own = self.docs.resource;
        Some(ResourceDescription {
            endpoint: self.docs.endpoint,
            model: table.model,
            description: if own.is_empty() { table.description } else { own },
        })
    }

    /// Description for a caller who may do everything.
    fn whole(&self, objects: &mut ObjectCache) -> ActionDescription {
        let is_decided = self.binding.unscoped.is_empty() && !self.has_policy;
        let rows = match self.operation() {
            None if self.binding.restores => Some(RowScope::Some),
            None | Some(Operation::Create) => None,
            Some(_) if is_decided => Some(RowScope::All),
            Some(_) => Some(RowScope::Some),
        };
        self.describe(rows, &TableRules::OPEN, objects)
    }

    /// Description for a caller; `None` if they cannot use the action. It is that of the whole api if nothing
    /// distinguishes them.
    fn for_caller(
        &self,
        key: &DescriptionKey,
        whole: &Arc<ActionDescription>,
        objects: &mut ObjectCache,
    ) -> Option<Arc<ActionDescription>> {
        let rows = match self.reach(key) {
            Reach::Nothing => return None,
            Reach::NoRows => None,
            Reach::Rows(rows) => Some(rows),
        };
        let rules = self
            .binding
            .table
            .map_or(&TableRules::OPEN, |table| key.rules(table));
        let is_whole = key.shows_all_columns()
            && rows == whole.rows
            && self.lists_deleted(rules) == self.lists_deleted(&TableRules::OPEN)
            && self.inputs(rules) == self.inputs(&TableRules::OPEN)
            && self.writes_all_related(key);
        if is_whole {
            return Some(Arc::clone(whole));
        }
        Some(Arc::new(self.describe(rows, rules, objects)))
    }

    /// Whether no policy limits the rows that the caller writes with their parent.
    fn writes_all_related(&self, key: &DescriptionKey) -> bool {
        let nested = self.request.iter().flat_map(|request| request.nested_inputs());
        let mut writes = nested.map(|nested| key.related_writes(nested.table()));
        writes.all(|writes| writes == RelatedWrites::OPEN)
    }

    fn describe(
        &self,
        rows: Option<RowScope>,
        rules: &TableRules,
        objects: &mut ObjectCache,
    ) -> ActionDescription {
        let inputs = self.inputs(rules);
        let list = self.list.as_ref().zip(self.response.as_ref());
        ActionDescription {
            rows,
            list: list.map(|(options, serializer)| ListDescription {
                shows_deleted: self.lists_deleted(rules),
                ..objects.list(options, serializer)
            }),
            request: self.request.as_ref().map(|request| objects.get(request, inputs)),
            response: self
                .response
                .as_ref()
                .map(|response| objects.get(response, inputs)),
            ..self.base.clone()
        }
    }

    /// Whether the action is a list that shows deleted rows to the caller by its parameter.
    fn lists_deleted(&self, rules: &TableRules) -> bool {
        let is_automatic = self.list.as_ref().is_some_and(|options| !options.custom_query);
        let has_deleted = self
            .binding
            .table
            .is_some_and(|table| table.soft_delete.is_some());
        // Without a policy, nobody sees them.
        is_automatic && has_deleted && self.has_policy && rules.shows_deleted != RowScope::None
    }

    /// Inputs that the caller may send.
    fn inputs(&self, rules: &TableRules) -> InputRules {
        let from_url = self.url_columns();
        match self.operation() {
            Some(Operation::Create) => InputRules {
                read_only: rules.unset_on_create,
                presets: rules.presets,
                from_url,
                ..InputRules::of(WriteMode::Create)
            },
            Some(operation @ (Operation::Put | Operation::Patch)) => InputRules {
                read_only: rules.unset_on_update,
                from_url,
                identifying: self.bulk_column.map_or(AnyColumns::NONE, column),
                ..InputRules::of(if operation == Operation::Put {
                    WriteMode::Replace
                } else {
                    WriteMode::Update
                })
            },
            Some(Operation::Get | Operation::List | Operation::Delete) | None => {
                InputRules::of(WriteMode::Create)
            }
        }
    }

    /// Columns whose values the URL fixes: foreign keys to the parents, and the key of the row itself.
    fn url_columns(&self) -> AnyColumns {
        let Some(table) = self.binding.table else {
            return AnyColumns::NONE;
        };
        let parents = self.binding.parents.iter();
        let parents = parents.filter(|parent| !parent.keys.is_empty());
        let parents = parents.map(|parent: &Parent| parent.column);
        let own = self.binding.key.map(|key| key.column);
        let own = own.filter(|column| is_fixed_by_item_url(table, *column));
        parents.chain(own).fold(AnyColumns::NONE, AnyColumns::with)
    }
}

/// Whether an item URL fixes the column that it identifies rows by; another unique column may get a new value.
fn is_fixed_by_item_url(table: &'static Table, column: usize) -> bool {
    column == table.primary_key || table.columns[column].references.is_some()
}

fn column(position: usize) -> AnyColumns {
    AnyColumns::NONE.with(position)
}
