//! The parts of the framework that this application sets up once.

pub mod api;
