//! The api: registration by the application, and the service that it compiles to.

mod builder;
mod compile;
mod declared;
mod drain;
mod head;
mod item_columns;
mod negotiation;
mod route_checks;
mod route_info;
mod route_table;
mod run;
mod scope;
mod security;
mod service;
mod url_binding;
mod validity;
mod view;

pub use builder::Api;
pub use route_info::RouteInfo;
pub use run::RunError;
pub use service::ApiService;
pub use view::{SharedDecorator, View, shared, shared_guard};
