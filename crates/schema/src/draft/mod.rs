//! Drafts: unsaved objects or changes of rows, with each column set or unset.

mod any_draft;
mod children;
mod conditions;
mod saving;
mod typed;

pub use any_draft::{AnyDraft, ChildDraft, ChildDrafts, ChildPlace};
pub use saving::Changes;
pub use typed::Draft;
