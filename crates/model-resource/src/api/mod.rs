//! The api: what an application registers, and the service made of it.

mod build;
mod builder;
mod declared;
mod head;
mod item_columns;
mod lingering;
mod listing;
mod negotiation;
mod route_checks;
mod route_table;
mod scope;
mod security;
mod service;
mod url_binding;
mod validity;
mod view;

pub use builder::Api;
pub use listing::RouteInfo;
pub use service::ApiService;
pub use view::{SharedDecorator, View, shared, shared_guard};
