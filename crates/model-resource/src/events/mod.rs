//! Events of models: subscribers of the application are called for every write.

mod change;
mod raise;
mod subscribers;

pub use change::Change;

pub(crate) use raise::{ChangeLog, EventScope, OnChange, RaisedEvents, after_change};
pub(crate) use subscribers::Subscribers;
