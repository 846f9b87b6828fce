//! Page of an object: its values, what it refers to, and the lists below it.

mod children;
mod delete;
mod joined;
mod page;
mod related_tables;
mod states;

pub(crate) use delete::delete_page;
pub(crate) use page::{object_label, object_page};
