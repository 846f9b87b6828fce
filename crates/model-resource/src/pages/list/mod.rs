//! Page of a list: table, order, search, filters, pagination and changes of several rows.

mod active_filters;
mod columns;
mod filter_names;
mod filters;
mod groups;
mod import;
mod order;
mod page;
mod pager;
mod quick_filters;
mod rows;
mod several;
mod sort_menu;
mod table;

pub(crate) use columns::{ListColumn, all_columns, default_columns, related_columns};
pub(crate) use filter_names::filter_name;
pub(crate) use groups::groups_page;
pub(crate) use import::import_page;
pub(crate) use page::{list_page, references};
pub(crate) use table::{TableRows, push_table};
