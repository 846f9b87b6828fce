//! Menu that sorts a list by several columns.

use serde::Serialize;

use crate::pages::frame::PageLink;
use crate::pages::list::columns::ListColumn;
use crate::pages::list::order::{SortedBy, sort_url, sorted_by};
use crate::pages::naming;
use crate::pages::urls::PageQuery;
use crate::query::QUERY_LIMITS;

/// Menu with the order of a list.
#[derive(Debug, Serialize, Default)]
pub(crate) struct SortMenu {
    /// Columns of the order, the first one first.
    pub(crate) keys: Vec<SortMenuKey>,
    /// Links that sort by one column more.
    pub(crate) more: Vec<PageLink>,
}

/// Column of the order in a menu.
#[derive(Debug, Serialize)]
pub(crate) struct SortMenuKey {
    pub(crate) label: String,
    pub(crate) direction: &'static str,
    pub(crate) reverse_url: String,
    pub(crate) remove_url: String,
}

impl SortMenu {
    pub(crate) fn new(query: &PageQuery, path: &str, columns: &[ListColumn]) -> Self {
        let keys = sorted_by(query);
        let menu_keys = keys.iter().enumerate().map(|(position, key)| {
            let column = columns.iter().find(|column| column.sort_name == key.name);
            let (mut reversed, mut removed) = (keys.clone(), keys.clone());
            reversed[position].is_descending = !key.is_descending;
            removed.remove(position);
            SortMenuKey {
                label: column.map_or_else(|| naming::words(&key.name), |column| column.label.clone()),
                direction: key.direction(),
                reverse_url: sort_url(query, path, &reversed),
                remove_url: sort_url(query, path, &removed),
            }
        });
        let is_free = |column: &&ListColumn| {
            !column.order.is_empty() && !keys.iter().any(|key| key.name == column.sort_name)
        };
        let more = columns.iter().filter(is_free).map(|column| {
            let mut longer = keys.clone();
            longer.push(SortedBy {
                name: column.sort_name.clone(),
                is_descending: false,
            });
            PageLink {
                label: column.label.clone(),
                url: sort_url(query, path, &longer),
                is_current: false,
            }
        });
        Self {
            more: if keys.len() < QUERY_LIMITS.sort_keys {
                more.collect()
            } else {
                Vec::new()
            },
            keys: menu_keys.collect(),
        }
    }
}
