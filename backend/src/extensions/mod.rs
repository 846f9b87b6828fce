//! The framework's parts, configured for this application.

pub mod api;
