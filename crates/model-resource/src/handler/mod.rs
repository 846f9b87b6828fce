//! Handlers: the default one of each operation, and the arguments that custom ones take.

mod argument;
mod default;
mod json_body;
mod overrides;
mod state;

pub use argument::{Argument, FromContext, check_untaken_errors, op, via};
pub use json_body::JsonBody;
pub use overrides::Overrides;
pub use state::WithState;

pub(crate) use argument::ModelOf;
pub(crate) use default::default_handler;
