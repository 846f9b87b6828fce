//! Drafts: unsaved objects or changes of rows, with each column set or unset.

mod any_draft;
mod saving;
mod typed;

pub use any_draft::AnyDraft;
pub use saving::Changes;
pub use typed::Draft;
