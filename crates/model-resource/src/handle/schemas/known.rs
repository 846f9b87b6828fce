//! Types in signatures that tell a schema.

use axum::Json;
use axum::extract::{Path, Query};
use http::{HeaderMap, StatusCode};
use model_resource_schema::model::Model;
use schemars::JsonSchema;
use serde_json::Value;

use crate::description::{HandlerSchemas, ReplySchema};
use crate::handle::json_body::JsonBody;
use crate::handle::schemas::generate::{input, output};
use crate::handle::schemas::probe::Probe;

impl HandlerSchemas {
    /// Describes the body by its type, for a [`ViewSpec`](crate::ViewSpec).
    pub fn set_body<T: JsonSchema>(&mut self) {
        self.body = Some(input::<T>(&mut self.definitions));
    }

    /// Describes the content of a successful response by its type.
    pub fn set_reply<T: JsonSchema>(&mut self) {
        let schema = output::<T>(&mut self.definitions);
        self.reply = Some(ReplySchema::Json(schema));
    }

    /// Describes the members that a successful response has beside those of the serializer.
    pub fn set_added_members<T: JsonSchema>(&mut self) {
        let schema = output::<T>(&mut self.definitions);
        self.reply = Some(ReplySchema::ObjectWith(schema));
    }
}

/// Arguments whose type has a schema.
pub trait TypedArgument {
    /// Describes the argument.
    fn argument(&self, schemas: &mut HandlerSchemas);
}

impl<T: JsonSchema> TypedArgument for &&Probe<JsonBody<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.set_body::<T>();
    }
}

impl<T: JsonSchema> TypedArgument for &&Probe<Json<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.set_body::<T>();
    }
}

impl<T: JsonSchema> TypedArgument for &&Probe<Query<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.query = Some(input::<T>(&mut schemas.definitions));
    }
}

impl<T: JsonSchema> TypedArgument for &&Probe<Path<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.path = Some(input::<T>(&mut schemas.definitions));
    }
}

/// Bodies whose type has no schema.
pub trait UntypedArgument {
    /// Describes any JSON.
    fn argument(&self, schemas: &mut HandlerSchemas);
}

impl<T> UntypedArgument for &Probe<JsonBody<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.body = Some(Value::Bool(true));
    }
}

impl<T> UntypedArgument for &Probe<Json<T>> {
    fn argument(&self, schemas: &mut HandlerSchemas) {
        schemas.body = Some(Value::Bool(true));
    }
}

/// Bodies with a schema that an attribute names.
pub trait TypedRequest {
    /// Describes the body.
    fn request(&self, schemas: &mut HandlerSchemas);
}

impl<T: JsonSchema> TypedRequest for &Probe<T> {
    fn request(&self, schemas: &mut HandlerSchemas) {
        schemas.set_body::<T>();
    }
}

/// Results.
pub trait ResultSuccess {
    /// Type of a successful reply.
    type Reply;

    /// Probe of a successful reply.
    fn success(&self) -> Probe<Self::Reply> {
        Probe::new()
    }
}

impl<T, E> ResultSuccess for &Probe<Result<T, E>> {
    type Reply = T;
}

/// Data after a status.
pub trait DataAfter {
    /// Type of the data.
    type Data;

    /// Probe of the data.
    fn data(&self) -> Probe<Self::Data> {
        Probe::new()
    }
}

impl<T> DataAfter for &&Probe<(StatusCode, T)> {
    type Data = T;
}

impl<T> DataAfter for &&Probe<(StatusCode, HeaderMap, T)> {
    type Data = T;
}

/// Data before a status.
pub trait DataBefore {
    /// Type of the data.
    type Data;

    /// Probe of the data.
    fn data(&self) -> Probe<Self::Data> {
        Probe::new()
    }
}

impl<T> DataBefore for &Probe<(T, StatusCode)> {
    type Data = T;
}

impl<T> DataBefore for &Probe<(T, StatusCode, HeaderMap)> {
    type Data = T;
}

/// Replies of JSON whose type has a schema, and of lists and texts.
pub trait TypedReply {
    /// Describes the reply.
    fn reply(&self, schemas: &mut HandlerSchemas);
}

impl<T: JsonSchema> TypedReply for &&&Probe<Json<T>> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Json(output::<T>(&mut schemas.definitions)));
    }
}

impl<M: Model> TypedReply for &&&Probe<Vec<M>> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::List(M::table().model));
    }
}

impl TypedReply for &&&Probe<&str> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Text);
    }
}

impl TypedReply for &&&Probe<String> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Text);
    }
}

/// Replies of one object.
pub trait ObjectReply {
    /// Describes the reply.
    fn reply(&self, schemas: &mut HandlerSchemas);
}

impl<M: Model> ObjectReply for &&Probe<M> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Object(M::table().model));
    }
}

/// Replies of JSON whose type has no schema.
pub trait UntypedReply {
    /// Describes any JSON.
    fn reply(&self, schemas: &mut HandlerSchemas);
}

impl<T> UntypedReply for &Probe<Json<T>> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Json(Value::Bool(true)));
    }
}

impl UntypedReply for &Probe<Value> {
    fn reply(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Json(Value::Bool(true)));
    }
}

/// Replies that an attribute names.
pub trait NamedReply {
    /// Describes the reply.
    fn response(&self, schemas: &mut HandlerSchemas);

    /// Describes what the reply has beside the object of the serializer.
    fn adds(&self, schemas: &mut HandlerSchemas);
}

impl<T: JsonSchema> NamedReply for &Probe<T> {
    fn response(&self, schemas: &mut HandlerSchemas) {
        schemas.set_reply::<T>();
    }

    fn adds(&self, schemas: &mut HandlerSchemas) {
        schemas.set_added_members::<T>();
    }
}

/// Replies without content, named as `()`.
pub trait EmptyReply {
    /// Describes the reply.
    fn response(&self, schemas: &mut HandlerSchemas);
}

impl EmptyReply for &&Probe<()> {
    fn response(&self, schemas: &mut HandlerSchemas) {
        schemas.reply = Some(ReplySchema::Empty);
    }
}
