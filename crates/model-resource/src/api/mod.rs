//! The api: what an application registers, and the service made of it.

mod build;
mod builder;
mod front;
mod lingering;
mod listing;
mod place;
mod view;

pub use builder::Api;
pub use listing::RouteLine;
pub use view::View;
