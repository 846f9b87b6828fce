//! Errors.

mod conflicts;
mod error_codes;
mod failures;
mod validation;
