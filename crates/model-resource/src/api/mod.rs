//! The api: registration by the application, and the service that it compiles to.

mod builder;
mod compile;
mod declared;
mod item_columns;
mod negotiation;
mod resolved_url;
mod route_checks;
mod route_info;
mod route_table;
mod run;
mod scope;
mod security;

pub use builder::Api;
pub use route_info::RouteInfo;
pub use run::RunError;
