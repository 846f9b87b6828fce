//! Every request with the version of its objects as a precondition.

use std::collections::HashMap;

use serde_json::Value;
use test_support::{Client, Response};

use crate::scenarios::requests::Asked;
use crate::scenarios::table::{Expected, Scenario, scenarios};
use crate::scenarios::world::World;
use crate::shown::shown;

/// A tag that no object has.
const OTHER: &str = "\"other\"";

/// A request with a precondition.
struct Attempt {
    asked: Asked,
    /// Value of `If-Match`.
    header: Option<String>,
    name: String,
    /// Whether the object has another version.
    is_outdated: bool,
}

impl Attempt {
    /// Returns the request with the tag of another version, of any one and of the current one in a header, and for
    /// several objects also as members.
    async fn all(world: &World, scenario: &Scenario, method: &'static str) -> Vec<Self> {
        let new = || Asked::new(world, method, scenario.url, scenario.row);
        let admin = world.client("admin");
        let current = admin.get(new().path()).await.header("etag").to_owned();
        let mut attempts: Vec<Self> = [OTHER, "*", &current]
            .into_iter()
            .filter(|tag| !tag.is_empty())
            .map(|tag| Self {
                asked: new(),
                header: Some(tag.to_owned()),
                name: format!("If-Match: {tag}"),
                is_outdated: tag == OTHER || tag.starts_with("W/"),
            })
            .collect();
        if new().changes_many() {
            let mut tags = HashMap::new();
            for key in new().keys() {
                let one = format!(
                    "{}/{}",
                    new().path(),
                    key.as_str().map_or(key.to_string(), str::to_owned)
                );
                tags.insert(key, admin.get(&one).await.header("etag").to_owned());
            }
            let current = move |key: &Value| tags[key].clone();
            attempts.push(Self::with_versions(&new(), "other versions", true, |_| {
                OTHER.to_owned()
            }));
            attempts.push(Self::with_versions(&new(), "current versions", false, current));
        }
        attempts
    }

    fn with_versions(
        asked: &Asked,
        name: &str,
        is_outdated: bool,
        version: impl Fn(&Value) -> String,
    ) -> Self {
        Self {
            asked: asked.with_versions(version),
            header: None,
            name: name.to_owned(),
            is_outdated,
        }
    }

    async fn send(&self, client: &Client) -> Response {
        match &self.header {
            Some(tag) => self.asked.send(&client.with_header("if-match", tag)).await,
            None => self.asked.send(client).await,
        }
    }

    /// Returns what is wrong with an answer; `plain` is the one to a refused request without the precondition.
    fn mistake(
        &self,
        scenario: &Scenario,
        expected: &Expected,
        plain: Option<&Response>,
        answer: &Response,
    ) -> Option<String> {
        // Headers are about one object. Everybody with a valid credential, or without one, learns that, whatever exists.
        let is_right =
            if self.header.is_some() && scenario.row.starts_with("many") && expected.caller != "disabled" {
                answer.status == 400 && answer.text().contains("are about one object")
            } else if let Some(plain) = plain {
                let is_same =
                    shown(answer) == shown(plain) || self.is_outdated && adds_outdated(plain, answer);
                is_same && !answer.headers.contains_key("etag")
            } else {
                answer.status == self.status(scenario, expected.status)
            };
        (!is_right).then(|| format!("{} {}", answer.status, answer.text()))
    }

    /// Status for a caller whose request without the precondition succeeds. Lists, new objects and views have no versions.
    fn status(&self, scenario: &Scenario, status: u16) -> u16 {
        let has_version = self.header.is_none() || scenario.url.ends_with('>');
        if has_version && self.is_outdated {
            412
        } else {
            status
        }
    }
}

/// VSN-6: a precondition, whether it holds or not, changes no refusal, so that it tells nothing about the object.
#[tokio::test]
async fn a_precondition_changes_no_refusal() {
    let world = World::new().await;
    let before = world.database.rows();
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        for method in &scenario.methods {
            let plain = Asked::new(&world, method, scenario.url, scenario.row);
            let attempts = Attempt::all(&world, &scenario, method).await;
            for expected in &scenario.expected {
                let client = world.client(expected.caller);
                let refused = match expected.status {
                    400.. => Some(plain.send(client).await),
                    _ => None,
                };
                for attempt in &attempts {
                    let answer = attempt.send(client).await;
                    let mistake = attempt.mistake(&scenario, expected, refused.as_ref(), &answer);
                    let has_changed = world.database.rows() != before;
                    let mistake = match mistake {
                        None if has_changed && !answer.status.is_success() => {
                            Some("has changed something".to_owned())
                        }
                        mistake => mistake,
                    };
                    if has_changed {
                        world.restore();
                    }
                    if let Some(mistake) = mistake {
                        let (row, caller, name) = (scenario.row, expected.caller, &attempt.name);
                        wrong.push(format!("{plain} ({row}) as {caller} with {name}: {mistake}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Whether an answer about several objects has the same errors as the one without versions, and others only about the
/// versions of objects that the caller may write.
fn adds_outdated(plain: &Response, answer: &Response) -> bool {
    let errors = |response: &Response| response.json()["errors"].as_object().cloned().unwrap_or_default();
    let (before, mut after) = (errors(plain), errors(answer));
    let has_same = before
        .iter()
        .all(|(object, errors)| after.remove(object).as_ref() == Some(errors));
    let about_version = |errors: &Value| {
        errors
            .to_string()
            .contains("The precondition of version does not hold")
    };
    !before.is_empty() && has_same && after.values().all(about_version)
}
