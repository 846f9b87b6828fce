//! Every endpoint, requested by every caller.

mod keys;
mod pages;
mod preconditions;
mod requests;
mod table;
mod world;

use std::collections::BTreeSet;

use backend::app;
use backend::security::UserSecurity;
use serde_json::Value;
use test_support::Response;

use crate::scenarios::requests::Asked;
use crate::scenarios::table::{Expected, scenarios};
use crate::scenarios::world::World;

/// AUD-3: every caller gets the response in the table, and rejected requests and reads change no row of any table.
#[tokio::test]
async fn every_endpoint_answers_everyone_as_the_table_says() {
    let world = World::new().await;
    let before = world.database.rows();
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        for method in &scenario.methods {
            for expected in &scenario.expected {
                let asked = Asked::new(&world, method, scenario.url, scenario.row);
                let answer = asked.send(world.client(expected.caller)).await;
                let mut mistakes = compared(&asked, &answer, expected);
                let has_changed = world.database.rows() != before;
                if has_changed {
                    world.restore();
                    assert!(world.database.rows() == before, "everything is as it was");
                }
                let is_idle = expected.caller == "anonymous" && scenario.url == "/auth/logout";
                match (
                    answer.status.is_success() && !["GET", "HEAD"].contains(method),
                    has_changed,
                ) {
                    (false, true) => mistakes.push("it has changed something".to_owned()),
                    (true, false) if !is_idle => mistakes.push("it has changed nothing".to_owned()),
                    _ => {}
                }
                let describe =
                    |mistake| format!("{asked} ({}) as {}: {mistake}", scenario.row, expected.caller);
                wrong.extend(mistakes.into_iter().map(describe));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn compared(asked: &Asked, answer: &Response, expected: &Expected) -> Vec<String> {
    let mut mistakes = Vec::new();
    if answer.status != expected.status {
        mistakes.push(format!(
            "{}, not {}: {}",
            answer.status,
            expected.status,
            answer.text()
        ));
        return mistakes;
    }
    if let Some(rows) = expected.rows
        && asked.method == "GET"
    {
        let found = counted(&answer.json());
        if found != rows {
            mistakes.push(format!("{found} rows, not {rows}"));
        }
    }
    mistakes
}

/// Counts the rows of a list, with or without an envelope.
fn counted(list: &Value) -> usize {
    match list {
        Value::Array(rows) => rows.len(),
        Value::Object(envelope) => envelope.values().map(counted).sum(),
        _ => panic!("no list: {list}"),
    }
}

/// AUD-3: the table has exactly the served endpoints.
#[test]
fn the_table_has_every_endpoint() {
    let served = app::api().authenticator(UserSecurity::new()).compile().routes();
    let served: BTreeSet<(&str, &str)> = served
        .iter()
        .map(|route| {
            let below = route.url.strip_prefix("/api/v1");
            (route.method.as_str(), below.unwrap_or(&route.url))
        })
        .collect();
    let scenarios = scenarios();
    let written: BTreeSet<(&str, &str)> = scenarios
        .iter()
        .flat_map(|scenario| scenario.methods.iter().map(|method| (*method, scenario.url)))
        .collect();
    assert_eq!(written, served);
}
