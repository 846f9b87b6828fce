//! Every write, with an `Idempotency-Key` that another caller has used.

use crate::scenarios::requests::Asked;
use crate::scenarios::table::scenarios;
use crate::scenarios::world::World;

/// Views whose responses set cookies or contain secrets, so that they are not repeated.
const SECRETS: [&str; 4] = ["/auth/login", "/auth/logout", "/auth/password", "/auth/tokens"];

/// Returns every row except the stored responses.
fn rows(world: &World) -> Vec<String> {
    let rows = world.database.rows().into_iter();
    rows.filter(|row| !row.contains("model_resource_responses"))
        .collect()
}

/// IDM-6: a caller that repeats the request of another one with its key is answered as without a key, and the first one
/// gets the first response.
#[tokio::test]
async fn a_key_of_another_caller_tells_nothing() {
    let world = World::new().await;
    let before = rows(&world);
    let mut wrong = Vec::new();
    let mut key = 0;
    for scenario in scenarios() {
        for method in scenario
            .methods
            .iter()
            .filter(|method| !["GET", "HEAD"].contains(*method))
        {
            let first = scenario.expected.iter().find(|expected| expected.status < 300);
            let Some(first) = first else {
                continue;
            };
            key += 1;
            let key = format!("key-{key}");
            let keyed = |caller: &str| world.client(caller).with_header("idempotency-key", &key);
            let asked = Asked::new(&world, method, scenario.url, scenario.row);
            let answer = asked.send(&keyed(first.caller)).await;
            assert_eq!(
                answer.status,
                first.status,
                "{asked} as {}: {}",
                first.caller,
                answer.text()
            );
            world.restore();
            for expected in &scenario.expected {
                if expected.caller == first.caller {
                    continue;
                }
                let other = asked.send(&keyed(expected.caller)).await;
                if other.status != expected.status || other.headers.contains_key("idempotency-replayed") {
                    wrong.push(format!(
                        "{asked} as {}: {} {}",
                        expected.caller,
                        other.status,
                        other.text()
                    ));
                }
                let has_changed = rows(&world) != before;
                if has_changed && !other.status.is_success() {
                    wrong.push(format!("{asked} as {} has changed something", expected.caller));
                }
                if has_changed {
                    world.restore();
                }
            }
            if SECRETS.contains(&scenario.url) {
                continue;
            }
            let again = asked.send(&keyed(first.caller)).await;
            let is_replayed = again.headers.contains_key("idempotency-replayed");
            if !is_replayed
                || (again.status, &again.body) != (answer.status, &answer.body)
                || rows(&world) != before
            {
                wrong.push(format!(
                    "{asked} as {} again: {} {}",
                    first.caller,
                    again.status,
                    again.text()
                ));
                world.restore();
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
