//! Page of a list: table, order, search, filters, pagination and changes of several rows.

mod active_filters;
mod columns;
mod filters;
mod page;
mod pager;
mod table;

pub(crate) use page::list_page;
