//! Operations of a resource, compiled at startup: access, decorators and handler.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::CompiledSerializer;

use crate::bulk::BulkOptions;
use crate::handle::{Overrides, Reply, default_handler};
use crate::load::{BodyBase, BodyLoader, ListLoader, ObjectLoader};
use crate::pipeline::{
    Chain, CheckTime, Context, Decorator, Error, LoadedObject, ModelSerializers, Next, is_guarded,
};
use crate::query::ListOptions;
use crate::resource::definition::{ModelResource, loads, short_name};
use crate::routing::{ALL_METHODS, LIST, Operation, Operations};

/// Default protection of a resource's writes without a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultAccess {
    /// None, because the api has no authenticator.
    Open,
    /// By the policy of the model.
    ByPolicy {
        /// Whether the policy lets anyone create rows.
        anyone_creates: bool,
    },
    /// All writes are denied.
    Denied,
}

/// Denies every request.
async fn deny(cx: Context, _: Next) -> Result<Reply, Error> {
    Err(cx.denied())
}

/// Checks the policy for a custom `create` without a loader that does.
async fn require_create<M: Model>(cx: Context, next: Next) -> Result<Reply, Error> {
    cx.access(M::table()).require_create()?;
    next.run(cx).await
}

/// Checks the policy for a custom `delete` that does not take the object.
async fn require_delete<M: Model>(mut cx: Context, next: Next) -> Result<Reply, Error> {
    if let Some(LoadedObject::Key(key)) = &cx.loaded_mut().object {
        let key = key.clone();
        cx.access(M::table()).require_permitted(key).await?;
    }
    next.run(cx).await
}

/// Compiled operations of a resource: one chain for each supported operation.
pub(crate) struct Endpoints {
    chains: [Option<Arc<Chain>>; ALL_METHODS.len()],
    /// Custom operations of the resource.
    pub(crate) defined: Vec<Operation>,
    /// Whether `format` is a query parameter of the resource itself.
    pub(crate) has_own_format: bool,
    /// Writes that are open to anyone although the api has an authenticator.
    pub(crate) public: Vec<Operation>,
    /// Automatic operations that are not served, because their loading decorators are disabled.
    pub(crate) unloaded: Vec<Operation>,
    /// Bulk options, if there are any.
    pub(crate) bulk: Option<Arc<BulkOptions>>,
}

impl Endpoints {
    /// Composes the decorators of each operation: the api's, the resource's own, the automatic ones, the handler.
    pub(crate) fn of<R: ModelResource>(
        serializers: &ModelSerializers,
        outer: &[Arc<dyn Decorator>],
        access: DefaultAccess,
    ) -> Result<Self, String> {
        let Some(single) = &serializers.single else {
            return Err(format!(
                "no serializer is registered for {}: implement ModelSerializer with #[serializer] and add \
                 `.serializer::<..>()`",
                R::Model::table().model
            ));
        };
        let mut overrides = Overrides::default();
        R::operations(&mut overrides);
        let defined = overrides.defined();
        // A custom patch may read the row; the automatic one does not.
        let patched = if defined.contains(&Operation::Patch) || single.reads_before_update() {
            BodyBase::Merge
        } else {
            BodyBase::MergeBlind
        };
        let own = R::method_decorators();
        let mut chains = [const { None }; ALL_METHODS.len()];
        let (mut public, mut unloaded) = (Vec::new(), Vec::new());
        for operation in ALL_METHODS {
            let automatic = R::INCLUDE_METHODS.contains(operation) && !R::EXCLUDE_METHODS.contains(operation);
            let own: Vec<_> = own.of(operation).collect();
            let is_loaded = loads::<R>(operation) || loaded_by_hand(operation, &own, R::Model::table());
            let needs_loaded = overrides.needs_loaded(operation);
            let (handler, name) = match overrides.take(operation) {
                Some(_) if needs_loaded && !is_loaded => {
                    return Err(format!(
                        "`{operation}` takes what its loading decorators load, and they are switched off: take \
                         `Params` instead, or put the loaders into method_decorators"
                    ));
                }
                Some(handler) => (handler, format!("{}::{operation}", short_name::<R>())),
                None if automatic && !is_loaded => {
                    check_body_after_row(operation, &own, R::Model::table())?;
                    unloaded.push(operation);
                    continue;
                }
                None if automatic => {
                    if loads::<R>(operation) {
                        check_inputs_are_read(operation, serializers, single)?;
                    }
                    let handler = default_handler(operation, R::Model::table());
                    (handler, format!("default {operation}"))
                }
                None => continue,
            };
            let is_guarded = is_guarded(outer) || is_guarded(&own);
            let mut decorators = outer.to_vec();
            match (access, operation) {
                _ if is_guarded || !operation.writes() => {}
                (DefaultAccess::Denied, _) if !R::PUBLIC => decorators.push(Arc::new(deny)),
                (DefaultAccess::Denied, _)
                | (DefaultAccess::ByPolicy { anyone_creates: true }, Operation::Create) => {
                    public.push(operation);
                }
                _ => {}
            }
            decorators.extend(own);
            if loads::<R>(operation) {
                let foreign = decorators
                    .iter()
                    .flat_map(|decorator| decorator.query_parameters());
                let options = match operation {
                    Operation::List => ListOptions {
                        custom_query: !needs_loaded,
                        ..list_options::<R>(serializers, foreign.collect())?
                    },
                    _ => ListOptions::default(),
                };
                let check = if defined.contains(&operation) {
                    CheckTime::AtLoad
                } else {
                    CheckTime::AtWrite
                };
                decorators.extend(loaders(
                    R::Model::table(),
                    operation,
                    (patched, check),
                    serializers,
                    single,
                    options,
                ));
            }
            match (access, operation) {
                (DefaultAccess::ByPolicy { .. }, Operation::Create) if !is_loaded => {
                    decorators.push(Arc::new(require_create::<R::Model>));
                }
                (DefaultAccess::ByPolicy { .. }, Operation::Delete) if !needs_loaded => {
                    decorators.push(Arc::new(require_delete::<R::Model>));
                }
                _ => {}
            }
            chains[operation as usize] = Some(Arc::new(Chain {
                name,
                decorators,
                handler,
            }));
        }
        let has_own_format = chains[LIST as usize].as_ref().is_some_and(|chain: &Arc<Chain>| {
            let mut decorators = chain.decorators.iter();
            R::QUERY_PARAMETERS.contains(&"format")
                || decorators.any(|decorator| decorator.query_parameters().contains(&"format"))
        });
        let bulk = BulkOptions {
            operations: R::BULK_METHODS,
            max_items: R::MAX_BULK,
            create: Arc::clone(serializers.create.as_ref().unwrap_or(single)),
            update: Arc::clone(single),
        };
        bulk.check(|operation| chains[operation as usize].is_some())?;
        Ok(Self {
            chains,
            defined,
            has_own_format,
            public,
            unloaded,
            bulk: (R::BULK_METHODS != Operations::NONE).then(|| Arc::new(bulk)),
        })
    }

    /// Chain of an operation, if the resource supports it.
    pub(crate) fn get(&self, operation: Operation) -> Option<&Arc<Chain>> {
        self.chains[operation as usize].as_ref()
    }
}

/// Whether the resource's decorators load the same objects as the automatic ones of the operation.
fn loaded_by_hand(operation: Operation, own: &[Arc<dyn Decorator>], table: &'static Table) -> bool {
    let position = |operation| own.iter().position(|d| d.loads(table).contains(operation));
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
    operation: Operation,
    own: &[Arc<dyn Decorator>],
    table: &'static Table,
) -> Result<(), String> {
    let loads_body = |decorator: &&Arc<dyn Decorator>| decorator.loads(table).contains(operation);
    match own.iter().find(loads_body) {
        Some(loader) => Err(format!(
            "{} of `{operation}` needs the row: put `param_converter().model::<{}>(..)` before it",
            loader.name(),
            table.model
        )),
        None => Ok(()),
    }
}

/// Rejects an automatic operation whose serializer has extra fields that only a custom handler could read.
fn check_inputs_are_read(
    operation: Operation,
    serializers: &ModelSerializers,
    single: &Arc<CompiledSerializer>,
) -> Result<(), String> {
    let serializer = match operation {
        Operation::Create => serializers.create.as_ref().unwrap_or(single),
        Operation::Put | Operation::Patch => single,
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

/// List options of the resource.
fn list_options<R: ModelResource>(
    serializers: &ModelSerializers,
    mut foreign: Vec<&'static str>,
) -> Result<ListOptions, String> {
    let table = R::Model::table();
    let projection = serializers
        .many
        .as_ref()
        .or(serializers.single.as_ref())
        .map(|serializer| serializer.projection());
    let search = R::SEARCH.into_any();
    for (_, column) in search.of_table(table) {
        let is_shown = projection.is_some_and(|projection| projection.path(&column.wire_name()).is_ok());
        if !is_shown || column.kind != DataType::Text {
            return Err(format!(
                "SEARCH names `{}`, which is no text that the list of {} shows",
                column.name, table.model
            ));
        }
    }
    foreign.extend(R::QUERY_PARAMETERS);
    let options = ListOptions {
        page_size: R::PAGE_SIZE,
        max_rows: R::MAX_ROWS,
        search,
        own_parameters: foreign,
        custom_query: false,
    };
    options.check()?;
    Ok(options)
}

/// Automatic loading decorators of an operation, the outermost first.
fn loaders(
    table: &'static Table,
    operation: Operation,
    (patched, check): (BodyBase, CheckTime),
    serializers: &ModelSerializers,
    single: &Arc<CompiledSerializer>,
    options: ListOptions,
) -> Vec<Arc<dyn Decorator>> {
    let body = |serializer: &Arc<CompiledSerializer>, base| {
        let serializer = Arc::clone(serializer);
        Arc::new(BodyLoader {
            serializer,
            base,
            check,
        }) as Arc<dyn Decorator>
    };
    let param: Arc<dyn Decorator> = Arc::new(ObjectLoader { table });
    match operation {
        Operation::List => {
            let options = Arc::new(options);
            vec![Arc::new(ListLoader { table, options })]
        }
        Operation::Get | Operation::Delete => vec![param],
        Operation::Put => vec![param, body(single, BodyBase::Replace)],
        Operation::Patch => vec![param, body(single, patched)],
        Operation::Create => {
            let serializer = serializers.create.as_ref().unwrap_or(single);
            vec![body(serializer, BodyBase::New)]
        }
    }
}
