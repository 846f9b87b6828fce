//! `post_loader`, `put_loader` and `patch_loader`: the request body becomes a draft and an errors value.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::serializer::{Onto, Plan, RegisteredSerializer};

use crate::body::json_text;
use crate::context::Context;
use crate::decorator::{Decorator, Next};
use crate::error::{Error, Result};
use crate::heavy::heavy;
use crate::loader::list::require_parents;
use crate::operation::{CREATE, Operations, PATCH, PUT};
use crate::reply::Reply;

/// Loads the body of a create by serializer `S`.
#[track_caller]
pub fn post_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Onto::New)
}

/// Loads the body of a put by serializer `S`, onto the instance that `param_converter` loaded before.
#[track_caller]
pub fn put_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Onto::Whole)
}

/// Loads the body of a patch by serializer `S`, onto the instance that `param_converter` loaded before.
#[track_caller]
pub fn patch_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Onto::Part)
}

#[track_caller]
fn by_hand<S: RegisteredSerializer>(onto: Onto) -> BodyLoader {
    match Plan::new::<S>() {
        Ok(plan) => BodyLoader {
            plan: Arc::new(plan),
            onto,
        },
        Err(mistake) => panic!("{mistake}"),
    }
}

pub(crate) struct BodyLoader {
    pub(crate) plan: Arc<Plan>,
    pub(crate) onto: Onto,
}

impl Decorator for BodyLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let (plan, onto) = (Arc::clone(&self.plan), self.onto);
        Box::pin(async move {
            load(&mut cx, plan, onto).await?;
            next.run(cx).await
        })
    }

    fn name(&self) -> &'static str {
        match self.onto {
            Onto::New => "post_loader",
            Onto::Whole => "put_loader",
            Onto::Part => "patch_loader",
        }
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if !std::ptr::eq(self.plan.table(), table) {
            return Operations::NONE;
        }
        match self.onto {
            Onto::New => CREATE.into(),
            Onto::Whole => PUT.into(),
            Onto::Part => PATCH.into(),
        }
    }
}

async fn load(cx: &mut Context, plan: Arc<Plan>, onto: Onto) -> Result<()> {
    let table = plan.table();
    let mut fixed = cx.scope(table)?;
    let mut draft = match onto {
        Onto::New => {
            require_parents(cx, &cx.select(table)?).await?;
            AnyDraft::new(table)
        }
        Onto::Whole | Onto::Part => {
            let record = cx
                .found()
                .record
                .take()
                .ok_or_else(|| Error::internal("no param_converter has run"))?;
            fixed.push((table.primary_key, record.values()[table.primary_key].clone()));
            AnyDraft::of(table, record)
        }
    };
    let body = json_text(cx).await?;
    let loaded = plan.load(&body, onto, &mut draft, &fixed);
    let mut errors = loaded.map_err(|malformed| Error::malformed(malformed.0))?;
    cx.found().plan = Some(Arc::clone(&plan));
    if errors.is_empty() && plan.converts(&draft) {
        (draft, errors) = heavy(move || {
            let errors = plan.convert(&mut draft);
            (draft, errors)
        })
        .await?;
    }
    cx.found().draft = Some(draft);
    cx.found().errors = Some(errors);
    Ok(())
}
