//! Resources and views: their declaration, and the chains that they are compiled to at startup.

mod blueprint;
mod built_in_view;
mod components;
mod compose;
mod definition;
mod list_options;
mod method_decorators;
mod restore;
mod spec;
mod upserts;
mod view;
mod view_spec;

pub use blueprint::Blueprint;
pub use components::Components;
pub use definition::{ModelResource, Registration, loads};
pub use method_decorators::MethodDecorators;
pub use view::{SharedDecorator, View, shared, shared_guard};
pub use view_spec::ViewSpec;

pub(crate) use built_in_view::BuiltInView;
pub(crate) use components::{PolicyEntry, SerializerEntry};
pub(crate) use compose::{ComposeEnv, ResourceOperations, compose};
pub(crate) use definition::short_name;
pub(crate) use restore::compose_restore;
pub(crate) use spec::ResourceSpec;
pub(crate) use upserts::is_assigned;
pub(crate) use view::view_chain;
