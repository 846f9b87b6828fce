//! Random list queries, compared with an evaluation in memory.

use std::cmp::Ordering;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};

use crate::oracle::{Expected, Type, compare};
use crate::sample_articles::link;
use crate::strategies::{CASES, Field, condition, found, runner, seed};
use crate::support::BackendApp;

/// The resource to query at random.
pub(crate) struct ComparedResource<'a> {
    pub(crate) app: &'a BackendApp,
    pub(crate) url: &'a str,
    pub(crate) rows: Vec<Value>,
    pub(crate) fields: &'static [Field],
    pub(crate) sortable: Vec<Field>,
    /// Fields that `q` searches.
    pub(crate) search: &'static [&'static str],
}

/// Sends random filters in random orders, as a whole list and page by page, with every kind of pagination.
pub(crate) async fn compare_random_queries(compared: ComparedResource<'_>) {
    let ComparedResource { app, url, rows, .. } = &compared;
    let mut runner = runner();
    let conditions = prop::collection::vec(condition(rows, compared.fields), 0..=3);
    let keys = prop::collection::vec((select(compared.sortable.clone()), any::<bool>()), 0..=3);
    let words = vec!["a", "BETA", "%", "about a", "ü"];
    let query = (
        conditions,
        keys,
        any::<Option<bool>>(),
        1..=7usize,
        select(words),
        any::<bool>(),
    );
    for number in 0..CASES {
        let (mut conditions, keys, nulls, limit, words, searches) =
            query.new_tree(&mut runner).unwrap().current();
        if keys.is_empty() && nulls.is_some() {
            continue;
        }
        let mut parameters = Vec::new();
        for (position, condition) in conditions.iter().enumerate() {
            match condition.repeated() {
                Some(repeated) if position == 0 => parameters.extend(repeated),
                _ => parameters.push(condition.written()),
            }
        }
        // Repeated parameters would be combined, or rejected.
        let mut names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names
            .windows(2)
            .any(|pair| pair[0] == pair[1] && pair[0].contains('['))
        {
            continue;
        }
        if searches && !compared.search.is_empty() {
            parameters.push(("q".to_owned(), words.to_owned()));
            conditions.extend(words.split(' ').map(|word| {
                let test =
                    |field: &&'static str| Expected::Test(field, Type::Text, "icontains", vec![json!(word)]);
                Expected::Any(compared.search.iter().map(test).collect())
            }));
        }
        let all = Expected::All(conditions);
        let expected = rows.iter().filter(|row| all.holds(row)).cloned().collect();
        let expected = ids(&Value::Array(sorted(expected, &keys, nulls)));
        if !keys.is_empty() {
            let name =
                |((path, _), descends): &(Field, bool)| format!("{}{path}", if *descends { "-" } else { "" });
            let names: Vec<String> = keys.iter().map(name).collect();
            parameters.push(("sort".to_owned(), names.join(",")));
            if let Some(first) = nulls {
                let nulls = if first { "first" } else { "last" };
                parameters.push(("nulls".to_owned(), nulls.to_owned()));
            }
        }
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs = parameters
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        let query = format!("{url}?fields=id&{}", pairs.collect::<Vec<_>>().join("&"));
        let context = |way: &str| format!("{way} of {parameters:?} with RANDOM_SEED={}", seed());
        let list = app.get(&query).await.expect(200).json();
        assert_eq!(ids(&list), expected, "{}", context("all"));
        let first = format!("{query}&cursor=&limit={limit}");
        assert_eq!(
            walk(app, &first, "next").await.concat(),
            expected,
            "{}",
            context("cursors")
        );
        let (way, pages) = match number % 3 {
            0 => {
                let page = app.get(&first).await.expect(200);
                let mut pages = walk(app, &link(&page, "last").unwrap(), "prev").await;
                pages.reverse();
                ("cursors backwards", pages)
            }
            1 => {
                let first = format!("{query}&pageSize={limit}");
                let page = app.get(&first).await.expect(200);
                assert_eq!(page.header("x-total-count"), expected.len().to_string());
                ("pages", walk(app, &first, "next").await)
            }
            _ => {
                let first = format!("{query}&limit={limit}&count=exact");
                let page = app.get(&first).await.expect(200);
                let mut pages = walk(app, &link(&page, "last").unwrap(), "prev").await;
                pages.reverse();
                ("offsets backwards", pages)
            }
        };
        assert_eq!(pages.concat(), expected, "{}", context(way));
    }
}

fn ids(list: &Value) -> Vec<Value> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].clone()).collect()
}

/// Returns the ids of all pages from a URL on, following the links of this relation.
async fn walk(app: &BackendApp, url: &str, relation: &str) -> Vec<Vec<Value>> {
    let (mut pages, mut next) = (Vec::new(), Some(url.to_owned()));
    while let Some(url) = next {
        let response = app.get(&url).await.expect(200);
        pages.push(ids(&response.json()));
        next = link(&response, relation);
        assert!(pages.len() <= 50, "the pages are cyclic");
    }
    pages
}

/// Sorts the rows by the requested keys, as far as their fields determine the order.
fn sorted(mut rows: Vec<Value>, keys: &[(Field, bool)], nulls: Option<bool>) -> Vec<Value> {
    rows.sort_by(|one, other| {
        let descends = keys.last().is_some_and(|(_, descends)| *descends);
        let id = (
            (
                "id",
                if one["id"].is_number() {
                    Type::Number
                } else {
                    Type::Text
                },
            ),
            descends,
        );
        for ((path, ty), descends) in keys.iter().chain([&id]) {
            let [one, other] =
                [one, other].map(|row| found(row, path).into_iter().next().unwrap_or(Value::Null));
            let nulls_first = nulls.unwrap_or(*descends);
            let order = match (one.is_null(), other.is_null()) {
                (true, true) => Ordering::Equal,
                (true, false) if nulls_first => Ordering::Less,
                (true, false) => Ordering::Greater,
                (false, true) if nulls_first => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    let order = compare(&one, &other, *ty).unwrap();
                    if *descends { order.reverse() } else { order }
                }
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    });
    rows
}
