//! Every write, with an `Idempotency-Key` that another caller has used.

use crate::scenarios::requests::Asked;
use crate::scenarios::table::{Expected, scenarios};
use crate::scenarios::world::World;
use crate::shown::shown_alike;

/// Views whose responses set cookies or contain secrets, so that they are not repeated.
const SECRETS: [&str; 4] = ["/auth/login", "/auth/logout", "/auth/password", "/auth/tokens"];

/// Returns every row except the stored responses.
fn rows(world: &World) -> Vec<String> {
    let rows = world.database.rows().into_iter();
    rows.filter(|row| !row.contains("model_resource_responses"))
        .collect()
}

/// Restores the rows if they have changed, and returns whether they had.
fn restore(world: &World, before: &[String]) -> bool {
    let has_changed = rows(world) != before;
    if has_changed {
        world.restore();
    }
    has_changed
}

/// IDM-6: a caller that repeats the request of another one with its key is answered as without a key, and the first one
/// gets the first response.
#[tokio::test]
async fn a_key_of_another_caller_tells_nothing() {
    let world = World::new().await;
    let before = rows(&world);
    let (mut wrong, mut number) = (Vec::new(), 0);
    for scenario in scenarios() {
        let first = scenario.expected.iter().find(|expected| expected.status < 300);
        let Some(first) = first else {
            continue;
        };
        let writes = scenario
            .methods
            .iter()
            .filter(|method| !["GET", "HEAD"].contains(*method));
        for method in writes {
            number += 1;
            let key = format!("key-{number}");
            let keyed = |caller: &str| world.client(caller).with_header("idempotency-key", &key);
            let asked = Asked::new(&world, method, scenario.url, scenario.row);
            let answer = asked.send(&keyed(first.caller)).await;
            let (status, text) = (answer.status, answer.text());
            assert_eq!(status, first.status, "{asked} as {}: {text}", first.caller);
            world.restore();
            for expected in &scenario.expected {
                if expected.caller != first.caller {
                    let mistakes = check_other(&world, &before, &asked, expected, &key).await;
                    wrong.extend(mistakes);
                }
            }
            if SECRETS.contains(&scenario.url) {
                continue;
            }
            let again = asked.send(&keyed(first.caller)).await;
            let is_replayed = again.headers.contains_key("idempotency-replayed")
                && (again.status, &again.body) == (answer.status, &answer.body);
            if restore(&world, &before) || !is_replayed {
                let (caller, text) = (first.caller, shown_alike(&again));
                wrong.push(format!("{asked} as {caller} again: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Sends a request with the key of another caller, and returns how its answer differs from the one without the key.
async fn check_other(
    world: &World,
    before: &[String],
    asked: &Asked,
    expected: &Expected,
    key: &str,
) -> Vec<String> {
    let client = world.client(expected.caller);
    let plain = asked.send(client).await;
    restore(world, before);
    let stored = world.database.rows();
    let other = asked.send(&client.with_header("idempotency-key", key)).await;
    let has_changed = world.database.rows() != stored;
    restore(world, before);
    let mut wrong = Vec::new();
    let (with, without) = (shown_alike(&other), shown_alike(&plain));
    if plain.status != expected.status || with != without {
        wrong.push(format!("{with}\nand without the key: {without}"));
    }
    if has_changed && !other.status.is_success() {
        wrong.push("has changed something".to_owned());
    }
    let caller = expected.caller;
    let describe = |mistake| format!("{asked} as {caller}: {mistake}");
    wrong.into_iter().map(describe).collect()
}
