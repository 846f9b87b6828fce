//! Batch checks: validate all objects of a request together, with queries to the database.

use std::any::Any;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::Message;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::{CompiledSerializer, SerializerFields, WriteMode};
use model_resource_store::Store;

use crate::access::Caller;
use crate::pipeline::{Error, Result, States};

/// Objects of one request that a check validates together: one for a single request, all valid ones for a bulk request.
pub struct Batch<M> {
    drafts: Arc<Vec<Draft<M>>>,
    scope: BatchScope,
}

/// Store, caller, write mode and states of the application of a batch check.
#[derive(Clone)]
pub(crate) struct BatchScope {
    pub(crate) store: Store,
    pub(crate) caller: Caller,
    pub(crate) mode: WriteMode,
    pub(crate) states: Arc<States>,
}

impl<M: Model> Batch<M> {
    /// Drafts of the batch. [`BatchErrors::add`] takes an object's index in this slice, whatever its position in the
    /// request.
    pub fn drafts(&self) -> &[Draft<M>] {
        &self.drafts
    }

    /// Store of the check: inside the transaction of the write, except when a custom handler receives the errors first.
    /// It sees all rows, whatever the caller may see.
    pub fn store_unchecked(&self) -> &Store {
        &self.scope.store
    }

    /// Caller of the request.
    pub fn caller(&self) -> &Caller {
        &self.scope.caller
    }

    /// Application state of type `S`. `None` unless [`Api::with_state`](crate::Api::with_state) set it.
    pub fn state<S: Any>(&self) -> Option<&S> {
        self.scope.states.get()
    }

    /// Write mode of the objects: new, replaced or partly updated.
    pub fn mode(&self) -> WriteMode {
        self.scope.mode
    }
}

/// Errors of a batch, by the index of the object and by field.
#[derive(Debug, Default)]
pub struct BatchErrors(Vec<(usize, Errors)>);

impl BatchErrors {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message to a field of the object at this index of [`Batch::drafts`].
    pub fn add(&mut self, index: usize, field: impl Into<String>, message: impl Into<Message>) {
        self.0.push((index, Errors::field(field, message)));
    }

    /// Adds a message about the object as a whole.
    pub fn add_object(&mut self, index: usize, message: impl Into<Message>) {
        self.0.push((index, Errors::object(message)));
    }
}

/// Adds batch checks to a serializer.
pub trait ValidateBatch<M: Model>: Sized {
    /// Checks all objects of a request together: once for a single one, and once for a whole bulk request, so that one
    /// query suffices whatever their number.
    ///
    /// The check runs when each object is valid by itself, before any of them is written. Objects that were rejected
    /// before are not in the batch, such as those that reference rows which the caller cannot see. An error that the
    /// check returns as `Err` ends the request.
    ///
    /// The check and the write are one transaction, of a single object as of many. Transactions with checks of the same
    /// model run one after the other, so that the result of the check still holds when the objects are written: "at
    /// most 8 rows for each owner" holds under any number of parallel requests. So keep the check fast and query
    /// through [`Batch::store_unchecked`] alone. On PostgreSQL, writes to the table without the check, such as those of another
    /// serializer or a delete, are not excluded.
    ///
    /// The check may run more than once for a request. A custom handler receives its errors, and
    /// [`Context::created`](crate::Context::created) or [`Context::updated`](crate::Context::updated) run it again in
    /// their transaction. If the row of an update has changed meanwhile, it runs again on the new row.
    ///
    /// ```
    /// use std::collections::HashSet;
    ///
    /// use model_resource::{
    ///     Batch, BatchErrors, SerializerFields, Message, Model, ModelSerializer, Query, Result, ValidateBatch, serializer,
    /// };
    ///
    /// #[derive(Model)]
    /// struct Word {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     text: String,
    /// }
    ///
    /// #[derive(Model)]
    /// struct BannedWord {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     text: String,
    /// }
    ///
    /// struct WordSerializer;
    ///
    /// #[serializer]
    /// impl ModelSerializer for WordSerializer {
    ///     type Model = Word;
    ///
    ///     fn fields(fields: SerializerFields<Word>) -> SerializerFields<Word> {
    ///         fields.validate_batch(none_is_banned)
    ///     }
    /// }
    ///
    /// async fn none_is_banned(words: Batch<Word>) -> Result<BatchErrors> {
    ///     let banned: Vec<BannedWord> = words.store_unchecked().all(&Query::new()).await?;
    ///     let banned: HashSet<String> = banned.into_iter().map(|word| word.text).collect();
    ///     let mut errors = BatchErrors::new();
    ///     for (index, word) in words.drafts().iter().enumerate() {
    ///         if word.get(Word::TEXT).is_some_and(|text| banned.contains(&text)) {
    ///             errors.add(index, "text", Message::new("banned", "This word is banned."));
    ///         }
    ///     }
    ///     Ok(errors)
    /// }
    /// ```
    fn validate_batch<F, Fut>(self, check: F) -> Self
    where
        F: Fn(Batch<M>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<BatchErrors>> + Send + 'static;
}

impl<M: Model> ValidateBatch<M> for SerializerFields<M> {
    fn validate_batch<F, Fut>(self, check: F) -> Self
    where
        F: Fn(Batch<M>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<BatchErrors>> + Send + 'static,
    {
        let check = Arc::new(check);
        let erased = move |drafts: Vec<AnyDraft>, scope: BatchScope| -> BoxFuture<'static, _> {
            let check = Arc::clone(&check);
            Box::pin(run_typed(check, drafts, scope))
        };
        self.batch_check(Arc::new(ErasedBatchCheck(Box::new(erased))))
    }
}

/// Type-erased batch check.
struct ErasedBatchCheck(Box<dyn Fn(Vec<AnyDraft>, BatchScope) -> Checked + Send + Sync>);

/// Drafts, returned, and their errors.
type Checked = BoxFuture<'static, Result<(Vec<AnyDraft>, BatchErrors)>>;

async fn run_typed<M, F, Fut>(
    check: Arc<F>,
    drafts: Vec<AnyDraft>,
    scope: BatchScope,
) -> Result<(Vec<AnyDraft>, BatchErrors)>
where
    M: Model,
    F: Fn(Batch<M>) -> Fut,
    Fut: Future<Output = Result<BatchErrors>>,
{
    let drafts: Arc<Vec<Draft<M>>> = Arc::new(drafts.into_iter().map(Draft::from_any).collect());
    let batch = Batch {
        drafts: Arc::clone(&drafts),
        scope,
    };
    let errors = check(batch).await?;
    // The check has ended and dropped its batch; if it kept a reference, the drafts are copied.
    let drafts = Arc::try_unwrap(drafts).unwrap_or_else(|shared| (*shared).clone());
    Ok((drafts.into_iter().map(Draft::into_any).collect(), errors))
}

/// Runs the batch checks of a serializer and returns each draft with its errors, in the same order.
///
/// Inside a transaction, other checked writes of the table wait until it ends.
pub(crate) async fn check_batch(
    serializer: &CompiledSerializer,
    scope: &BatchScope,
    mut drafts: Vec<AnyDraft>,
) -> Result<Vec<(AnyDraft, Errors)>> {
    let mut found = vec![Errors::new(); drafts.len()];
    if scope.store.is_in_transaction() {
        scope.store.lock_checks(serializer.table()).await?;
    }
    for check in serializer.batch_checks() {
        let ErasedBatchCheck(check) = check.downcast_ref().expect("only `validate_batch` adds checks");
        let errors;
        (drafts, errors) = check(drafts, scope.clone()).await?;
        for (index, errors) in errors.0 {
            let size = found.len();
            let found = found.get_mut(index).ok_or_else(|| {
                Error::internal(format!(
                    "a batch check refused object {index} of a batch of {size}"
                ))
            })?;
            found.merge(errors);
        }
    }
    Ok(std::iter::zip(drafts, found).collect())
}
