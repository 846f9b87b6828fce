//! Description of a compiled api, from the routes that serve it.

use std::sync::Arc;

use foldhash::HashMap;
use http::Method;
use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::CompiledSerializer;
use model_resource_schema::value::Value;
use uuid::Uuid;

use crate::access::Caller;
use crate::api::compiled::CompiledApi;
use crate::description::{
    ActionDescription, Allows, ApiDescription, DescribedAction, Describer, DescriptionKey,
    ParameterDescription, PolicyDescription, RouteInfo, action_texts,
};
use crate::pipeline::Chain;
use crate::routing::{Action, Operation, Operations, Route, Rule};

impl CompiledApi {
    /// Describes every action of the api: URLs, parameters, objects with their fields and constraints, filters, media
    /// types and access. It is made from the same data that serves requests.
    ///
    /// ```
    /// use model_resource::{Api, Model, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Planet {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(max_length = 40)]
    ///     name: String,
    /// }
    ///
    /// #[model_resource(Planet, "/planets", "/planets/<int:id>")]
    /// struct PlanetResource;
    ///
    /// let api = Api::new("astronomy").model_resource::<PlanetResource>().compile();
    /// let description = api.describe();
    /// let create = description.actions.iter().find(|action| action.route.method == "POST").unwrap();
    /// let input = &create.request.as_ref().unwrap().input;
    /// assert_eq!(input[0].name, "name");
    /// assert_eq!(input[0].constraints.max_length, Some(40));
    /// ```
    pub fn describe(&self) -> ApiDescription {
        ApiDescription::clone(self.describer().whole())
    }

    /// Describes the part of the api that a caller can use: without the actions that are always denied to them, the
    /// columns that they never see, and the inputs that they cannot set.
    ///
    /// The policies and the decorators ([`Decorator::allows`](crate::Decorator::allows)) decide it, as far as they can
    /// without a request and its rows. An action that is left out is rejected, or finds no row. An action that is
    /// described may still be rejected.
    ///
    /// ```
    /// use model_resource::{Api, Caller, Model, ModelPolicy, Where, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Planet {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     name: String,
    /// }
    ///
    /// struct PlanetPolicy;
    ///
    /// impl ModelPolicy for PlanetPolicy {
    ///     type Model = Planet;
    ///
    ///     fn updatable(caller: &Caller) -> Where<Planet> {
    ///         if caller.has_role("astronomer") { Where::all() } else { Where::none() }
    ///     }
    /// }
    ///
    /// #[model_resource(Planet, "/planets", "/planets/<int:id>", policy = PlanetPolicy)]
    /// struct PlanetResource;
    ///
    /// let api = Api::new("astronomy").model_resource::<PlanetResource>().compile();
    /// let methods = |caller: Caller| -> Vec<String> {
    ///     let actions = api.describe_for(&caller).actions;
    ///     actions.iter().map(|action| action.route.method.clone()).collect()
    /// };
    /// assert_eq!(methods(Caller::anonymous()), ["GET", "HEAD", "GET", "HEAD"]);
    /// assert!(methods(Caller::of(1_i64).with_roles(["astronomer"])).contains(&"PATCH".to_owned()));
    /// ```
    pub fn describe_for(&self, caller: &Caller) -> ApiDescription {
        let describer = self.describer();
        describer.describe(&describer.key(&self.api.policies, caller))
    }

    /// A caller without roles, whose key has the type of the keys of accounts. It belongs to no account: it is for
    /// descriptions of what callers with some roles can use.
    pub fn sample_caller(&self) -> Caller {
        let authenticator = self.api.authenticator.as_ref();
        let accounts = authenticator.and_then(|authenticator| authenticator.accounts_any());
        let key = accounts.map(|table| table.columns[table.primary_key].data_type);
        Caller::with_key(match key {
            Some(DataType::Uuid) => Value::Uuid(Uuid::nil()),
            Some(DataType::Text) => Value::Text(String::new()),
            _ => Value::Int(0),
        })
    }

    /// Explains the policies of the models that the caller's description has, in words.
    ///
    /// The sentences name no column that the caller cannot see. They may name values of the caller's conditions, so
    /// they are not part of a description, which callers with equal keys share.
    ///
    /// ```
    /// use model_resource::{Api, Caller, Model, ModelPolicy, Where, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Note {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     published: bool,
    ///     author_id: i64,
    /// }
    ///
    /// struct NotePolicy;
    ///
    /// impl ModelPolicy for NotePolicy {
    ///     type Model = Note;
    ///
    ///     fn visible(caller: &Caller) -> Where<Note> {
    ///         Note::PUBLISHED.eq(true).or(caller.owned_by(Note::AUTHOR_ID))
    ///     }
    /// }
    ///
    /// #[model_resource(Note, "/notes", policy = NotePolicy)]
    /// struct NoteResource;
    ///
    /// let api = Api::new("notes").model_resource::<NoteResource>().compile();
    /// let policies = api.explain_policies(&Caller::of(7_i64));
    /// assert_eq!(policies[0].sentences[0], "You see notes where published is yes, or author is you.");
    /// ```
    pub fn explain_policies(&self, caller: &Caller) -> Vec<PolicyDescription> {
        let describer = self.describer();
        let policies = &self.api.policies;
        let tables = describer.tables(&describer.key(policies, caller));
        let words = tables.into_iter();
        words
            .filter_map(|table| describer.policy_words(policies, table, caller))
            .collect()
    }

    /// Key of a caller's description: callers with equal keys have equal descriptions.
    pub fn description_key(&self, caller: &Caller) -> DescriptionKey {
        self.describer().key(&self.api.policies, caller)
    }

    /// Source of the descriptions.
    pub(super) fn describer(&self) -> Describer {
        let mut chains = Chains::default();
        let actions = self.answered().map(|(route, method, action)| {
            let chain = chains.position(&action.chain);
            self.described_action(route, method, action, chain)
        });
        let actions = actions.collect();
        Describer::new(
            self.api.name.clone(),
            self.api.url_prefix(),
            actions,
            chains.allows,
        )
    }

    fn described_action(
        &self,
        route: &Route,
        method: &Method,
        action: &Action,
        chain: usize,
    ) -> DescribedAction {
        let table = action.binding.table;
        let serializer = |operation| self.serializer(table?, operation);
        let (request, response) = match action.operation {
            Some(operation @ (Operation::Create | Operation::Put | Operation::Patch)) => {
                (serializer(operation), serializer(Operation::Get))
            }
            Some(operation @ (Operation::Get | Operation::List)) => (None, serializer(operation)),
            None if action.binding.restores => (None, serializer(Operation::Get)),
            Some(Operation::Delete) | None => (None, None),
        };
        let is_loader = |table| {
            let mut decorators = action.chain.decorators.iter();
            decorators.any(|decorator| decorator.loads(table) != Operations::NONE)
        };
        DescribedAction {
            base: describe_base(route, method, action),
            docs: action.docs,
            chain,
            binding: Arc::clone(&action.binding),
            is_loaded: table.is_some_and(is_loader),
            has_policy: table.is_some_and(|table| self.api.policies.of(table).is_some()),
            bulk_column: bulk_column(action),
            request,
            response,
            list: action.list.clone(),
        }
    }

    /// Serializer of an operation.
    fn serializer(&self, table: &'static Table, operation: Operation) -> Option<Arc<CompiledSerializer>> {
        let serializers = self.api.serializers.completed(table).ok()?;
        let own = match operation {
            Operation::Create => serializers.create,
            Operation::List => serializers.many,
            Operation::Get | Operation::Put | Operation::Patch | Operation::Delete => None,
        };
        own.or(serializers.single)
    }
}

/// Chains of the described actions, each once.
#[derive(Default)]
struct Chains {
    positions: HashMap<usize, usize>,
    allows: Vec<Allows>,
}

impl Chains {
    /// Position of a chain.
    fn position(&mut self, chain: &Arc<Chain>) -> usize {
        let position = self.positions.entry(Arc::as_ptr(chain).addr());
        *position.or_insert_with(|| {
            let chain = Arc::clone(chain);
            self.allows.push(Box::new(move |caller| chain.allows(caller)));
            self.allows.len() - 1
        })
    }
}

impl RouteInfo {
    pub(super) fn of(rule: &Rule, method: &Method, action: &Action) -> Self {
        let decorators = action.chain.decorators.iter();
        Self {
            url: rule.as_str().to_owned(),
            method: method.as_str().to_owned(),
            operation: action.operation,
            handler: action.chain.name.clone(),
            decorators: decorators.map(|decorator| decorator.name()).collect(),
            access: action.access,
            bulk: is_by_key(action),
            filtered: is_by_filter(action),
        }
    }
}

/// Parts of a description that are the same for every caller.
fn describe_base(route: &Route, method: &Method, action: &Action) -> ActionDescription {
    let table = action.binding.table;
    let bulk_column = bulk_column(action).zip(table);
    let is_bulk = action.bulk.is_some();
    let (summary, description) = action_texts(&action.docs, action.operation, &action.binding, is_bulk);
    ActionDescription {
        route: RouteInfo::of(&route.rule, method, action),
        endpoint: action.docs.endpoint,
        summary,
        description,
        parameters: describe_parameters(route, action),
        model: table.map(|table| table.model),
        rows: None,
        request: None,
        response: None,
        handler: action.schemas.clone(),
        list: None,
        soft_delete: table.is_some_and(|table| table.soft_delete.is_some()),
        restores: action.binding.restores,
        media_types: action.negotiation.media_types().map(str::to_owned).collect(),
        max_bulk: action.bulk.as_ref().map(|bulk| bulk.options.max_items),
        bulk_key: bulk_column.map(|(column, table)| table.columns[column].wire_name()),
    }
}

/// Whether an action takes many objects that the request names.
fn is_by_key(action: &Action) -> bool {
    let operations = action.bulk.as_ref().map(|bulk| bulk.options.operations);
    operations
        .zip(action.operation)
        .is_some_and(|(operations, own)| operations.contains(own))
}

/// Whether an action writes the objects that filters select.
fn is_by_filter(action: &Action) -> bool {
    let operations = action.bulk.as_ref().map(|bulk| bulk.options.filtered);
    operations
        .zip(action.operation)
        .is_some_and(|(operations, own)| operations.contains(own))
}

/// Column that identifies the objects of a request that updates or deletes many.
fn bulk_column(action: &Action) -> Option<usize> {
    let bulk = action.bulk.as_ref()?;
    let identifies = action.operation != Some(Operation::Create) && is_by_key(action);
    identifies.then(|| bulk.key_column())
}

fn describe_parameters(route: &Route, action: &Action) -> Vec<ParameterDescription> {
    let names = route.rule.names().iter().enumerate();
    let described = names
        .zip(route.rule.patterns())
        .map(|((position, name), pattern)| {
            let identified = action.binding.identified_column(position);
            ParameterDescription {
                name: name.clone(),
                converter: pattern.converter.name(),
                model: identified.map(|(table, _)| table.model),
                key: identified.map(|(_, column)| column.wire_name()),
                column: action.binding.own_column(position).map(Column::wire_name),
            }
        });
    described.collect()
}
