//! Access matrices of small applications.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod clinic;
mod gallery;
mod mistakes;
mod page;
