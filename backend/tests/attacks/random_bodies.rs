//! Random bodies for every write operation.

use bytes::Bytes;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::sample_data::{SampleData, Writing};

/// Number of bodies per write operation.
const CASES: usize = 120;

/// JSON as a string, so that it can also contain what no JSON library would write.
fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>().prop_map(|value| json!(value).to_string()),
        any::<String>().prop_map(|value| json!(value).to_string()),
        proptest::sample::select(vec![
            "1.0",
            "1e400",
            "-1e400",
            "1e-400",
            "-0",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "32768",
            "2147483648",
            "3.5e38",
            "\"1\"",
            "NaN",
            "Infinity",
            "01",
            "+1",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\u{feff}\"",
            "\"\u{7f}\"",
            "\"\"",
            "\" \"",
            "\"2024-02-30\"",
            "\"10000-01-01\"",
            "\"0000-01-01\"",
            "\"2024-05-06T07:08:09\"",
            "\"24:00:00\"",
            "\"9999-12-31T23:59:59-23:59\"",
            "\"0001-01-01T00:00:00+23:59\"",
            "\"aGk\"",
            "\"1.23456\"",
            "\"99999999999999999999999999999999\"",
            "\"-0\"",
            "\"1e5\"",
            "\"purple\"",
            "\"' or 1=1--\"",
            "\"a@b\"",
            "\"\\\\\"",
            "{\"a\":1,\"a\":2}",
            "{\"$gt\":0}",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(8, 64, 6, |inner| {
        let member = (any_key(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "id",
            "name",
            "tag",
            "title",
            "email",
            "passwordHash",
            "isActive",
            "createdAt",
            "articleId",
            "contactSubmission",
            "extra",
            "__proto__",
            "",
        ])
        .prop_map(|key| json!(key).to_string()),
        any::<String>().prop_map(|key| json!(key).to_string()),
    ]
}

/// A change of a valid body.
#[derive(Debug, Clone)]
enum Mutation {
    /// Replaces the whole body.
    Replace(String),
    /// Replaces the value of a member.
    Member(proptest::sample::Index, String),
    /// Adds a member, possibly a duplicate.
    Extra(String, String),
    /// Removes a member.
    Without(proptest::sample::Index),
    /// Truncates the body.
    Truncate(proptest::sample::Index),
    /// Replaces one byte.
    Byte(proptest::sample::Index, u8),
    /// Nests the body in this number of arrays.
    Deep(usize),
    /// Nests a member in this number of arrays.
    DeepMember(proptest::sample::Index, usize),
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<proptest::sample::Index>;
    prop_oneof![
        2 => any_json().prop_map(Mutation::Replace),
        6 => (index(), any_json()).prop_map(|(at, value)| Mutation::Member(at, value)),
        2 => (any_key(), any_json()).prop_map(|(key, value)| Mutation::Extra(key, value)),
        1 => index().prop_map(Mutation::Without),
        1 => index().prop_map(Mutation::Truncate),
        1 => (index(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        1 => (1usize..5000).prop_map(Mutation::Deep),
        1 => (index(), 1usize..200).prop_map(|(at, levels)| Mutation::DeepMember(at, levels)),
    ]
}

impl Mutation {
    fn apply(&self, valid: &Value) -> Vec<u8> {
        let (envelope, object) = match valid.as_object().unwrap().iter().next() {
            Some((key, inner)) if inner.is_object() && valid.as_object().unwrap().len() == 1 => {
                (Some(key), inner)
            }
            _ => (None, valid),
        };
        let mut members: Vec<(String, String)> = object
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, value)| (json!(key).to_string(), value.to_string()))
            .collect();
        let arrays =
            |levels: usize, inside: &str| format!("{}{inside}{}", "[".repeat(levels), "]".repeat(levels));
        match self {
            Mutation::Member(at, value) => at.get_mut(&mut members).1.clone_from(value),
            Mutation::Extra(key, value) => members.push((key.clone(), value.clone())),
            Mutation::Without(at) => {
                members.remove(at.index(members.len()));
            }
            Mutation::DeepMember(at, levels) => {
                let member = at.get_mut(&mut members);
                member.1 = arrays(*levels, &member.1);
            }
            Mutation::Replace(_) | Mutation::Truncate(_) | Mutation::Byte(..) | Mutation::Deep(_) => {}
        }
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{key}:{value}"))
            .collect();
        let mut text = format!("{{{}}}", members.join(","));
        if let Some(key) = envelope {
            text = format!("{{\"{key}\":{text}}}");
        }
        match self {
            Mutation::Replace(other) => other.clone().into_bytes(),
            Mutation::Truncate(at) => text.as_bytes()[..at.index(text.len())].to_vec(),
            Mutation::Byte(at, byte) => {
                let mut bytes = text.into_bytes();
                *at.get_mut(&mut bytes) = *byte;
                bytes
            }
            Mutation::Deep(levels) => arrays(*levels, &text).into_bytes(),
            _ => text.into_bytes(),
        }
    }
}

async fn send(data: &SampleData, writing: &Writing, number: usize, body: Vec<u8>) -> Result<(), String> {
    let database = data.app.database();
    let before = database.rows();
    let sent = Some(("application/json", Bytes::from(body.clone())));
    let address = format!("10.{}.{}.{}", number >> 16, number >> 8 & 255, number & 255);
    let answer = data
        .client(writing)
        .with_header("x-forwarded-for", &address)
        .send(writing.method.clone(), &writing.url, sent)
        .await;
    let describe = || {
        let body = String::from_utf8_lossy(&body);
        let body: String = body.chars().take(400).collect();
        format!(
            "{} {} with {body:?}: {} {}",
            writing.method,
            writing.url,
            answer.status,
            answer.text()
        )
    };
    match answer.status.as_u16() {
        // An accepted object must be readable.
        200 | 201 => serde_json::from_slice::<Value>(&answer.body)
            .map(|_| ())
            .map_err(|error| format!("{error}: {}", describe())),
        401 | 429 if !writing.url.ends_with("/login") => Err(describe()),
        // In a bulk request the key may not exist.
        404 if !writing.of_many => Err(describe()),
        400 | 401 | 404 | 429 => {
            serde_json::from_slice::<Value>(&answer.body)
                .map_err(|error| format!("{error}: {}", describe()))?;
            if database.rows() == before {
                Ok(())
            } else {
                Err(format!("a rejection changed a row: {}", describe()))
            }
        }
        _ => Err(describe()),
    }
}

/// No body makes a write operation fail, and no rejected one writes.
#[test]
fn a_random_body_is_accepted_or_rejected_and_a_rejection_changes_nothing() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let data = runtime.block_on(SampleData::new());
    let strategy = any_mutation();
    // The cases are the same each time, so that a failure is reproducible.
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    for (row, writing) in data.writings.iter().enumerate() {
        for case in 0..CASES {
            let number = row * CASES + case;
            let mutation = strategy.new_tree(&mut runner).unwrap().current();
            let mut valid = writing.valid.clone();
            if writing.url.ends_with("/login") {
                valid["email"] = json!(format!("ann{case}"));
            }
            let mut body = mutation.apply(&valid);
            if writing.of_many {
                body = [format!("[{},", writing.valid).as_bytes(), &body, b"]"].concat();
            }
            if let Err(failure) = runtime.block_on(send(&data, writing, number, body)) {
                panic!("{failure}");
            }
        }
    }
    for list in ["categories", "articles", "articles/1/comments", "tags", "samples"] {
        let answer = runtime.block_on(data.app.get(&format!("/api/v1/{list}")));
        answer.expect(200).json();
    }
}
