//! The api: registration by the application, and the service that it compiles to.

mod authorization;
mod builder;
mod built_in_routes;
mod bulk_urls;
mod compile;
mod compiled;
mod compiled_routes;
mod declared;
mod describe;
mod events;
mod health;
mod network;
mod observe;
#[cfg(feature = "openapi")]
mod openapi_settings;
#[cfg(feature = "pages")]
mod page_checks;
mod part;
mod query_budget;
mod register;
mod registered;
mod representations;
mod resolved_url;
mod route_checks;
mod route_table;
mod routes;
#[cfg(feature = "server")]
mod run;
mod scope;
mod startup_errors;
mod urls;

pub use builder::Api;
pub use compiled::CompiledApi;
pub use part::ApiPart;
#[cfg(feature = "server")]
pub use run::RunError;
pub use startup_errors::StartupErrors;
