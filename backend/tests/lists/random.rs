//! Random queries: they give what an evaluation in memory gives, and no text breaks the server.

use std::cmp::Ordering;

use model_resource::QueryDialect;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::oracle::{Expected, Type, compare, sample_body};
use crate::shelf::{shelf, shelf_for};
use crate::support::TestApp;

const CASES: usize = 300;

type Field = (&'static str, Type);

const SAMPLE_FIELDS: &[Field] = &[
    ("id", Type::Text),
    ("flag", Type::Bool),
    ("small", Type::Number),
    ("number", Type::Number),
    ("big", Type::Number),
    ("single", Type::Number),
    ("ratio", Type::Number),
    ("text", Type::Text),
    ("blob", Type::Opaque),
    ("amount", Type::Decimal),
    ("day", Type::Text),
    ("clock", Type::Text),
    ("moment", Type::Text),
    ("token", Type::Text),
    ("color", Type::Text),
    ("maybeFlag", Type::Bool),
    ("maybeSmall", Type::Number),
    ("maybeBig", Type::Number),
    ("maybeRatio", Type::Number),
    ("maybeText", Type::Text),
    ("maybeBlob", Type::Opaque),
    ("maybeAmount", Type::Decimal),
    ("maybeDay", Type::Text),
    ("maybeClock", Type::Text),
    ("maybeMoment", Type::Text),
    ("maybeToken", Type::Text),
    ("maybeColor", Type::Text),
    ("extra.a.b", Type::Document),
    ("extra.s", Type::Document),
    ("extra.t", Type::Document),
    ("extra.l.1", Type::Document),
    ("maybeExtra.a.b", Type::Document),
    ("extra.none", Type::Document),
];

const ARTICLE_FIELDS: &[Field] = &[
    ("id", Type::Number),
    ("title", Type::Text),
    ("rating", Type::Number),
    ("published", Type::Bool),
    ("categoryId", Type::Number),
    ("category.name", Type::Text),
    ("category.id", Type::Number),
    ("comments.body", Type::Text),
    ("comments.id", Type::Number),
    ("comments.article.title", Type::Text),
];

/// The values that a field has, and some that it has not.
fn values(rows: &[Value], (path, ty): Field) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for row in rows {
        let is = |value: &Value| Expected::Test(path, ty, "eq", vec![value.clone()]).holds(row);
        let known = found(row, path);
        values.extend(known.into_iter().filter(|value| !value.is_null() && is(value)));
    }
    values.extend(match ty {
        Type::Number => vec![json!(1)],
        Type::Decimal => vec![json!("1.0000")],
        Type::Bool => vec![json!(true), json!(false)],
        Type::Document => vec![json!("x"), json!(0), json!(true)],
        Type::Text | Type::Opaque => Vec::new(),
    });
    values
}

fn found(row: &Value, path: &str) -> Vec<Value> {
    let mut found = vec![row.clone()];
    for step in path.split('.') {
        found = found
            .iter()
            .flat_map(|value| match (value, step.parse::<usize>()) {
                (Value::Array(items), Ok(place)) => items.get(place).cloned().into_iter().collect::<Vec<_>>(),
                (Value::Array(items), Err(_)) => {
                    items.iter().filter_map(|item| item.get(step)).cloned().collect()
                }
                (value, _) => value.get(step).cloned().into_iter().collect(),
            })
            .collect();
    }
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    found.into_iter().filter(is_scalar).collect()
}

fn test(rows: &[Value], fields: &'static [Field]) -> BoxedStrategy<Expected> {
    let rows = rows.to_vec();
    let of_field = move |(path, ty): Field| {
        let known = values(&rows, (path, ty));
        let mut operators = vec!["eq", "ne", "in", "nin", "isnull"];
        if !matches!(ty, Type::Bool | Type::Opaque) {
            operators.extend(["gt", "gte", "lt", "lte", "between"]);
        }
        if matches!(
            path,
            "text" | "maybeText" | "title" | "category.name" | "comments.body" | "extra.s"
        ) {
            operators.extend(["contains", "icontains", "startswith", "endswith", "like", "ilike"]);
        }
        let patterns = vec![
            "a", "A", "%", "_", "\\", "\\_", "a%", "%a%", "_lpha", "%\\%%", "ä", "Ä", "", "[a-z]*", "(",
        ];
        (
            select(operators),
            select(known.clone()),
            select(known),
            select(patterns),
            any::<bool>(),
        )
            .prop_map(move |(operator, one, other, pattern, truth)| {
                let values = match operator {
                    "isnull" => vec![json!(truth)],
                    "in" | "nin" => vec![one, other],
                    "between" if compare(&one, &other, ty).is_none() => vec![one.clone(), one],
                    "between" => vec![one, other],
                    "contains" | "icontains" | "startswith" | "endswith" | "like" | "ilike" => {
                        vec![json!(pattern)]
                    }
                    _ => vec![one],
                };
                Expected::Test(path, ty, operator, values)
            })
    };
    select(fields).prop_flat_map(of_field).boxed()
}

fn condition(rows: &[Value], fields: &'static [Field]) -> impl Strategy<Value = Expected> + use<> {
    test(rows, fields).prop_recursive(3, 12, 3, |inner| {
        let some = prop::collection::vec(inner, 1..=3);
        prop_oneof![
            some.clone().prop_map(Expected::All),
            some.clone().prop_map(Expected::Any),
            some.prop_map(Expected::Not),
        ]
    })
}

fn runner() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// The rows in the order that is asked for, as far as it is known by their fields.
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

/// Asks for random conditions in random orders, page by page and as a whole.
async fn ask(app: &TestApp, url: &str, rows: Vec<Value>, fields: &'static [Field], sortable: Vec<Field>) {
    let mut runner = runner();
    let conditions = prop::collection::vec(condition(&rows, fields), 0..=3);
    let keys = prop::collection::vec((select(sortable), any::<bool>()), 0..=3);
    let query = (conditions, keys, any::<Option<bool>>(), 1..=7usize);
    for _ in 0..CASES {
        let (conditions, keys, nulls, limit) = query.new_tree(&mut runner).unwrap().current();
        let all = Expected::All(conditions.clone());
        let expected = rows.iter().filter(|row| all.holds(row)).cloned().collect();
        let expected: Vec<Value> = sorted(expected, &keys, nulls)
            .iter()
            .map(|row| row["id"].clone())
            .collect();
        let mut parameters: Vec<(String, String)> = conditions.iter().map(Expected::written).collect();
        if !keys.is_empty() {
            let name =
                |((path, _), descends): &(Field, bool)| format!("{}{path}", if *descends { "-" } else { "" });
            parameters.push((
                "sort".to_owned(),
                keys.iter().map(name).collect::<Vec<_>>().join(","),
            ));
            if let Some(first) = nulls {
                parameters.push((
                    "nulls".to_owned(),
                    if first { "first" } else { "last" }.to_owned(),
                ));
            }
        }
        if keys.is_empty() && nulls.is_some() {
            continue;
        }
        // The same test twice with `eq` would mean one of both.
        let mut names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names
            .windows(2)
            .any(|pair| pair[0] == pair[1] && pair[0].contains('['))
        {
            continue;
        }
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs = parameters
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        let list = app
            .get(&format!("{url}?fields=id&{query}"))
            .await
            .expect(200)
            .json();
        let ids = |list: &Value| -> Vec<Value> {
            let objects = list.as_array().unwrap().iter();
            objects.map(|object| object["id"].clone()).collect()
        };
        assert_eq!(ids(&list), expected, "{parameters:?}");
        let mut paged = Vec::new();
        let mut next = Some(format!("{url}?fields=id&{query}&cursor=&limit={limit}"));
        while let Some(page) = next {
            let response = app.get(&page).await.expect(200);
            paged.extend(ids(&response.json()));
            let mut links = response.header("link").split(", ");
            let link = links.find_map(|link| link.strip_suffix("; rel=\"next\""));
            next = link.map(|link| link.trim_matches(['<', '>']).to_owned());
        }
        assert_eq!(paged, expected, "by cursor: {parameters:?}");
    }
}

/// LST-1: random queries over every type give what an evaluation in memory gives.
#[tokio::test]
async fn random_queries_over_every_type_give_what_an_evaluation_in_memory_gives() {
    let app = TestApp::start().await;
    for seed in 0..40 {
        app.post("/api/v1/samples", sample_body(seed)).await.expect(201);
    }
    let rows = app.get("/api/v1/samples").await.expect(200).json();
    let sortable = SAMPLE_FIELDS.iter().copied();
    let sortable = sortable
        .filter(|(_, ty)| !matches!(ty, Type::Document | Type::Opaque))
        .collect();
    ask(
        &app,
        "/api/v1/samples",
        rows.as_array().unwrap().clone(),
        SAMPLE_FIELDS,
        sortable,
    )
    .await;
}

#[tokio::test]
async fn random_queries_through_relations_give_what_an_evaluation_in_memory_gives() {
    let app = shelf().await;
    let rows = app
        .get("/api/v1/articles?expand=category,comments.article")
        .await
        .expect(200)
        .json();
    let sortable = ARTICLE_FIELDS.iter().copied();
    let sortable = sortable
        .filter(|(path, _)| !path.starts_with("comments"))
        .collect();
    ask(
        &app,
        "/api/v1/articles",
        rows.as_array().unwrap().clone(),
        ARTICLE_FIELDS,
        sortable,
    )
    .await;
}

/// LST-3: no random query is a fault.
#[tokio::test]
async fn no_random_query_is_a_fault() {
    let apps = [shelf().await, shelf_for(QueryDialect::SimpleRest).await];
    let mut runner = runner();
    let word = prop_oneof![
        select(vec![
            "title",
            "id",
            "rating",
            "category.name",
            "comments.body",
            "sort",
            "fields",
            "expand",
            "q",
            "page",
            "pageSize",
            "limit",
            "offset",
            "cursor",
            "count",
            "or",
            "and",
            "not",
            "nulls",
            "format",
            "author",
            "createdAt",
            "price",
            "range",
            "filter",
        ]),
        select(vec![
            "{", "}", ":", "[", "]", "=", "&", "(", ")", ",", ".", "-", "\\", "\"", "%25", "%00", "%ff", "+",
            "_", "'", ";", "1", "-1"
        ]),
        select(vec![
            "eq",
            "gt",
            "in",
            "between",
            "like",
            "isnull",
            "true",
            "null",
            "1e400",
            "9223372036854775808",
            "csv",
            "filter={\"title\":",
            "filter={\"category\":{\"name\":",
            "range=[0,",
            "sort=[\"id\",\"ASC\"]"
        ]),
    ];
    let query = prop::collection::vec(prop_oneof![word.prop_map(str::to_owned), "\\PC{0,3}"], 0..12);
    for number in 0..4 * CASES {
        let app = &apps[number % apps.len()];
        let words = query.new_tree(&mut runner).unwrap().current().concat();
        let encoded: String = words
            .chars()
            .map(|character| match character {
                'a'..='z'
                | 'A'..='Z'
                | '0'..='9'
                | '['
                | ']'
                | '='
                | '&'
                | '('
                | ')'
                | ','
                | '.'
                | '%'
                | '+' => character.to_string(),
                other => utf8_percent_encode(&other.to_string(), NON_ALPHANUMERIC).to_string(),
            })
            .collect();
        let response = app.get(&format!("/api/v1/articles?{encoded}")).await;
        let status = response.status.as_u16();
        assert!(
            matches!(status, 200 | 206 | 400),
            "{encoded}: {status} {}",
            response.text()
        );
    }
}
