//! Turns database models into REST resources with automatic create, read, update and delete endpoints.
//!
//! A model is a plain struct, a serializer defines its JSON, and a resource serves it at URLs. The api with all of them
//! is mounted into an axum router, or is one itself:
//!
//! ```no_run
//! use model_resource::{Api, Model, ModelSerializer, Store, model_resource, serve, serializer};
//!
//! #[derive(Model)]
//! struct Planet {
//!     #[column(primary_key)]
//!     id: i64,
//!     #[column(unique, min_length = 1)]
//!     name: String,
//!     #[column(min = 0)]
//!     moons: i32,
//! }
//!
//! struct PlanetSerializer;
//!
//! #[serializer]
//! impl ModelSerializer for PlanetSerializer {
//!     type Model = Planet;
//! }
//!
//! #[model_resource(Planet, "/planets", "/planets/<int:id>")]
//! struct PlanetResource;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let api = Api::new("astronomy")
//!         .prefix("/api/v1")
//!         .serializer::<PlanetSerializer>()
//!         .model_resource::<PlanetResource>();
//!     let store = Store::open("sqlite:planets.db").await?;
//!     store.create_tables(&api.tables()).await?;
//!
//!     let app = axum::Router::new().route("/", axum::routing::get(|| async { "Hello!" }));
//!     serve("127.0.0.1:8000", api.store(store).init_app(app)).await?;
//!     Ok(())
//! }
//! ```
//!
//! `GET` and `POST /api/v1/planets` list and create; `GET`, `PUT`, `PATCH` and `DELETE /api/v1/planets/1` read, update
//! and delete. From there:
//!
//! - [`Model`](macro@Model) for the types and options of columns,
//! - [`ModelSerializer`] for extra, computed and nested fields and for custom validation,
//! - [`macro@model_resource`] and [`ModelResource`] for custom operations and the choice among the automatic ones,
//! - [`Decorator`] for middleware around an operation, such as authorization,
//! - [`Representation`] for media types other than JSON,
//! - [`Store`] and [`Transaction`] for database access in handlers,
//! - [`macro@route`] for single views.
//!
//! Each has a complete small application in the folder `examples`.

mod api;
mod api_state;
mod authenticate;
mod batch;
mod blueprint;
mod body;
mod bulk;
mod caller;
mod client_address;
mod components;
mod context;
mod cors;
mod cpu_bound;
mod decorator;
mod dispatch;
mod endpoints;
mod error;
mod handler;
mod into_reply;
mod loader;
mod loading;
mod operation;
mod payload;
mod policy;
mod prefer;
mod query;
mod reply;
mod reply_object;
mod representation;
mod resource;
mod respond;
mod route;
mod serializer;
mod server;
mod throttle;
mod timeout;
mod timer;
mod url;

pub use model_resource_macros::{ColumnEnum, Model, model_resource, route, serializer};
pub use model_resource_schema as schema;
pub use model_resource_schema::column_type::Json;
pub use model_resource_schema::draft::Draft;
pub use model_resource_schema::errors::Errors;
pub use model_resource_schema::fields;
pub use model_resource_schema::message::Message;
pub use model_resource_schema::model::Model;
pub use model_resource_schema::query::{Columns, OrderBy, Where};
pub use model_resource_schema::serializer::{
    Envelope, ExtraField, Fields, ModelSerializer, SerializerFields, WrappedSerializer, WriteMode,
};
pub use model_resource_store as store;
pub use model_resource_store::{Query, Store, Transaction};

pub use api::{Api, ApiService, RouteInfo, RunError};
pub use authenticate::Authenticate;
pub use batch::{Batch, BatchErrors, ValidateBatch};
pub use blueprint::Blueprint;
pub use caller::Caller;
pub use client_address::{ForwardedHeader, IpNetwork};
pub use context::Context;
pub use cors::{Cors, Origin};
pub use cpu_bound::run_cpu_bound;
pub use decorator::{Decorator, MethodDecorators, Next, UrlParameter, guard};
pub use error::{Error, ErrorKind, Result};
pub use handler::{FromContext, JsonBody};
pub use into_reply::IntoReply;
pub use loader::{
    ParamConverter, list_loader, one_of, param_converter, parse, patch_loader, post_loader, put_loader,
};
pub use operation::{ALL_METHODS, CREATE, DELETE, GET, HEAD, LIST, Operation, Operations, PATCH, PUT};
pub use policy::ModelPolicy;
pub use query::QuerySyntax;
pub use reply::{Reply, ReplyContent};
pub use representation::{Representation, Representations};
pub use resource::ModelResource;
pub use serializer::Serializer;
pub use server::{HttpService, Server, serve, shutdown_signal};
pub use throttle::{Rate, Throttle, throttle};
pub use url::Params;

pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use jiff::Timestamp;
pub use jiff::civil::{Date, Time};
pub use rust_decimal::Decimal;
pub use uuid::Uuid;

/// Items that the attributes expand to; not for direct use.
#[doc(hidden)]
pub mod expand {
    pub use crate::api::{SharedDecorator, View, shared, shared_guard};
    pub use crate::components::Components;
    pub use crate::context::Context;
    pub use crate::error::Result;
    pub use crate::handler::{Argument, Overrides, WithState, check_untaken_errors, op};
    pub use crate::into_reply::returned;
    pub use crate::operation::Operation;
    pub use crate::reply::Reply;
    pub use crate::resource::{ModelResource, Registration, loads};

    /// A boxed future.
    pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

    /// Markers that keep the implementations for arguments and replies apart.
    pub mod via {
        pub use crate::handler::via as argument;
        pub use crate::into_reply::via as reply;
    }
}

/// README and documentation pages, whose examples run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/guide/axum.md")]
    struct Axum;

    #[doc = include_str!("../../../docs/guide/bulk.md")]
    struct Bulk;

    #[doc = include_str!("../../../docs/guide/coming-from-django.md")]
    struct ComingFromDjango;

    #[doc = include_str!("../../../docs/guide/decorators.md")]
    struct Decorators;

    #[doc = include_str!("../../../docs/guide/hardening.md")]
    struct Hardening;

    #[doc = include_str!("../../../docs/guide/lists.md")]
    struct Lists;

    #[doc = include_str!("../../../docs/guide/models.md")]
    struct Models;

    #[doc = include_str!("../../../docs/guide/policies.md")]
    struct Policies;

    #[doc = include_str!("../../../docs/guide/queries.md")]
    struct Queries;

    #[doc = include_str!("../../../docs/guide/authentication.md")]
    struct Authentication;

    #[doc = include_str!("../../../docs/guide/serializers.md")]
    struct Serializers;
}
