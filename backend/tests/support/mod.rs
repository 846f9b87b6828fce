//! A real server on a real socket and a real database file, and a client for it.

#![allow(dead_code, unreachable_pub, reason = "each test target uses a part of it")]

mod client;
mod process;
mod refusal;
mod server;

pub use client::{Client, Response};
pub use process::Process;
pub use refusal::refusal;
pub use server::TestApp;
