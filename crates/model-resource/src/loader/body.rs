//! `post_loader`, `put_loader` and `patch_loader`: the request body becomes a draft and an errors value.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::serializer::{Onto, Plan, RegisteredSerializer};
use model_resource_schema::value::Value;
use model_resource_store::RowKey;

use crate::body::json_text;
use crate::context::{CheckTime, Context, Object};
use crate::decorator::{Decorator, Next};
use crate::error::Result;
use crate::loading::{convert, fixed_columns, read};
use crate::operation::{CREATE, Operations, PATCH, PUT};
use crate::reply::Reply;

/// Loads the body of a create by serializer `S`.
#[track_caller]
pub fn post_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Over::Nothing)
}

/// Loads the body of a put by serializer `S`, onto the instance that `param_converter` loaded before.
#[track_caller]
pub fn put_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Over::WholeRow)
}

/// Loads the body of a patch by serializer `S`, onto the instance that `param_converter` loaded before.
#[track_caller]
pub fn patch_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Over::Row)
}

#[track_caller]
fn by_hand<S: RegisteredSerializer>(over: Over) -> BodyLoader {
    match Plan::new::<S>() {
        Ok(plan) => BodyLoader {
            plan: Arc::new(plan),
            over,
            check: CheckTime::AtLoad,
        },
        Err(mistake) => panic!("{mistake}"),
    }
}

/// Reads bodies.
pub(crate) struct BodyLoader {
    pub(crate) plan: Arc<Plan>,
    pub(crate) over: Over,
    /// Time at which the batch checks of a single object run.
    pub(crate) check: CheckTime,
}

/// What a body is laid over.
#[derive(Clone, Copy)]
pub(crate) enum Over {
    /// Nothing: the object is new.
    Nothing,
    /// A row as a whole.
    WholeRow,
    /// Parts of a row.
    Row,
    /// Parts of a row that nobody looks at, so that it need not be read before it is written.
    UnreadRow,
}

impl Over {
    fn onto(self) -> Onto {
        match self {
            Over::Nothing => Onto::New,
            Over::WholeRow => Onto::Whole,
            Over::Row | Over::UnreadRow => Onto::Part,
        }
    }
}

impl Decorator for BodyLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let (plan, over, check) = (Arc::clone(&self.plan), self.over, self.check);
        Box::pin(async move {
            load(&mut cx, plan, over, check).await?;
            next.run(cx).await
        })
    }

    fn name(&self) -> &'static str {
        match self.over.onto() {
            Onto::New => "post_loader",
            Onto::Whole => "put_loader",
            Onto::Part => "patch_loader",
        }
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if !std::ptr::eq(self.plan.table(), table) {
            return Operations::NONE;
        }
        match self.over.onto() {
            Onto::New => CREATE.into(),
            Onto::Whole => PUT.into(),
            Onto::Part => PATCH.into(),
        }
    }
}

async fn load(cx: &mut Context, plan: Arc<Plan>, over: Over, check: CheckTime) -> Result<()> {
    let mut draft = new_draft(cx, plan.table(), over).await?;
    let fixed = fixed_columns(cx, &draft).await?;
    let read = read_body(cx, &plan, over.onto(), &mut draft, &fixed).await;
    if !matches!(&read, Ok(errors) if errors.is_empty()) {
        require_unread(cx, &draft).await?;
    }
    let mut errors = read?;
    if errors.is_empty() {
        (draft, errors) = cx.check_loaded(&plan, over.onto(), draft, check).await?;
    }
    if errors.is_empty() {
        (draft, errors) = convert(&plan, draft).await?;
    }
    cx.check_at_write(&plan, &errors);
    cx.found().plan = Some(plan);
    cx.found().draft = Some(draft);
    cx.found().errors = Some(errors);
    Ok(())
}

/// The draft before the body is laid over it.
async fn new_draft(cx: &mut Context, table: &'static Table, over: Over) -> Result<AnyDraft> {
    match (over, cx.found().object.take()) {
        (Over::Nothing, _) => {
            cx.require_creation(table)?;
            // Refuses a hidden column in the URL as well.
            cx.select(table)?;
            Ok(AnyDraft::new(table))
        }
        (Over::UnreadRow, Some(Object::Named(RowKey::Primary(key)))) => Ok(AnyDraft::unread(table, key)),
        (_, object) => {
            cx.found().object = object;
            let copy = |row: &dyn Row| Record::copy(row, table);
            Ok(AnyDraft::of(table, cx.take_object(table, copy).await?))
        }
    }
}

async fn read_body(
    cx: &Context,
    plan: &Plan,
    onto: Onto,
    draft: &mut AnyDraft,
    fixed: &[(usize, Value)],
) -> Result<Errors> {
    let body = json_text(cx).await?;
    read(cx, plan, onto, draft, fixed, &body).await
}

/// Whoever names a row that is not there is told so, before what is wrong with the body.
async fn require_unread(cx: &Context, draft: &AnyDraft) -> Result<()> {
    match draft.key().filter(|_| draft.base().is_none()) {
        Some(key) => {
            cx.require_reach(draft.table(), RowKey::Primary(key.clone()))
                .await
        }
        None => Ok(()),
    }
}
