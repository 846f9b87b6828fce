//! HTML pages of an api.

mod caching;
mod content;
mod diagnostics;
mod failures;
mod form_fields;
mod forms;
mod large_responses;
mod lists;
mod mounted;
mod negotiation;
mod row_permissions;
mod settings;
mod slow_lists;
