//! `post_loader`, `put_loader` and `patch_loader`: parse the request body into a draft and its errors.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyColumns;
use model_resource_schema::serializer::{CompiledSerializer, RegisteredSerializer, WriteMode};
use model_resource_schema::value::Value;
use model_resource_store::RowKey;

use crate::conditional::Preconditions;
use crate::handle::Reply;
use crate::load::body_text::json_text;
use crate::load::children::read;
use crate::load::patch::RowPatch;
use crate::load::read::{convert, fixed_columns};
use crate::pipeline::{CheckTime, Context, Decorator, Error, LoadedObject, Next, Result};
use crate::routing::{CREATE, Operations, PATCH, PUT};

/// Maximum attempts to patch a row that concurrent requests keep changing.
const MAX_STALE: usize = 100;

/// Loads the body of a create with serializer `S`.
#[track_caller]
pub fn post_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(BodyBase::New)
}

/// Loads the body of a put with serializer `S`, into the instance that `param_converter` has loaded.
#[track_caller]
pub fn put_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(BodyBase::Replace)
}

/// Loads the body of a patch with serializer `S`, into the instance that `param_converter` has loaded.
#[track_caller]
pub fn patch_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(BodyBase::Merge)
}

#[track_caller]
fn by_hand<S: RegisteredSerializer>(base: BodyBase) -> BodyLoader {
    match CompiledSerializer::new::<S>() {
        Ok(serializer) => BodyLoader {
            serializer: Arc::new(serializer),
            base,
            check: CheckTime::AtLoad,
            increments: AnyColumns::NONE,
        },
        Err(mistake) => panic!("{mistake}"),
    }
}

/// Loads request bodies.
#[derive(Clone)]
pub(crate) struct BodyLoader {
    pub(crate) serializer: Arc<CompiledSerializer>,
    pub(crate) base: BodyBase,
    /// Time at which the batch checks of a single object run.
    pub(crate) check: CheckTime,
    /// Columns that a patch can increment.
    pub(crate) increments: AnyColumns,
}

impl BodyLoader {
    async fn load_and_run(self, mut cx: Context, next: Next) -> Result<Reply> {
        load(&mut cx, self.serializer, self.base, self.check).await?;
        next.run(cx).await
    }
}

/// Row that a body is merged into.
#[derive(Clone, Copy)]
pub(crate) enum BodyBase {
    /// No row: the object is new.
    New,
    /// A row that the body replaces.
    Replace,
    /// A row that the body updates partially.
    Merge,
    /// A row that the body updates partially and no handler reads, so that it need not be read before it is written.
    MergeBlind,
}

impl BodyBase {
    fn mode(self) -> WriteMode {
        match self {
            BodyBase::New => WriteMode::Create,
            BodyBase::Replace => WriteMode::Replace,
            BodyBase::Merge | BodyBase::MergeBlind => WriteMode::Update,
        }
    }
}

impl Decorator for BodyLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let loader = self.clone();
        if loader.base.mode() == WriteMode::Update && RowPatch::may_be(&cx, loader.increments) {
            return Box::pin(async move {
                match RowPatch::read(&mut cx, loader.increments).await? {
                    Some(row_patch) => patch(cx, next, loader, row_patch).await,
                    None => loader.load_and_run(cx, next).await,
                }
            });
        }
        Box::pin(loader.load_and_run(cx, next))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        match self.base.mode() {
            WriteMode::Create => "post_loader",
            WriteMode::Replace => "put_loader",
            WriteMode::Update => "patch_loader",
        }
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if self.serializer.table().id() != table.id() {
            return Operations::NONE;
        }
        match self.base.mode() {
            WriteMode::Create => CREATE.into(),
            WriteMode::Replace => PUT.into(),
            WriteMode::Update => PATCH.into(),
        }
    }
}

/// Loads a patch whose changes depend on the row. If an automatic operation finds that the row has changed since, the
/// patch is applied again to the current one.
async fn patch(mut cx: Context, next: Next, loader: BodyLoader, patch: RowPatch) -> Result<Reply> {
    let BodyLoader {
        serializer, check, ..
    } = loader;
    let (table, object) = (serializer.table(), cx.loaded_mut().object.take());
    let is_repeatable = check == CheckTime::AtWrite && cx.is_outside_transaction();
    let spare = is_repeatable.then(|| cx.repeat(Bytes::new()));
    for _ in 0..MAX_STALE {
        cx.loaded_mut().object.clone_from(&object);
        let row = cx
            .take_object(table, |row: &dyn Row| Record::copy(row, table))
            .await?;
        cx.put_body_text(patch.plain_body(&cx, &serializer, &row).await?);
        cx.loaded_mut().object = Some(LoadedObject::Row(row));
        cx.insert_extension(patch.kind());
        cx.set_json_body();
        load(&mut cx, Arc::clone(&serializer), BodyBase::Merge, check).await?;
        match (next.again().run(cx).await, &spare) {
            (Err(error), Some(spare)) if error.is_stale() => {
                cx = spare.repeat(Bytes::new());
            }
            (patched, _) => return patched,
        }
    }
    Err(Error::stale())
}

async fn load(
    cx: &mut Context,
    serializer: Arc<CompiledSerializer>,
    base: BodyBase,
    check: CheckTime,
) -> Result<()> {
    let mut draft = new_draft(cx, serializer.table(), base).await?;
    let fixed = fixed_columns(cx, &draft).await?;
    let read = read_body(cx, &serializer, base.mode(), &mut draft, &fixed).await;
    if !matches!(&read, Ok(errors) if errors.is_empty()) {
        require_row_exists(cx, &draft).await?;
    }
    let mut errors = read?;
    if errors.is_empty() {
        (draft, errors) = cx.check_loaded(&serializer, base.mode(), draft, check).await?;
    }
    if errors.is_empty() {
        (draft, errors) = convert(cx, &serializer, draft).await?;
    }
    cx.check_at_write(&serializer, &errors);
    cx.loaded_mut().serializer = Some(serializer);
    cx.loaded_mut().draft = Some(draft);
    cx.loaded_mut().errors = Some(errors);
    Ok(())
}

/// Creates the draft before the body is merged into it.
async fn new_draft(cx: &mut Context, table: &'static Table, base: BodyBase) -> Result<AnyDraft> {
    match (base, cx.loaded_mut().object.take()) {
        (BodyBase::New, _) => {
            let access = cx.access(table);
            access.require_create()?;
            // Also rejects a hidden column in the URL.
            access.scoped()?;
            Ok(AnyDraft::new(table))
        }
        (BodyBase::MergeBlind, Some(LoadedObject::Key(RowKey::Primary(key))))
            if !Preconditions::are_in(cx) && !cx.is_watched(table) =>
        {
            Ok(AnyDraft::blind(table, key))
        }
        (_, object) => {
            cx.loaded_mut().object = object;
            let copy = |row: &dyn Row| Record::copy(row, table);
            Ok(AnyDraft::of(table, cx.take_object(table, copy).await?))
        }
    }
}

async fn read_body(
    cx: &Context,
    serializer: &CompiledSerializer,
    mode: WriteMode,
    draft: &mut AnyDraft,
    fixed: &[(usize, Value)],
) -> Result<Errors> {
    let body = json_text(cx).await?;
    read(cx, serializer, mode, draft, fixed, &body).await
}

/// Answers 404 for a row that does not exist, before errors of the body are reported.
async fn require_row_exists(cx: &Context, draft: &AnyDraft) -> Result<()> {
    let Some(key) = draft.key() else {
        return Ok(());
    };
    if draft.original().is_some() {
        return Ok(());
    }
    let access = cx.access(draft.table());
    access.require_permitted(RowKey::Primary(key.clone())).await
}
