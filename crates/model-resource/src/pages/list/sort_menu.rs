//! Order of a list by several columns, and links to other orders.

use serde::Serialize;

use crate::pages::frame::PageLink;
use crate::pages::list::columns::ListColumn;
use crate::pages::naming;
use crate::pages::urls::PageQuery;
use crate::query::QUERY_LIMITS;

/// Column that a list is sorted by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SortedBy {
    pub(crate) name: String,
    pub(crate) is_descending: bool,
}

impl SortedBy {
    /// Word for the direction, as in `aria-sort`.
    pub(crate) fn direction(&self) -> &'static str {
        if self.is_descending {
            "descending"
        } else {
            "ascending"
        }
    }
}

/// Columns that the request sorts by, the first one first.
pub(crate) fn sorted_by(query: &PageQuery) -> Vec<SortedBy> {
    let keys = query.get("sort").unwrap_or_default().split(',');
    let keys = keys.filter(|key| !key.is_empty()).map(|key| SortedBy {
        name: key.strip_prefix('-').unwrap_or(key).to_owned(),
        is_descending: key.starts_with('-'),
    });
    keys.collect()
}

/// Link to the list in another order.
pub(crate) fn sort_url(query: &PageQuery, path: &str, keys: &[SortedBy]) -> String {
    let rest = query.without(&["sort", "page", "cursor", "offset"]);
    let keys = keys.iter().map(|key| {
        let sign = if key.is_descending { "-" } else { "" };
        format!("{sign}{}", key.name)
    });
    match keys.collect::<Vec<_>>().join(",") {
        sort if sort.is_empty() => rest.url(path),
        sort => rest.with("sort", sort).url(path),
    }
}

/// Link of a column's heading: sorts by the column alone, or reverses its order and then leaves it out, beside others.
pub(crate) fn heading_url(query: &PageQuery, path: &str, name: &str) -> String {
    let mut keys = sorted_by(query);
    match keys.iter().position(|key| key.name == name) {
        Some(position) if keys[position].is_descending => {
            keys.remove(position);
        }
        Some(position) => keys[position].is_descending = true,
        None => {
            keys = vec![SortedBy {
                name: name.to_owned(),
                is_descending: false,
            }];
        }
    }
    sort_url(query, path, &keys)
}

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
            let column = columns.iter().find(|column| column.name == key.name);
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
            !column.order.is_empty() && !keys.iter().any(|key| key.name == column.name)
        };
        let more = columns.iter().filter(is_free).map(|column| {
            let mut longer = keys.clone();
            longer.push(SortedBy {
                name: column.name.clone(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(sort: &str) -> PageQuery {
        PageQuery(vec![
            ("sort".to_owned(), sort.to_owned()),
            ("page".to_owned(), "2".to_owned()),
        ])
    }

    #[test]
    fn a_heading_changes_its_own_column_beside_others() {
        let url = |sort: &str, name: &str| heading_url(&sorted(sort), "/a", name);
        assert_eq!(url("", "title"), "/a?sort=title");
        assert_eq!(url("id,title", "title"), "/a?sort=id,-title");
        assert_eq!(url("id,-title", "title"), "/a?sort=id");
        assert_eq!(url("-title", "title"), "/a");
        assert_eq!(url("id,-title", "stock"), "/a?sort=stock");
    }
}
