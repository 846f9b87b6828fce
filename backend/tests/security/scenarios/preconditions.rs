//! Every endpoint of one object, with the version of the object as a precondition.

use crate::scenarios::requests::Asked;
use crate::scenarios::table::scenarios;
use crate::scenarios::world::World;

/// VSN-6: a precondition, whether it holds or not, changes no refusal, so that it tells nothing about the object.
#[tokio::test]
async fn a_precondition_changes_no_refusal() {
    let world = World::new().await;
    let before = world.database.rows();
    let mut wrong = Vec::new();
    let single = scenarios().into_iter().filter(|scenario| {
        let is_item = scenario.url.ends_with('>') && !scenario.row.starts_with("many");
        is_item && !scenario.url.starts_with("/auth")
    });
    for scenario in single {
        for method in &scenario.methods {
            let asked = Asked::new(&world, method, scenario.url, scenario.row);
            let current = world.client("admin").get(asked.path()).await;
            let current = current
                .headers
                .get("etag")
                .map(|tag| tag.to_str().unwrap().to_owned());
            let tags = ["\"other\"".to_owned(), "*".to_owned()]
                .into_iter()
                .chain(current);
            for tag in tags.collect::<Vec<_>>() {
                for expected in &scenario.expected {
                    let client = world.client(expected.caller);
                    let answer = asked.send(&client.with_header("if-match", &tag)).await;
                    let status = match expected.status {
                        200..300 if tag == "\"other\"" => 412,
                        status => status,
                    };
                    let mut is_right = answer.status == status;
                    if expected.status >= 400 {
                        let plain = asked.send(client).await;
                        is_right &= World::shown(&answer) == World::shown(&plain);
                        is_right &= !answer.headers.contains_key("etag");
                    }
                    if !is_right {
                        let caller = expected.caller;
                        wrong.push(format!(
                            "{asked} as {caller} with {tag}: {} {}",
                            answer.status,
                            answer.text()
                        ));
                    }
                    if world.database.rows() != before {
                        if !answer.status.is_success() {
                            wrong.push(format!(
                                "{asked} as {} with {tag} has changed something",
                                expected.caller
                            ));
                        }
                        world.restore();
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
