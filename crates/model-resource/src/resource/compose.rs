//! Composition of a resource's operations at startup: handler, access, decorators.

use std::sync::Arc;

use model_resource_schema::serializer::CompiledSerializer;

use crate::access::{ActionAccess, Caller, DefaultAccess, Deny, RequireCreate, RequireDelete, is_guarded};
use crate::bulk::{BulkOptions, selection};
use crate::conditional::RequireIfMatch;
use crate::handle::default_handler;
use crate::idempotency::RequireIdempotencyKey;
use crate::load::{BodyBase, BodyLoader, ListLoader, ObjectLoader};
use crate::pipeline::{Chain, CheckTime, Decorator, Handler, ModelSerializers};
use crate::query::ListOptions;
use crate::resource::list_options::list_options;
use crate::resource::spec::ResourceSpec;
use crate::resource::upserts::upserts;
use crate::routing::{ALL_METHODS, Operation, Operations};
use crate::throttle::AnonymousThrottle;

/// Composed operations of a resource.
pub(crate) struct ResourceOperations {
    operations: [Option<ResourceOperation>; ALL_METHODS.len()],
    /// Automatic operations that are not served, because their loading decorators are disabled.
    pub(crate) unloaded: Vec<Operation>,
    /// Bulk options, if there are any.
    pub(crate) bulk: Option<Arc<BulkOptions>>,
    /// Restoration of deleted objects, if the resource has it.
    pub(crate) restore: Option<ResourceOperation>,
}

/// Composed operation of a resource.
pub(crate) struct ResourceOperation {
    pub(crate) chain: Arc<Chain>,
    pub(crate) access: ActionAccess,
    /// Whether `format` is a query parameter of the operation itself.
    pub(crate) has_own_format: bool,
    /// List options, if the list loader runs.
    pub(crate) list: Option<Arc<ListOptions>>,
}

/// Environment in which a resource is composed.
pub(crate) struct ComposeEnv<'a> {
    /// Serializer for single objects.
    pub(crate) single: &'a Arc<CompiledSerializer>,
    pub(crate) serializers: &'a ModelSerializers,
    /// Decorators of the api.
    pub(crate) outer: &'a [Arc<dyn Decorator>],
    pub(crate) access: DefaultAccess,
    /// Default limiter of anonymous writes.
    pub(crate) anonymous_throttle: Option<&'a AnonymousThrottle>,
}

/// Composes the operations of a resource. Fails with all mistakes.
pub(crate) fn compose(spec: &ResourceSpec, env: &ComposeEnv<'_>) -> Result<ResourceOperations, Vec<String>> {
    let mut composed = ResourceOperations {
        operations: [const { None }; ALL_METHODS.len()],
        unloaded: Vec::new(),
        bulk: None,
        restore: None,
    };
    let mut mistakes = Vec::new();
    for operation in ALL_METHODS {
        match compose_operation(spec, operation, env) {
            Ok(Composed::Served(served)) => composed.operations[operation as usize] = Some(served),
            Ok(Composed::Unloaded) => composed.unloaded.push(operation),
            Ok(Composed::Unsupported) => {}
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if mistakes.is_empty() {
        mistakes.extend(composed.add_upserts(spec).err());
    }
    let bulk = BulkOptions {
        operations: spec.bulk,
        filtered: spec.filtered,
        selection: selecting_list(spec, &composed),
        max_items: spec.max_bulk,
        create: Arc::clone(env.create_serializer()),
        update: Arc::clone(env.single),
    };
    if spec.requires_if_match && spec.bulk.contains(Operation::Delete) {
        let mistake = "REQUIRE_IF_MATCH needs the version of each object, and a bulk deletion has none: take DELETE off \
                       BULK_METHODS";
        mistakes.push(mistake.to_owned());
    }
    if spec.requires_if_match && spec.filtered != Operations::NONE {
        let mistake = "REQUIRE_IF_MATCH needs the version of each object, and filters name none: leave out FILTER_METHODS";
        mistakes.push(mistake.to_owned());
    }
    if mistakes.is_empty() {
        mistakes.extend(bulk.check(|operation| composed.get(operation).is_some()).err());
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let is_of_many = spec.bulk != Operations::NONE || spec.filtered != Operations::NONE;
    composed.bulk = is_of_many.then(|| Arc::new(bulk));
    Ok(composed)
}

/// Chain of the automatic list, by which filtered writes select their objects, if there are any.
fn selecting_list(spec: &ResourceSpec, composed: &ResourceOperations) -> Option<Arc<Chain>> {
    let list = composed.get(Operation::List)?;
    let is_used = spec.filtered != Operations::NONE && list.chain.is_automatic && list.list.is_some();
    is_used.then(|| selection(&list.chain))
}

/// Operations that change an object.
const CHANGES: Operations = Operations::of([Operation::Put, Operation::Patch, Operation::Delete]);

impl ResourceOperations {
    /// Composed operation, if the resource supports it.
    pub(crate) fn get(&self, operation: Operation) -> Option<&ResourceOperation> {
        self.operations[operation as usize].as_ref()
    }

    /// Replaces the chains of operations that are upserts.
    fn add_upserts(&mut self, spec: &ResourceSpec) -> Result<(), String> {
        let chain = |operation| self.get(operation).map(|served| Arc::clone(&served.chain));
        for (operation, chain) in upserts(spec, chain)? {
            if let Some(served) = &mut self.operations[operation as usize] {
                served.chain = Arc::new(chain);
            }
        }
        Ok(())
    }
}

impl ComposeEnv<'_> {
    /// Serializer for new objects.
    fn create_serializer(&self) -> &Arc<CompiledSerializer> {
        self.serializers.create.as_ref().unwrap_or(self.single)
    }
}

/// Outcome of composing an operation.
enum Composed {
    Served(ResourceOperation),
    /// Automatic, but without the loading decorators that it needs.
    Unloaded,
    Unsupported,
}

fn compose_operation(
    spec: &ResourceSpec,
    operation: Operation,
    env: &ComposeEnv<'_>,
) -> Result<Composed, String> {
    let own: Vec<_> = spec.decorators.of(operation).collect();
    let is_loaded = spec.loaded.contains(operation) || loaded_by_hand(spec, operation, &own);
    let (handler, name) = match handler(spec, operation, is_loaded, env)? {
        Some(handler) => handler,
        None if spec.automatic.contains(operation) => {
            check_body_after_row(spec, operation, &own)?;
            return Ok(Composed::Unloaded);
        }
        None => return Ok(Composed::Unsupported),
    };
    let (mut decorators, access) = outer_decorators(spec, operation, own, env);
    let mut list = None;
    if spec.loaded.contains(operation) {
        list = loaded_list(spec, operation, &decorators, env)?;
        decorators.extend(loaders(spec, operation, list.as_ref(), env));
    }
    decorators.extend(policy_check(spec, operation, is_loaded, env.access));
    let has_own_format = operation == Operation::List
        && (spec.list.query_parameters.contains(&"format")
            || decorators
                .iter()
                .any(|decorator| decorator.query_parameters().contains(&"format")));
    Ok(Composed::Served(ResourceOperation {
        chain: Arc::new(Chain {
            name,
            decorators,
            handler,
            is_automatic: spec.overrides.get(operation).is_none(),
        }),
        access,
        has_own_format,
        list,
    }))
}

/// Decorators of an operation around its loaders, and its access rule. `own` are those of the resource.
pub(super) fn outer_decorators(
    spec: &ResourceSpec,
    operation: Operation,
    own: Vec<Arc<dyn Decorator>>,
    env: &ComposeEnv<'_>,
) -> (Vec<Arc<dyn Decorator>>, ActionAccess) {
    let is_guarded = is_guarded(env.outer) || is_guarded(&own);
    let access = env.access.of_operation(operation, is_guarded, spec.is_public);
    let mut decorators = env.outer.to_vec();
    if access == ActionAccess::Denied {
        decorators.push(Arc::new(Deny));
    }
    decorators.extend(own);
    if operation.writes() {
        let limit = default_rate(&decorators, env);
        decorators.extend(limit);
    }
    if spec.requires_key && (operation == Operation::Create || CHANGES.contains(operation)) {
        decorators.push(Arc::new(RequireIdempotencyKey));
    }
    if spec.requires_if_match && CHANGES.contains(operation) {
        decorators.push(Arc::new(RequireIfMatch));
    }
    (decorators, access)
}

/// Default limiter of a write that anonymous callers can reach, unless one of its decorators limits the rate.
fn default_rate(decorators: &[Arc<dyn Decorator>], env: &ComposeEnv<'_>) -> Option<Arc<dyn Decorator>> {
    let throttle = env.anonymous_throttle?;
    let anonymous = Caller::anonymous();
    let is_reachable = decorators.iter().all(|decorator| decorator.allows(&anonymous));
    let is_limited = decorators.iter().any(|decorator| decorator.limits_rate());
    if is_reachable && !is_limited {
        Some(Arc::new(throttle.clone()))
    } else {
        None
    }
}

/// Handler of an operation with its name. `None` if the resource does not support the operation, or if nothing loads
/// for the automatic one.
fn handler(
    spec: &ResourceSpec,
    operation: Operation,
    is_loaded: bool,
    env: &ComposeEnv<'_>,
) -> Result<Option<(Handler, String)>, String> {
    match spec.overrides.get(operation) {
        Some(_) if spec.overrides.needs_loaded(operation) && !is_loaded => Err(format!(
            "`{operation}` takes what its loading decorators load, and they are switched off: take `Params` instead, or \
             put the loaders into method_decorators"
        )),
        Some(handler) => Ok(Some((Arc::clone(handler), format!("{}::{operation}", spec.name)))),
        None if spec.automatic.contains(operation) && is_loaded => {
            if spec.loaded.contains(operation) {
                check_inputs_are_read(operation, env)?;
            }
            let handler = default_handler(operation, spec.table);
            Ok(Some((handler, format!("default {operation}"))))
        }
        None => Ok(None),
    }
}

/// Check of the policy for a custom handler whose loaders do not check it.
fn policy_check(
    spec: &ResourceSpec,
    operation: Operation,
    is_loaded: bool,
    default: DefaultAccess,
) -> Option<Arc<dyn Decorator>> {
    let table = spec.table;
    match (default, operation) {
        (DefaultAccess::ByPolicy { .. }, Operation::Create) if !is_loaded => {
            Some(Arc::new(RequireCreate { table }))
        }
        (DefaultAccess::ByPolicy { .. }, Operation::Delete) if !spec.overrides.needs_loaded(operation) => {
            Some(Arc::new(RequireDelete { table }))
        }
        _ => None,
    }
}

/// Whether the resource's decorators load the same objects as the automatic ones of the operation.
fn loaded_by_hand(spec: &ResourceSpec, operation: Operation, own: &[Arc<dyn Decorator>]) -> bool {
    let position = |operation| {
        own.iter()
            .position(|decorator| decorator.loads(spec.table).contains(operation))
    };
    match operation {
        Operation::Put | Operation::Patch => {
            let (row, body) = (position(Operation::Get), position(operation));
            row.zip(body).is_some_and(|(row, body)| row < body)
        }
        Operation::Create | Operation::Delete | Operation::Get | Operation::List => {
            position(operation).is_some()
        }
    }
}

/// Rejects an explicit body loader without a loader of the row before it.
fn check_body_after_row(
    spec: &ResourceSpec,
    operation: Operation,
    own: &[Arc<dyn Decorator>],
) -> Result<(), String> {
    let loads_body = |decorator: &&Arc<dyn Decorator>| decorator.loads(spec.table).contains(operation);
    match own.iter().find(loads_body) {
        Some(loader) => Err(format!(
            "{} of `{operation}` needs the row: put `param_converter().model::<{}>(..)` before it",
            loader.name(),
            spec.table.model
        )),
        None => Ok(()),
    }
}

/// Rejects an automatic operation whose serializer has extra fields that only a custom handler could read.
fn check_inputs_are_read(operation: Operation, env: &ComposeEnv<'_>) -> Result<(), String> {
    let serializer = match operation {
        Operation::Create => env.create_serializer(),
        Operation::Put | Operation::Patch => env.single,
        Operation::Delete | Operation::Get | Operation::List => return Ok(()),
    };
    match serializer.inputs_for_handler() {
        [] => Ok(()),
        [name, ..] => Err(format!(
            "nothing reads the input `{name}` in the automatic `{operation}`: define `{operation}` in the resource, exclude \
             it, read the input in the serializer's `validate` or a `post_load` hook, store it by `.into_column(..)`, or \
             declare it only in a serializer for the operation that reads it, such as #[serializer(create)]"
        )),
    }
}

/// Options of the list loader, if the operation has one. `outer` are the decorators around it.
fn loaded_list(
    spec: &ResourceSpec,
    operation: Operation,
    outer: &[Arc<dyn Decorator>],
    env: &ComposeEnv<'_>,
) -> Result<Option<Arc<ListOptions>>, String> {
    if operation != Operation::List {
        return Ok(None);
    }
    Ok(Some(Arc::new(list_options(spec, outer, env.serializers)?)))
}

/// Automatic loading decorators of an operation, the outermost first.
fn loaders(
    spec: &ResourceSpec,
    operation: Operation,
    list: Option<&Arc<ListOptions>>,
    env: &ComposeEnv<'_>,
) -> Vec<Arc<dyn Decorator>> {
    let table = spec.table;
    let is_custom = spec.overrides.get(operation).is_some();
    let body = |serializer: &Arc<CompiledSerializer>, base| {
        let check = if is_custom {
            CheckTime::AtLoad
        } else {
            CheckTime::AtWrite
        };
        let serializer = Arc::clone(serializer);
        Arc::new(BodyLoader {
            serializer,
            base,
            check,
            increments: spec.increments,
        }) as Arc<dyn Decorator>
    };
    let object: Arc<dyn Decorator> = Arc::new(ObjectLoader { table });
    match operation {
        Operation::List => {
            let options = list.map(Arc::clone).unwrap_or_default();
            vec![Arc::new(ListLoader { table, options })]
        }
        Operation::Get | Operation::Delete => vec![object],
        Operation::Put => vec![object, body(env.single, BodyBase::Replace)],
        Operation::Patch => {
            // A custom patch may read the row; the automatic one does not.
            let base = if is_custom || env.single.reads_before_update() {
                BodyBase::Merge
            } else {
                BodyBase::MergeBlind
            };
            vec![object, body(env.single, base)]
        }
        Operation::Create => vec![body(env.create_serializer(), BodyBase::New)],
    }
}
