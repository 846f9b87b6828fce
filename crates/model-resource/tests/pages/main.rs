//! HTML pages of an api.

mod content;
mod forms;
mod negotiation;
mod settings;
mod slow_lists;
