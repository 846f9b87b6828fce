//! Arguments of custom operations and views, extracted by their types.

use std::future::{Future, ready};

use axum::extract::{FromRequest, FromRequestParts};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_body_util::BodyExt;
use model_resource_schema::draft::Draft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Model;

use crate::handle::state::WithState;
use crate::pipeline::{Context, Error, Result};
use crate::routing::Params;

/// Extractor of the application, such as the current user, that operations and views can take as an argument.
#[doc(alias = "extractor")]
pub trait FromContext: Sized {
    /// Extracts the value, or ends the request.
    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send;
}

/// Values that the loaders of each operation supply, known at compile time.
pub mod op {
    /// Implemented for operations that load one saved object.
    #[diagnostic::on_unimplemented(
        message = "only `get` and `delete` are given an instance of the model",
        label = "this operation has no loaded instance",
        note = "`list` takes `Vec<Model>`; `create`, `put` and `patch` take `Draft<Model>` and `Errors`"
    )]
    pub trait LoadsOne {}
    /// Implemented for operations that load a list.
    #[diagnostic::on_unimplemented(
        message = "only `list` is given a `Vec` of the model",
        label = "this operation has no loaded list",
        note = "`get` and `delete` take the model itself; `create`, `put` and `patch` take `Draft<Model>` and `Errors`"
    )]
    pub trait LoadsAll {}
    /// Implemented for operations that load the body.
    #[diagnostic::on_unimplemented(
        message = "only `create`, `put` and `patch` are given a `Draft` and `Errors`",
        label = "this operation loads nothing from the body",
        note = "`get` and `delete` take the model itself; `list` takes `Vec<Model>`"
    )]
    pub trait LoadsBody {}

    macro_rules! operations {
        ($($name:ident: $($loads:ident)?),* $(,)?) => { $(
            #[doc = concat!("The operation or view `", stringify!($name), "`, as a type.")]
            pub struct $name;
            $(impl $loads for $name {})?
        )* };
    }

    operations!(Create: LoadsBody, Delete: LoadsOne, Get: LoadsOne, List: LoadsAll, Patch: LoadsBody, Put: LoadsBody, View:);
}

/// Markers that keep the implementations of [`Argument`] apart; inferred.
pub mod via {
    /// A custom extractor.
    pub struct ContextExtractor;
    /// The loaded instance.
    pub struct LoadedInstance;
    /// The loaded list.
    pub struct LoadedList;
    /// The loaded draft.
    pub struct LoadedDraft;
    /// An extractor of axum that does not consume the body.
    pub struct PartsExtractor;
    /// An extractor of axum that consumes the body.
    pub struct BodyExtractor;
}

/// Argument of operation `O` of the resource or view `R`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument here",
    label = "the loaders do not supply this",
    note = "`list` takes `Vec<Model>`; `get` and `delete` take the model itself; `create`, `put` and `patch` take `Draft<Model>` and `Errors`, all of the resource's own model",
    note = "any operation or view may also take `Context`, `Params`, an extractor of axum, or a type that implements `FromContext`",
    note = "`State<T>` is the state of `Api::with_state`; a part of it by `FromRef` needs `state = ..` in the attribute"
)]
pub trait Argument<R, O, Via>: Sized {
    /// Whether the operation's loaders must have run.
    const LOADED: bool = false;
    /// Extracts the value, or ends the request.
    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send;
}

impl<R, O, T: FromContext> Argument<R, O, via::ContextExtractor> for T {
    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send {
        T::from_context(cx)
    }
}

impl FromContext for Params {
    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send {
        ready(Ok(cx.params().clone()))
    }
}

/// Model of a resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the model of `{R}`, nor anything else that can be an argument here",
    label = "not the resource's own model",
    note = "`list` takes `Vec<Model>`; `get` and `delete` take the model itself; `create`, `put` and `patch` take `Draft<Model>` and `Errors`",
    note = "any operation or view may also take `Context`, `Params`, an extractor of axum, or a type that implements `FromContext`"
)]
pub trait ModelOf<R>: Model {}

impl<R, O: op::LoadsOne, M: ModelOf<R>> Argument<R, O, via::LoadedInstance> for M {
    const LOADED: bool = true;

    async fn from_context(cx: &mut Context) -> Result<Self> {
        Ok(cx.take_object(M::table(), M::from_row).await??)
    }
}

impl<R, O: op::LoadsAll, M: ModelOf<R>> Argument<R, O, via::LoadedList> for Vec<M> {
    const LOADED: bool = true;

    async fn from_context(cx: &mut Context) -> Result<Self> {
        let rows = cx.loaded_mut().rows.take().ok_or_else(not_loaded)?;
        let (instances, seen) = rows.read_instances(cx.store_unchecked()).await?;
        if let Some(seen) = seen {
            let _ = cx.loaded_mut().page_stats.set(seen);
        }
        Ok(instances)
    }
}

impl<R, O: op::LoadsBody, M: ModelOf<R>> Argument<R, O, via::LoadedDraft> for Draft<M> {
    const LOADED: bool = true;

    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send {
        ready(
            cx.loaded_mut()
                .draft
                .take()
                .map(Draft::from_any)
                .ok_or_else(not_loaded),
        )
    }
}

impl<R, O: op::LoadsBody> Argument<R, O, via::LoadedDraft> for Errors {
    const LOADED: bool = true;

    fn from_context(cx: &mut Context) -> impl Future<Output = Result<Self>> + Send {
        ready(cx.loaded_mut().errors.take().ok_or_else(not_loaded))
    }
}

impl<R: WithState, O, T: FromRequestParts<R::State>> Argument<R, O, via::PartsExtractor> for T {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        let state = state_of::<R>(cx)?;
        cx.fill_path().await;
        let rejection = match T::from_request_parts(cx.parts_mut(), &state).await {
            Ok(value) => return Ok(value),
            Err(rejection) => rejection.into_response(),
        };
        Err(extractor_rejection(rejection).await)
    }
}

impl<R: WithState, O, T: FromRequest<R::State>> Argument<R, O, via::BodyExtractor> for T {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        let state = state_of::<R>(cx)?;
        cx.fill_path().await;
        let (request, memory) = cx.take_request().await?;
        let rejection = match T::from_request(request, &state).await {
            Ok(value) => return cx.end_extraction(&memory).map(|()| value),
            Err(rejection) => rejection.into_response(),
        };
        cx.end_extraction(&memory)?;
        Err(extractor_rejection(rejection).await)
    }
}

/// State for the extractors of a resource or view. An api without it is rejected at startup.
fn state_of<R: WithState>(cx: &Context) -> Result<R::State> {
    let state = cx.state::<R::State>().cloned();
    state.ok_or_else(|| Error::internal("the api was served without the state of one of its views"))
}

/// Ends the request if an operation took the draft without its errors and there are any: an invalid draft must not be
/// saved by any means.
pub fn check_untaken_errors(cx: &Context) -> Result<()> {
    match cx.undecided_errors() {
        Some(errors) if cx.draft_is_taken() => Err(Error::invalid(errors.clone())),
        _ => Ok(()),
    }
}

/// Converts an axum rejection to an error with axum's message. A body that cannot be processed (422) becomes a 400.
async fn extractor_rejection(response: Response) -> Error {
    let status = response.status();
    let body = response
        .into_body()
        .collect()
        .await
        .map(|body| body.to_bytes())
        .unwrap_or_default();
    let message = String::from_utf8_lossy(&body);
    if status == StatusCode::UNPROCESSABLE_ENTITY {
        return Error::invalid(Errors::object(message));
    }
    if status.is_server_error() {
        return Error::internal(message);
    }
    Error::named("ExtractorRejection", status, message)
}

fn not_loaded() -> Error {
    Error::internal("an operation asked for what its loaders did not load")
}
