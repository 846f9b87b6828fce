//! Page of a view, and of a URL that cannot be read: the forms of its methods.

mod page;
mod schema_fields;

pub(crate) use page::view_page;
