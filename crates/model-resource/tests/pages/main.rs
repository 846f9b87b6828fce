//! HTML pages of an api.

mod content;
mod negotiation;
mod settings;
