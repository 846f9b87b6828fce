//! Resources and views: their declaration, and the chains that they are compiled to at startup.

mod blueprint;
mod components;
mod compose;
mod definition;
mod view;

pub use blueprint::Blueprint;
pub use components::Components;
pub use definition::{ModelResource, Registration, loads};
pub use view::{SharedDecorator, View, shared, shared_guard};

pub(crate) use components::{PolicyEntry, SerializerEntry};
pub(crate) use compose::{DefaultAccess, Endpoints};
pub(crate) use definition::short_name;
pub(crate) use view::view_chain;
