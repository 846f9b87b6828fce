//! The reference application of model-resource: articles, comments, tags, and the users who write them.

pub mod api;
pub mod app;
pub mod audit;
pub mod extensions;
pub mod models;
pub mod policies;
pub mod security;
mod seed;
pub mod serializers;
pub mod views;
