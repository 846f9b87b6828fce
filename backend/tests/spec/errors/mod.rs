//! Errors.

mod answers;
mod failures;
mod strange_bodies;
mod validation;
