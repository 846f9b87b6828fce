//! Data that a representation renders.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use model_resource_schema::model::Model;
use serde::Serialize;

use crate::handle::payload::{BoxRow, Data, ProjectionChoice};
use crate::handle::reply::Reply;
use crate::pipeline::Result;

/// Markers that keep the implementations of [`IntoReply`] apart; inferred.
pub mod via {
    /// A custom type.
    pub struct CustomReply;
    /// A model.
    pub struct ModelReply;
    /// A list of models.
    pub struct ListReply;
    /// Data with a status or headers.
    pub struct ReplyWith<V>(std::marker::PhantomData<V>);
    /// A status first, then data.
    pub struct ReplyAfter<V>(std::marker::PhantomData<V>);
}

/// Conversion of a handler's return value into a [`Reply`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not data that a representation can write",
    label = "not data",
    note = "data is a model, a Vec of models, serde_json::Value, axum's Json around any serializable value, or one of these with a StatusCode and a HeaderMap"
)]
pub trait IntoReply<Via> {
    /// Turns the value into a reply.
    fn into_reply(self) -> Result<Reply>;
}

impl IntoReply<via::CustomReply> for Reply {
    fn into_reply(self) -> Result<Reply> {
        Ok(self)
    }
}

impl IntoReply<via::CustomReply> for Response {
    fn into_reply(self) -> Result<Reply> {
        Ok(Reply::from(self))
    }
}

impl IntoReply<via::CustomReply> for serde_json::Value {
    fn into_reply(self) -> Result<Reply> {
        Ok(Reply::data(Data::Json(self)))
    }
}

impl<T: Serialize> IntoReply<via::CustomReply> for axum::Json<T> {
    fn into_reply(self) -> Result<Reply> {
        Reply::json(&self.0)
    }
}

impl<M: Model> IntoReply<via::ModelReply> for M {
    fn into_reply(self) -> Result<Reply> {
        Ok(Reply::data(Data::One(
            ProjectionChoice::Default(M::table()),
            Box::new(self),
        )))
    }
}

impl<M: Model> IntoReply<via::ListReply> for Vec<M> {
    fn into_reply(self) -> Result<Reply> {
        let rows = self
            .into_iter()
            .map(|instance| Box::new(instance) as BoxRow)
            .collect();
        Ok(Reply::data(Data::Many(
            ProjectionChoice::Default(M::table()),
            rows,
        )))
    }
}

impl<V, T: IntoReply<V>> IntoReply<via::ReplyWith<V>> for (T, StatusCode) {
    fn into_reply(self) -> Result<Reply> {
        Ok(self.0.into_reply()?.with_status(self.1))
    }
}

impl<V, T: IntoReply<V>> IntoReply<via::ReplyWith<V>> for (T, StatusCode, HeaderMap) {
    fn into_reply(self) -> Result<Reply> {
        (self.1, self.2, self.0).into_reply()
    }
}

impl<V, T: IntoReply<V>> IntoReply<via::ReplyAfter<V>> for (StatusCode, T) {
    fn into_reply(self) -> Result<Reply> {
        Ok(self.1.into_reply()?.with_status(self.0))
    }
}

impl<V, T: IntoReply<V>> IntoReply<via::ReplyAfter<V>> for (StatusCode, HeaderMap, T) {
    fn into_reply(self) -> Result<Reply> {
        let mut reply = self.2.into_reply()?.with_status(self.0);
        reply.headers_mut().extend(self.1);
        Ok(reply)
    }
}
