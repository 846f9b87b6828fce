//! Errors.

mod answers;
mod codes;
mod failures;
mod validation;
