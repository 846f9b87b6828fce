//! An object that is not saved yet: each column set or not, over the row it changes, if any.

mod any_draft;
mod saving;
mod typed;

pub use any_draft::AnyDraft;
pub use saving::Changes;
pub use typed::Draft;
