//! Turns database models into REST resources with automatic create, read, update and delete endpoints.
//!
//! A model is a plain struct, and a resource serves it at URLs; a serializer changes its JSON. The api is served by
//! itself or mounted into an axum router:
//!
//! ```no_run
//! use model_resource::{Api, Model, Store, model_resource, serve};
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
//! #[model_resource(Planet, "/planets", "/planets/<int:id>")]
//! struct PlanetResource;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let api = Api::new("astronomy")
//!         .prefix("/api/v1")
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
//! and delete. See also:
//!
//! - [`Model`](macro@Model) for the types and options of columns,
//! - [`ModelSerializer`] for extra, computed and nested fields and for custom validation,
//! - [`ModelPolicy`] for the rows and columns that a caller may read and write,
//! - [`macro@model_resource`] and [`ModelResource`] for custom operations and the choice among the automatic ones,
//! - [`Decorator`] for middleware around an operation, such as authorization,
//! - [`Representation`] for media types other than JSON,
//! - [`Context`] for reads and writes in handlers, as the caller,
//! - [`Api::on_change`] and [`Api::after_change`] for code that runs at every write of a model,
//! - [`Store`] and [`Transaction`] for database access without policies,
//! - [`macro@route`] for single views.
//!
//! The folder `examples` has complete small applications, and `docs/index.md` of the repository lists the guides.
//!
//! Applications use the names at the root of this crate. The modules [`schema`] and [`store`] are for tools and
//! extensions: metadata of columns, wire formats, type-erased queries, query plans. They may change in any version, apart
//! from [`store::StoreError`], [`store::StoreResult`] and the error codes of `schema::message::code`.
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `sqlite`, `postgres` | the databases |
//! | `tls` | TLS connections to PostgreSQL |
//! | `server` | the HTTP server, [`serve`] and [`Api::run`] |
//! | `csv` | lists and imports as CSV |
//! | `openapi` | [`Api::openapi`] |
//! | `docs` | `Api::docs`, Swagger UI of the OpenAPI document |
//! | `pages` | HTML pages for people |
//! | `prometheus` | the exposition of metrics |
//! | `log` | a log on the standard error output |
//! | `compression` | compressed responses and request bodies |
//! | `chrono`, `time` | fields with the date and time types of these crates |
//!
//! `sqlite`, `server`, `csv`, `openapi`, `docs`, `pages` and `compression` are enabled by default. `model-resource-cli`
//! enables `prometheus` and `log`.

#![cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unused_imports,
        reason = "limits of connections are those of the server"
    )
)]

mod access;
mod api;
mod bulk;
mod conditional;
mod deferred_operation;
mod description;
mod dry_run;
mod events;
mod handle;
mod health;
mod http;
mod idempotency;
mod keyed_digest;
mod list;
mod load;
mod observe;
#[cfg(feature = "openapi")]
mod openapi;
#[cfg(feature = "pages")]
mod pages;
mod pipeline;
#[cfg(feature = "prometheus")]
mod prometheus;
mod query;
mod render;
mod resource;
#[cfg(any(feature = "openapi", feature = "pages"))]
mod resource_index;
mod routing;
#[cfg(feature = "server")]
mod server;
mod server_state;
mod throttle;
mod upsert;

pub use model_resource_macros::{
    ColumnEnum, ColumnGroup, ColumnType, Model, migrations, model_resource, route, serializer,
};
pub use model_resource_schema as schema;
pub use model_resource_schema::calendar::now;
pub use model_resource_schema::clock::{Clock, ManualClock};
pub use model_resource_schema::column::Table;
pub use model_resource_schema::column_type::{ColumnType, TypeMismatch};
pub use model_resource_schema::data_type::DataType;
pub use model_resource_schema::draft::Draft;
pub use model_resource_schema::errors::Errors;
pub use model_resource_schema::json_column::{AnyJson, Json};
pub use model_resource_schema::message::Message;
pub use model_resource_schema::model::{Field, Model};
pub use model_resource_schema::query::{Aggregate, Columns, GroupValue, OrderBy, RowScope, Where};
pub use model_resource_schema::serializer::{
    DefaultSerializer, Envelope, ExtraField, ModelSerializer, SerializerFields, WrappedSerializer, WriteMode,
};
pub use model_resource_schema::value::ValueRef;
pub use model_resource_store as store;
#[cfg(feature = "postgres")]
pub use model_resource_store::PostgresClient;
#[cfg(feature = "sqlite")]
pub use model_resource_store::rusqlite;
#[cfg(feature = "postgres")]
pub use model_resource_store::tokio_postgres;
pub use model_resource_store::{GroupRow, Migrations, Query, Sql, SqlDialect, SqlRow, Store, Transaction};

pub use crate::http::{ApiService, Cors, ForwardedHeader, IpNetwork, Origin};
#[doc(hidden)]
pub use access::KnownCallers;
pub use access::{ActionAccess, Authenticate, Caller, CredentialScheme, CsrfToken, ModelPolicy, guard};
#[cfg(feature = "server")]
pub use api::RunError;
pub use api::{Api, ApiPart, CompiledApi, StartupErrors};
pub use description::{
    ActionDescription, ApiDescription, DescriptionKey, FilterDescription, GroupValueDescription,
    HandlerSchemas, ListDescription, ModelDescription, ParameterDescription, PolicyDescription,
    RelationDescription, ReplySchema, ResourceDescription, ResponseDescription, RouteInfo,
};
pub use events::Change;
#[cfg(feature = "openapi")]
pub use handle::schemas::{ObjectOf, json_schema};
pub use handle::{FromContext, IntoReply, JsonBody, Reply, ReplyContent, Serializer};
pub use health::Health;
pub use load::{
    Batch, BatchErrors, ParamConverter, ValidateBatch, ValidateForCaller, list_loader, one_of,
    param_converter, parse, patch_loader, post_loader, put_loader,
};
pub use observe::TraceContext;
#[cfg(feature = "log")]
pub use observe::{LogFormat, LogGuard, LogSettings};
#[cfg(feature = "openapi")]
pub use openapi::OpenApiInfo;
#[cfg(feature = "pages")]
pub use pages::{PageOptions, Pages, RowAction};
pub use pipeline::{
    ApiHandle, Context, Decorator, Error, ErrorKind, Next, Result, UrlParameter, run_cpu_bound,
    run_cpu_bound_at,
};
#[cfg(feature = "prometheus")]
pub use prometheus::{Metrics, MetricsInstalled};
pub use query::QuerySyntax;
pub use render::{Representation, Representations};
pub use resource::{Blueprint, MethodDecorators, ModelResource, ViewSpec};
pub use routing::{ALL_METHODS, CREATE, DELETE, GET, HEAD, LIST, Operation, Operations, PATCH, PUT, Params};
#[cfg(feature = "server")]
pub use server::{HttpService, Server, Shutdown, serve, shutdown_signal};
pub use server_state::ServerState;
pub use throttle::{Rate, Throttle, throttle, unthrottled};

pub use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use jiff::Timestamp;
pub use jiff::civil::{Date, Time};
pub use rust_decimal::Decimal;
#[cfg(feature = "openapi")]
pub use schemars;
pub use uuid::Uuid;

/// Items that the attributes expand to; not for direct use.
#[doc(hidden)]
pub mod expand {
    pub use crate::description::HandlerSchemas;
    pub use crate::handle::{
        Argument, Overrides, Reply, WithState, check_untaken_errors, op, returned, schemas,
    };
    pub use crate::pipeline::{Context, Result};
    pub use crate::resource::{
        Components, ModelResource, Registration, SharedDecorator, View, loads, shared, shared_guard,
    };
    pub use crate::routing::Operation;

    /// A boxed future.
    pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

    /// Markers that keep the implementations for arguments and replies apart.
    pub mod via {
        pub use crate::handle::{reply_via as reply, via as argument};
    }
}
