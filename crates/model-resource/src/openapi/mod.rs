//! OpenAPI 3.1 document of an api, made from its description.

mod body_texts;
mod components;
mod content;
mod data_type;
#[cfg(feature = "docs")]
mod docs;
mod document;
mod errors;
mod example;
mod field;
mod filter;
mod groups;
mod handler;
mod info;
mod json;
mod json_patch;
mod json_writer;
mod keywords;
mod list_parameters;
mod merge;
mod names_parameter;
mod nested;
mod objects;
mod operation;
mod operation_id;
mod path;
mod pattern;
mod register;
mod responses;
mod security;
mod settings;
mod shared_parts;
mod view;

pub use info::OpenApiInfo;

pub(crate) use settings::OpenApiSettings;
