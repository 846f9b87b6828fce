//! Every endpoint as a page, requested by every caller.

use std::collections::{BTreeMap, BTreeSet};

use test_support::{Client, Response};

use crate::scenarios::requests::Asked;
use crate::scenarios::table::scenarios;
use crate::scenarios::world::World;

/// `Accept` of a browser.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const CALLERS: [&str; 6] = ["anonymous", "user", "owner", "other", "admin", "disabled"];

/// Texts of rows, of which each caller sees some.
const TEXTS: [&str; 12] = [
    "Summary of published.",
    "Summary of draft.",
    "Summary of others.",
    "Summary of others draft.",
    "Summary of nobodys.",
    "Comment on published.",
    "Comment on draft.",
    "user@example.com",
    "owner@example.com",
    "other@example.com",
    "a program",
    "$argon2",
];

/// Views of a page, each of which shows more than the JSON of its URL.
const VIEWS: [&str; 6] = [
    "",
    "?_view=edit",
    "?_view=new",
    "?_view=delete",
    "?_view=import",
    "?_view=explain",
];

/// PAGE-1: a page has the status of the JSON, shows no text of a row that no JSON shows the same caller, and leads to
/// no URL that the caller cannot read.
#[tokio::test]
async fn pages_show_each_caller_nothing_that_the_json_does_not() {
    let world = World::new().await;
    let before = world.database.rows();
    let mut wrong = Vec::new();
    for caller in CALLERS {
        let client = world.client(caller);
        let json = json_of_everything(&world, caller).await;
        let readable: String = json.values().map(Response::text).collect();
        let mut links = BTreeSet::new();
        for (path, answer) in &json {
            for view in VIEWS {
                let page = page(client, &format!("{path}{view}")).await;
                let text = page.text();
                if page.status != answer.status {
                    wrong.push(format!(
                        "{caller} {path}{view}: {}, not {}",
                        page.status, answer.status
                    ));
                }
                if !page.header("content-type").starts_with("text/html") {
                    wrong.push(format!("{caller} {path}{view}: no page"));
                }
                let leaked = TEXTS
                    .iter()
                    .filter(|secret| text.contains(**secret) && !readable.contains(**secret));
                wrong.extend(leaked.map(|secret| format!("{caller} {path}{view}: shows {secret:?}")));
                // The page of an error links to its own JSON.
                let is_own = |link: &String| link.split('?').next() == Some(path);
                links.extend(links_of(&text).into_iter().filter(|link| !is_own(link)));
            }
        }
        let overview = page(client, "/api/v1/").await;
        links.extend(links_of(&overview.text()));
        for link in links {
            let answer = client.get(&link).await;
            if [403, 404].contains(&answer.status.as_u16()) && !is_action(&link) {
                wrong.push(format!(
                    "{caller}: a link leads to {link}, which is {}",
                    answer.status
                ));
            }
        }
    }
    assert!(world.database.rows() == before, "reading changes nothing");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// PAGE-2: the page of an object shows its values.
#[tokio::test]
async fn the_page_of_an_object_shows_its_values() {
    let world = World::new().await;
    let draft = Asked::new(&world, "GET", "/articles/<int:id>", "draft");
    let shown = page(world.client("owner"), draft.path()).await.expect(200);
    assert!(shown.text().contains("Summary of draft."), "{}", shown.text());
    page(world.client("other"), draft.path()).await.expect(404);
}

/// PAGE-7: a page explains the policy of its model to the caller.
#[tokio::test]
async fn a_page_explains_the_rules_that_apply_to_the_caller() {
    let world = World::new().await;
    let anonymous = page(world.client("anonymous"), "/api/v1/articles").await.text();
    assert!(
        anonymous.contains("You see articles where published is yes"),
        "{anonymous}"
    );
    let admin = page(world.client("admin"), "/api/v1/articles").await.text();
    assert!(admin.contains("You see all articles"), "{admin}");
}

/// JSON of every URL that answers GET, by path.
async fn json_of_everything(world: &World, caller: &str) -> BTreeMap<String, Response> {
    let mut answers = BTreeMap::new();
    for scenario in scenarios() {
        if scenario.methods.contains(&"GET") {
            let asked = Asked::new(world, "GET", scenario.url, scenario.row);
            let answer = asked.send(world.client(caller)).await;
            answers.insert(asked.path().to_owned(), answer);
        }
    }
    answers
}

async fn page(client: &Client, path: &str) -> Response {
    client.with_header("accept", BROWSER).get(path).await
}

/// Links of a page to URLs of the api, without their parts for the pages alone.
fn links_of(page: &str) -> BTreeSet<String> {
    let links = page
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let own = links.filter(|link| link.starts_with("/api/v1/"));
    own.map(|link| link.replace("&amp;", "&")).collect()
}

/// Whether a link leads to a view that only has a form.
fn is_action(link: &str) -> bool {
    link.contains("/auth/log") || link.contains("_view=")
}
