//! Turns database models into REST resources with automatic create, read, update and delete endpoints.

mod api;
mod blueprint;
mod context;
mod decorator;
mod dispatch;
mod error;
mod handler;
mod loader;
mod operation;
mod reply;
mod representation;
mod resource;
mod respond;
mod route;
mod server;
mod url;

pub use model_resource_macros::{ColumnEnum, Model, model_resource, route, serializer};
pub use model_resource_schema as schema;
pub use model_resource_schema::column_type::Json;
pub use model_resource_schema::draft::Draft;
pub use model_resource_schema::errors::Errors;
pub use model_resource_schema::fields;
pub use model_resource_schema::model::Model;
pub use model_resource_schema::serializer::{
    Declare, Envelope, Fields, Input, ModelSerializer, Onto, WrappedSerializer,
};
pub use model_resource_store as store;
pub use model_resource_store::{Query, Store, Transaction};

pub use api::{Api, RouteLine};
pub use blueprint::Blueprint;
pub use context::Context;
pub use decorator::{Decorator, MethodDecorators, Next};
pub use error::{Error, ErrorKind, Result};
pub use handler::FromContext;
pub use loader::{
    ParamConverter, list_loader, one_of, param_converter, parsed, patch_loader, post_loader, put_loader,
};
pub use operation::{ALL_METHODS, CREATE, DELETE, GET, HEAD, LIST, Operation, Operations, PATCH, PUT};
pub use reply::Reply;
pub use representation::{Representation, Representations};
pub use resource::ModelResource;
pub use server::{Server, serve, shutdown_signal};
pub use url::Params;

pub use jiff::Timestamp;
pub use jiff::civil::{Date, Time};
pub use rust_decimal::Decimal;
pub use uuid::Uuid;

/// What the attributes expand to; not for direct use.
#[doc(hidden)]
pub mod expand {
    pub use crate::api::Route;
    pub use crate::context::Context;
    pub use crate::error::Result;
    pub use crate::handler::{Argument, Overrides, op, refuse_untaken_errors};
    pub use crate::operation::Operation;
    pub use crate::reply::{IntoReply, Reply};
    pub use crate::resource::{ModelResource, Registration, loads};

    /// A boxed future.
    pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

    /// The ways in which types become arguments and replies.
    pub mod via {
        pub use crate::handler::via as argument;
        pub use crate::reply::via as reply;
    }
}
