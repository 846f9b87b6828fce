//! OpenAPI 3.1 document of an api, made from its description.

mod info;
mod register;
mod view;

pub use info::OpenApiInfo;
