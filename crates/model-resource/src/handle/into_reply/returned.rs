//! Conversion of a returned value whose type the attributes know.
//!
//! `(StatusCode, Json(..))` is data and a response of axum at once, and data comes first: method resolution prefers [`AsData`],
//! which takes [`Returned`] by value, to [`AsResponse`], which takes a reference. In the same way [`Fails`] comes before
//! [`Succeeds`].

use std::marker::PhantomData;

use axum::response::{IntoResponse, Response};

use crate::handle::into_reply::data::IntoReply;
use crate::handle::reply::Reply;
use crate::pipeline::{Error, Result};

/// Response that is sent unchanged.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from an operation or a view",
    label = "not something that can be sent",
    note = "return a model, a Vec of models, serde_json::Value, axum's Json, one of these with a StatusCode and a HeaderMap, a Reply, anything that implements axum's IntoResponse, or a Result of one of these",
    note = "the error of a Result is model_resource::Error, a type that converts into it, or one that implements IntoResponse"
)]
pub trait Answer {
    /// Turns the value into a response.
    fn into_answer(self) -> Response;
}

#[diagnostic::do_not_recommend]
impl<T: IntoResponse> Answer for T {
    fn into_answer(self) -> Response {
        self.into_response()
    }
}

/// Traits of the methods, without names that could hide those of the application.
pub mod traits {
    pub use super::{AsData as _, AsResponse as _, Fails as _, Succeeds as _};
}

/// Type of a returned value.
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    /// Type of this value.
    pub fn of(_value: &T) -> Self {
        Self(PhantomData)
    }
}

/// Results whose error ends the request as an [`Error`].
pub trait Fails {
    /// Selects the conversion of a result.
    fn outcome(self) -> Fallible;
}

impl<T, E: Into<Error>> Fails for Returned<Result<T, E>> {
    fn outcome(self) -> Fallible {
        Fallible
    }
}

/// Values other than results.
pub trait Succeeds {
    /// Selects the conversion of a plain value.
    fn outcome(self) -> Infallible;
}

impl<T> Succeeds for &Returned<T> {
    fn outcome(self) -> Infallible {
        Infallible
    }
}

/// Unwraps a result.
pub struct Fallible;

impl Fallible {
    /// Returns the value, or the error.
    pub fn value<T, E: Into<Error>>(self, returned: Result<T, E>) -> Result<T> {
        returned.map_err(Into::into)
    }
}

/// Passes a value on.
pub struct Infallible;

impl Infallible {
    /// Returns the value.
    pub fn value<T>(self, returned: T) -> Result<T> {
        Ok(returned)
    }
}

/// Values that are data.
pub trait AsData<Via> {
    /// Selects the conversion of data.
    fn kind(self) -> DataKind;
}

impl<V, T: IntoReply<V>> AsData<V> for Returned<T> {
    fn kind(self) -> DataKind {
        DataKind
    }
}

/// Values other than data.
pub trait AsResponse {
    /// Selects the conversion of a response.
    fn kind(self) -> ResponseKind;
}

impl<T> AsResponse for &Returned<T> {
    fn kind(self) -> ResponseKind {
        ResponseKind
    }
}

/// Converts data to a reply.
pub struct DataKind;

impl DataKind {
    /// Converts the data.
    pub fn reply<V, T: IntoReply<V>>(self, value: T) -> Result<Reply> {
        value.into_reply()
    }
}

/// Converts a response to a reply.
pub struct ResponseKind;

impl ResponseKind {
    /// Converts the response.
    pub fn reply<T: Answer>(self, value: T) -> Result<Reply> {
        Ok(Reply::from(value.into_answer()))
    }
}
