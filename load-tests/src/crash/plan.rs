//! Choice of the next write of a client.

use std::collections::BTreeMap;

use http::Method;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use serde_json::{Value, json};

use crate::crash::journal::{Change, Effect, RowKind, RowName};

/// Rows of one kind beyond which a client deletes some.
const MAX_ROWS: usize = 30;
/// Unique values that all clients try to create in a round.
const CONTESTED_VALUES: u64 = 100;

/// A request, and the changes that it makes if it is acknowledged.
pub(crate) struct PlannedWrite {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: PlannedBody,
    pub(crate) changes: Vec<Change>,
    pub(crate) expected: Expectation,
}

/// Body of a request.
pub(crate) enum PlannedBody {
    /// That of a deletion.
    None,
    Json(Value),
    Csv(String),
}

/// Counter of a client.
#[derive(Debug, Clone)]
pub(crate) struct OwnCounter {
    pub(crate) name: String,
    /// Key of its row.
    pub(crate) id: String,
    /// Its value, unless an increment has no answer.
    pub(crate) value: Option<i64>,
}

/// Answers that a write may have while nothing is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expectation {
    Success,
    /// The request repeats a unique value.
    Refusal,
    /// Another client may have the unique value.
    Either,
}

#[derive(Default)]
struct OwnArticle {
    id: i64,
    comments: Vec<String>,
}

/// Rows that one client has written and nobody else changes.
#[derive(Default)]
pub(crate) struct OwnRows {
    tags: BTreeMap<String, i64>,
    articles: BTreeMap<String, OwnArticle>,
}

impl OwnRows {
    /// Adds a row that exists.
    pub(crate) fn add(&mut self, row: &RowName, id: i64) {
        match row.kind {
            RowKind::Tag => {
                self.tags.insert(row.text.clone(), id);
            }
            RowKind::Article => self.articles.entry(row.text.clone()).or_default().id = id,
            RowKind::Counter => {}
            RowKind::Comment => {
                if let Some((title, body)) = row.text.split_once('/') {
                    let article = self.articles.entry(title.to_owned()).or_default();
                    article.comments.push(body.to_owned());
                }
            }
        }
    }

    /// Removes a row that is deleted, or whose state is not known; with a comment also its article.
    pub(crate) fn remove(&mut self, row: &RowName) {
        match row.kind {
            RowKind::Tag => {
                self.tags.remove(&row.text);
            }
            RowKind::Counter => {}
            RowKind::Article | RowKind::Comment => {
                let title = row.text.split('/').next().unwrap_or_default();
                self.articles.remove(title);
            }
        }
    }
}

/// Names of new rows.
pub(crate) struct Names<'n> {
    /// Name that no other write has.
    pub(crate) unique: String,
    /// Prefix of the values that all clients try to create.
    pub(crate) contested: &'n str,
}

/// Chooses a write at random.
pub(crate) fn plan(
    own: &OwnRows,
    counter: &OwnCounter,
    names: &Names<'_>,
    random: &mut StdRng,
) -> PlannedWrite {
    let tag = own.tags.iter().choose(random);
    let article = own.articles.iter().choose(random);
    if own.tags.len() > MAX_ROWS {
        return delete_tags(own, random);
    }
    match (random.random_range(0..15), tag, article) {
        (0, ..) => create_tag(&names.unique, Expectation::Success),
        (1 | 2, ..) => {
            let number = random.random_range(0..CONTESTED_VALUES);
            create_tag(&format!("{}{number}", names.contested), Expectation::Either)
        }
        (3, Some((name, id)), _) => rename_tag(name, *id, &names.unique),
        (4, Some((name, id)), _) => delete(format!("/tags/{id}"), vec![RowName::tag(name)]),
        (5, Some((name, _)), _) => create_tags(&names.unique, random.random_range(2..20), Some(name)),
        (6, Some(_), _) => delete_tags(own, random),
        (7, _, Some((title, article))) => update_article(title, article.id, &names.unique),
        (8, _, Some(_)) => update_articles(own, &names.unique),
        (9, _, Some((title, article))) => create_comments(title, article.id, &names.unique),
        (10, _, Some((title, article))) if own.articles.len() > 3 => {
            let comments = article.comments.iter().map(|body| RowName::comment(title, body));
            let rows = std::iter::once(RowName::article(title)).chain(comments);
            delete(format!("/articles/{}", article.id), rows.collect())
        }
        (11, ..) if own.articles.len() < MAX_ROWS => create_article(&names.unique),
        (12, ..) => import_tags(&names.unique, random.random_range(2..20)),
        (13 | 14, ..) if counter.value.is_some() => increment(counter),
        _ => create_tags(&names.unique, random.random_range(2..20), None),
    }
}

fn create_tag(name: &str, expected: Expectation) -> PlannedWrite {
    PlannedWrite {
        method: Method::POST,
        path: "/tags".to_owned(),
        body: PlannedBody::Json(json!({"tag": {"name": name}})),
        changes: vec![created(RowName::tag(name), "")],
        expected,
    }
}

/// Creates several tags, of which the last repeats a name.
fn create_tags(prefix: &str, count: usize, repeated: Option<&String>) -> PlannedWrite {
    let names = (0..count).map(|number| format!("{prefix}-{number}"));
    let names: Vec<String> = names.chain(repeated.cloned()).collect();
    let new = names.iter().filter(|name| Some(*name) != repeated);
    PlannedWrite {
        method: Method::POST,
        path: "/tags".to_owned(),
        body: PlannedBody::Json(
            json!({"tags": names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>()}),
        ),
        changes: new.map(|name| created(RowName::tag(name), "")).collect(),
        expected: if repeated.is_some() {
            Expectation::Refusal
        } else {
            Expectation::Success
        },
    }
}

/// Imports several tags.
fn import_tags(prefix: &str, count: usize) -> PlannedWrite {
    let names: Vec<String> = (0..count).map(|number| format!("{prefix}-{number}")).collect();
    PlannedWrite {
        method: Method::POST,
        path: "/tags".to_owned(),
        body: PlannedBody::Csv(format!("name\r\n{}\r\n", names.join("\r\n"))),
        changes: names.iter().map(|name| created(RowName::tag(name), "")).collect(),
        expected: Expectation::Success,
    }
}

fn increment(counter: &OwnCounter) -> PlannedWrite {
    let next = counter.value.unwrap_or_default() + 1;
    PlannedWrite {
        method: Method::PATCH,
        path: format!("/samples/{}", counter.id),
        body: PlannedBody::Json(json!({"big": {"$increment": 1}})),
        changes: vec![Change {
            row: RowName::counter(&counter.name),
            effect: Effect::Updated(next.to_string()),
        }],
        expected: Expectation::Success,
    }
}

fn rename_tag(old: &str, id: i64, new: &str) -> PlannedWrite {
    PlannedWrite {
        method: Method::PATCH,
        path: format!("/tags/{id}"),
        body: PlannedBody::Json(json!({"tag": {"name": new}})),
        changes: vec![deleted(RowName::tag(old)), created(RowName::tag(new), "")],
        expected: Expectation::Success,
    }
}

fn delete_tags(own: &OwnRows, random: &mut StdRng) -> PlannedWrite {
    let count = random.random_range(1..=own.tags.len().max(1));
    let tags = own.tags.iter().sample(random, count);
    let keys: Vec<String> = tags.iter().map(|(_, id)| format!("id={id}")).collect();
    let rows = tags.iter().map(|(name, _)| RowName::tag(name)).collect();
    delete(format!("/tags?{}", keys.join("&")), rows)
}

fn create_article(title: &str) -> PlannedWrite {
    PlannedWrite {
        method: Method::POST,
        path: "/articles".to_owned(),
        body: PlannedBody::Json(
            json!({"title": title, "body": "A text.", "summary": title, "published": true}),
        ),
        changes: vec![created(RowName::article(title), title)],
        expected: Expectation::Success,
    }
}

fn update_article(title: &str, id: i64, summary: &str) -> PlannedWrite {
    PlannedWrite {
        method: Method::PATCH,
        path: format!("/articles/{id}"),
        body: PlannedBody::Json(json!({"summary": summary})),
        changes: vec![updated(title, summary)],
        expected: Expectation::Success,
    }
}

fn update_articles(own: &OwnRows, summary: &str) -> PlannedWrite {
    let object = |article: &OwnArticle| json!({"id": article.id, "summary": summary});
    PlannedWrite {
        method: Method::PATCH,
        path: "/articles".to_owned(),
        body: PlannedBody::Json(own.articles.values().map(object).collect()),
        changes: own.articles.keys().map(|title| updated(title, summary)).collect(),
        expected: Expectation::Success,
    }
}

fn create_comments(title: &str, article: i64, prefix: &str) -> PlannedWrite {
    let bodies: Vec<String> = (0..5).map(|number| format!("{prefix}-{number}")).collect();
    let object = |body: &String| json!({"name": "A reader", "body": body});
    PlannedWrite {
        method: Method::POST,
        path: format!("/articles/{article}/comments"),
        body: PlannedBody::Json(bodies.iter().map(object).collect()),
        changes: bodies
            .iter()
            .map(|body| created(RowName::comment(title, body), ""))
            .collect(),
        expected: Expectation::Success,
    }
}

fn delete(path: String, rows: Vec<RowName>) -> PlannedWrite {
    PlannedWrite {
        method: Method::DELETE,
        path,
        body: PlannedBody::None,
        changes: rows.into_iter().map(deleted).collect(),
        expected: Expectation::Success,
    }
}

fn created(row: RowName, content: &str) -> Change {
    Change {
        row,
        effect: Effect::Created(content.to_owned()),
    }
}

fn updated(title: &str, content: &str) -> Change {
    Change {
        row: RowName::article(title),
        effect: Effect::Updated(content.to_owned()),
    }
}

fn deleted(row: RowName) -> Change {
    Change {
        row,
        effect: Effect::Deleted,
    }
}
