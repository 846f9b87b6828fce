//! HTML pages: a list, an object or an error as a page for people, made from the JSON response of the same URL.

mod content;
mod render;
mod settings;

pub(crate) use content::{CsrfToken, Fetch, PageContent, PageRequest, PageView};
pub(crate) use render::render;
pub use settings::Pages;
pub(crate) use settings::{Asset, CompiledPages};
