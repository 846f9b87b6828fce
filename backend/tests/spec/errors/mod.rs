//! Errors.

mod answers;
mod codes;
mod failures;
mod strange_bodies;
mod validation;
