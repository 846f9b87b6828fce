//! HTML pages of an api.

mod content;
mod negotiation;
mod settings;
mod slow_lists;
