//! `post_loader`, `put_loader` and `patch_loader`: the request body becomes a draft and an errors value.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::header;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::serializer::{Onto, Plan, RegisteredSerializer};

use crate::context::Context;
use crate::decorator::{Decorator, Next};
use crate::error::{Error, ErrorKind, Result};
use crate::loader::list::require_parents;
use crate::operation::{CREATE, Operations, PATCH, PUT};
use crate::reply::Reply;

/// Loads the body of a create by serializer `S`.
pub fn post_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Onto::New)
}

/// Loads the body of a put by serializer `S`, onto the instance that `param_converter` loaded before.
pub fn put_loader<S: RegisteredSerializer>() -> impl Decorator {
    by_hand::<S>(Onto::Whole)
}

/// Loads the body of a patch by serializer `S`, onto the instance that `param_converter` loaded before.
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
    let body = json_body(cx).await?;
    let loaded = plan.load(&body, onto, &mut draft, &fixed);
    let mut errors = loaded.map_err(|malformed| Error::malformed(malformed.0))?;
    cx.found().plan = Some(Arc::clone(&plan));
    if errors.is_empty() && plan.converts(&draft) {
        let slow = tokio::task::spawn_blocking(move || {
            let errors = plan.convert(&mut draft);
            (draft, errors)
        });
        (draft, errors) = slow.await.map_err(Error::internal)?;
    }
    cx.found().draft = Some(draft);
    cx.found().errors = Some(errors);
    Ok(())
}

/// The body as text, if it is declared as JSON.
async fn json_body(cx: &mut Context) -> Result<String> {
    let media_type = cx
        .headers()
        .get(header::CONTENT_TYPE)
        .map(|value| value.to_str().unwrap_or("").to_owned());
    let body = cx.body().await?;
    if !body.is_empty() && !media_type.as_deref().is_some_and(is_json) {
        let message = "The request body must be JSON: send it with `Content-Type: application/json`.";
        return Err(Error::new(ErrorKind::UnsupportedMediaType(message.to_owned())));
    }
    String::from_utf8(body.into()).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = valid.len()
            - valid
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1)
            + 1;
        Error::malformed(format!(
            "Malformed JSON: invalid UTF-8 at line {line} column {column}."
        ))
    })
}

/// `application/json` and `application/*+json`, with UTF-8 as the only charset.
fn is_json(media_type: &str) -> bool {
    let (essence, parameters) = media_type.split_once(';').unwrap_or((media_type, ""));
    let essence = essence.trim().to_ascii_lowercase();
    let subtype = essence.strip_prefix("application/");
    let charset = parameters
        .split(';')
        .filter_map(|p| p.trim().split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let is_utf8 =
        charset.is_none_or(|(_, value)| value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8"));
    is_utf8 && subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}
