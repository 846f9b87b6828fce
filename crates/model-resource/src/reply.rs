//! What a handler returns: data with a status and headers, or a finished response.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use model_resource_schema::column::Table;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Row;
use model_resource_schema::serializer::{Shape, Sight};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::query::Rows;
use crate::services::Services;

/// A handler's return value.
pub enum Reply {
    /// A response that is sent unchanged.
    Response(Response),
    /// Data that a representation turns into a response.
    Data(Payload),
}

/// Data, status and headers.
pub struct Payload {
    pub(crate) data: Data,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// What a representation is given to write.
pub(crate) enum Data {
    Nothing,
    Json(serde_json::Value),
    /// One object, as its serializer has written it.
    Written(Vec<u8>),
    One(Form, BoxRow),
    Many(Form, Vec<BoxRow>),
    Rows(Arc<Rows>),
}

/// How objects look.
#[derive(Clone)]
pub(crate) enum Form {
    /// As the serializer that is registered for the model writes them.
    Registered(&'static Table),
    /// As the client wants them.
    Wanted(Arc<Shape>),
}

impl Form {
    /// Whether objects of both look alike.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Form::Registered(table), Form::Registered(other)) => std::ptr::eq(*table, *other),
            (Form::Wanted(shape), Form::Wanted(other)) => Arc::ptr_eq(shape, other),
            _ => false,
        }
    }

    pub(crate) fn table(&self) -> &'static Table {
        match self {
            Form::Registered(table) => table,
            Form::Wanted(shape) => shape.table(),
        }
    }

    /// How an object looks that stands alone.
    pub(crate) fn of_one<'a>(&'a self, services: &'a Services) -> Result<&'a Arc<Shape>> {
        match self {
            Form::Registered(table) => Ok(services.serializers.single(table)?.shape()),
            Form::Wanted(shape) => Ok(shape),
        }
    }

    /// How the objects of a list look.
    pub(crate) fn of_many<'a>(&'a self, services: &'a Services) -> Result<&'a Arc<Shape>> {
        match self {
            Form::Registered(table) => Ok(services.serializers.many(table)?.shape()),
            Form::Wanted(shape) => Ok(shape),
        }
    }
}

/// One object, whatever holds it.
pub(crate) type BoxRow = Box<dyn Row + Send + Sync>;

impl Reply {
    /// Any serializable value as data, with status 200.
    pub fn json(value: &impl Serialize) -> Result<Self> {
        let value = serde_json::to_value(value).map_err(Error::internal)?;
        Ok(Self::data(Data::Json(value)))
    }

    /// The errors of a body: status 400 and the single key `errors`.
    pub fn errors(errors: Errors) -> Result<Self> {
        Err(Error::invalid(errors))
    }

    /// No data, with status 204.
    pub fn no_content() -> Self {
        Self::data(Data::Nothing).with_status(StatusCode::NO_CONTENT)
    }

    pub(crate) fn data(data: Data) -> Self {
        Self::Data(Payload {
            data,
            status: StatusCode::OK,
            headers: HeaderMap::new(),
        })
    }

    /// The same, with objects of the shape's model as the shape writes them.
    pub(crate) fn with_shape(mut self, shape: &Arc<Shape>) -> Self {
        if let Reply::Data(Payload {
            data: Data::One(form, _) | Data::Many(form, _),
            ..
        }) = &mut self
            && std::ptr::eq(form.table(), shape.table())
        {
            *form = Form::Wanted(Arc::clone(shape));
        }
        self
    }

    /// The same as somebody sees it: objects that look as is registered lose what cannot be seen.
    pub(crate) fn seen_by(mut self, sight: &Arc<dyn Sight>, services: &Services) -> Result<Self> {
        if let Reply::Data(Payload { data, .. }) = &mut self {
            let (form, is_many) = match data {
                Data::One(form, _) => (form, false),
                Data::Many(form, _) => (form, true),
                _ => return Ok(self),
            };
            if let Form::Registered(_) = form {
                let shape = match is_many {
                    true => form.of_many(services)?,
                    false => form.of_one(services)?,
                };
                *form = Form::Wanted(Arc::new(shape.seen_by(sight)));
            }
        }
        Ok(self)
    }

    /// The same with another status.
    pub fn with_status(mut self, new: StatusCode) -> Self {
        match &mut self {
            Reply::Response(response) => *response.status_mut() = new,
            Reply::Data(payload) => payload.status = new,
        }
        self
    }

    /// The same with one more header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().insert(name, value);
        self
    }

    /// The headers, for decorators that add to them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        match self {
            Reply::Response(response) => response.headers_mut(),
            Reply::Data(payload) => &mut payload.headers,
        }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        match self {
            Reply::Response(response) => response.status(),
            Reply::Data(payload) => payload.status,
        }
    }
}
