//! Events of models: subscribers of the application hear of every write.

mod change;
mod raise;
mod subscribers;

pub use change::Change;

pub(crate) use raise::{ChangeLog, EventScope, OnChange, RaisedEvents, after_change};
pub(crate) use subscribers::Subscribers;
