//! Strategies for random filters on the fields of some rows.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::oracle::{Expected, Type, compare};

/// Number of random queries.
pub(crate) const CASES: usize = 300;

/// A field and its type.
pub(crate) type Field = (&'static str, Type);

/// Seed of the random queries: constant unless `RANDOM_SEED` is set.
pub(crate) fn seed() -> u64 {
    let seed = std::env::var("RANDOM_SEED");
    seed.map_or(0, |seed| seed.parse().expect("RANDOM_SEED is no number"))
}

pub(crate) fn runner() -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// Returns values that a field has, and some that it does not have.
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

pub(crate) fn found(row: &Value, path: &str) -> Vec<Value> {
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

pub(crate) fn condition(rows: &[Value], fields: &'static [Field]) -> impl Strategy<Value = Expected> + use<> {
    test(rows, fields).prop_recursive(3, 12, 3, |inner| {
        let some = prop::collection::vec(inner, 1..=3);
        prop_oneof![
            some.clone().prop_map(Expected::All),
            some.clone().prop_map(Expected::Any),
            some.prop_map(Expected::Not),
        ]
    })
}
