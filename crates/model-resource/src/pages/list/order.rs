//! Order of a list by several columns, and links to other orders.

use crate::pages::urls::PageQuery;

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

    /// Parses a key of `sort`.
    pub(crate) fn parse(key: &str) -> Self {
        Self {
            name: key.strip_prefix('-').unwrap_or(key).to_owned(),
            is_descending: key.starts_with('-'),
        }
    }
}

/// Columns that the request sorts by, the first one first.
pub(crate) fn sorted_by(query: &PageQuery) -> Vec<SortedBy> {
    let keys = query.get("sort").unwrap_or_default().split(',');
    keys.filter(|key| !key.is_empty()).map(SortedBy::parse).collect()
}

/// Link to the list in another order.
pub(crate) fn sort_url(query: &PageQuery, path: &str, keys: &[SortedBy]) -> String {
    let rest = query.first_page().without(&["sort"]);
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
/// `default` is the order without `sort`, whose first column is reversed too.
pub(crate) fn heading_url(query: &PageQuery, path: &str, name: &str, default: &[SortedBy]) -> String {
    let mut keys = sorted_by(query);
    let is_first = |key: &&SortedBy| keys.is_empty() && key.name == name;
    let is_reversed = default
        .first()
        .filter(is_first)
        .is_some_and(|key| !key.is_descending);
    match keys.iter().position(|key| key.name == name) {
        Some(position) if keys[position].is_descending => {
            keys.remove(position);
        }
        Some(position) => keys[position].is_descending = true,
        None => {
            keys = vec![SortedBy {
                name: name.to_owned(),
                is_descending: is_reversed,
            }];
        }
    }
    sort_url(query, path, &keys)
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
        let url = |sort: &str, name: &str| heading_url(&sorted(sort), "/a", name, &[]);
        assert_eq!(url("", "title"), "/a?sort=title");
        assert_eq!(url("id,title", "title"), "/a?sort=id,-title");
        assert_eq!(url("id,-title", "title"), "/a?sort=id");
        assert_eq!(url("-title", "title"), "/a");
        assert_eq!(url("id,-title", "stock"), "/a?sort=stock");
    }

    #[test]
    fn a_heading_reverses_the_order_without_sort() {
        let url = |default: &str, sort: &str| {
            heading_url(&sorted(sort), "/a", "title", &[SortedBy::parse(default)])
        };
        assert_eq!(url("title", ""), "/a?sort=-title");
        assert_eq!(url("-title", ""), "/a?sort=title");
        assert_eq!(url("title", "id"), "/a?sort=title");
        assert_eq!(url("title", "-title"), "/a");
    }
}
