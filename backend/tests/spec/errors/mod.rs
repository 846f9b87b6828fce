//! Errors.

mod error_format;
mod failures;
mod malformed_bodies;
mod validation;
