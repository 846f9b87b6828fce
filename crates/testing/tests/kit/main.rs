//! The test kit, used as applications use it. The databases are those of `TEST_DATABASE`.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod accounts;
mod assertions;
mod databases;
mod library;
mod time;
