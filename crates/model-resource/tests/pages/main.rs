//! HTML pages of an api.

mod content;
mod forms;
mod negotiation;
mod row_permissions;
mod settings;
mod slow_lists;
