//! Forms that create and change objects, and that call views.

mod field;
mod page;

pub(crate) use page::{edit_page, new_page};
