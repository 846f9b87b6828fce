//! The order of preconditions, for every combination of them (RFC 9110, section 13.2.2).

use http::Method;
use serde_json::json;
use test_support::Client;

use super::{served, set_change, tag};

/// Second of the last change.
const CHANGED: &str = "Sun, 09 Sep 2001 01:46:40 GMT";
const BEFORE: &str = "Sun, 09 Sep 2001 01:46:39 GMT";

/// A precondition of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Absent,
    True,
    False,
}

const CONDITIONS: [Condition; 3] = [Condition::Absent, Condition::True, Condition::False];

/// All preconditions of a request.
#[derive(Debug, Clone, Copy)]
struct Conditions {
    if_match: Condition,
    if_unmodified_since: Condition,
    if_none_match: Condition,
    if_modified_since: Condition,
}

impl Conditions {
    fn all() -> impl Iterator<Item = Self> {
        (0..81).map(|number: usize| {
            let condition = |power: usize| CONDITIONS[number / power % 3];
            Self {
                if_match: condition(1),
                if_unmodified_since: condition(3),
                if_none_match: condition(9),
                if_modified_since: condition(27),
            }
        })
    }

    /// Status by the steps of the RFC.
    fn status(self, method: &Method) -> u16 {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        // Step 1, or step 2 without If-Match.
        let first = match self.if_match {
            Condition::Absent => self.if_unmodified_since,
            own => own,
        };
        if first == Condition::False {
            return 412;
        }
        match (self.if_none_match, is_read) {
            // Step 3.
            (Condition::False, true) => 304,
            (Condition::False, false) => 412,
            // Step 4, only of a read without If-None-Match.
            (Condition::Absent, true) if self.if_modified_since == Condition::False => 304,
            _ => 200,
        }
    }

    /// Returns a client that sends them about the version with this tag.
    fn client(self, client: &Client, tag: &str) -> Client {
        let headers = [
            ("if-match", self.if_match, tag, "\"other\""),
            ("if-unmodified-since", self.if_unmodified_since, CHANGED, BEFORE),
            ("if-none-match", self.if_none_match, "\"other\"", tag),
            ("if-modified-since", self.if_modified_since, BEFORE, CHANGED),
        ];
        let mut client = client.clone();
        for (name, condition, if_true, if_false) in headers {
            client = match condition {
                Condition::Absent => client,
                Condition::True => client.with_header(name, if_true),
                Condition::False => client.with_header(name, if_false),
            };
        }
        client
    }
}

/// VSN-10
#[tokio::test]
async fn preconditions_are_evaluated_in_their_order() {
    let app = served().await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    for (number, conditions) in Conditions::all().enumerate() {
        for method in [Method::GET, Method::HEAD, Method::PATCH, Method::PUT] {
            set_change(&app).await;
            let current = app.get("/notes/1").await.expect(200);
            assert_eq!(current.header("last-modified"), CHANGED);
            let client = conditions.client(&app.client, &tag(&current));
            let is_read = matches!(method, Method::GET | Method::HEAD);
            let body = json!({"text": format!("{number} by {method}")}).to_string();
            let body = (!is_read).then(|| ("application/json", body.into()));
            let response = client.send(method.clone(), "/notes/1", body).await;
            let status = conditions.status(&method);
            assert_eq!(
                response.status.as_u16(),
                status,
                "{method} with {conditions:?}: {}",
                response.text()
            );
            if status == 304 {
                assert_eq!(tag(&response), tag(&current));
                assert!(response.body.is_empty());
            }
            if status == 412 {
                assert_eq!(tag(&response), tag(&current));
                assert_eq!(app.get("/notes/1").await.expect(200).body, current.body);
            }
        }
    }
}

/// VSN-10: the same order for deletions, each of a row of its own.
#[tokio::test]
async fn preconditions_of_deletions_are_evaluated_in_their_order() {
    let app = served().await;
    for conditions in Conditions::all() {
        for preference in ["return=minimal", "return=representation"] {
            let created = app.post("/notes", json!({"text": "a"})).await.expect(201);
            let item = format!("/notes/{}", created.json()["id"]);
            set_change(&app).await;
            let current = app.get(&item).await.expect(200);
            let client = conditions
                .client(&app.client, &tag(&current))
                .with_header("prefer", preference);
            let response = client.delete(&item).await;
            let status = match conditions.status(&Method::DELETE) {
                200 if preference == "return=minimal" => 204,
                status => status,
            };
            assert_eq!(
                response.status.as_u16(),
                status,
                "{preference} with {conditions:?}: {}",
                response.text()
            );
            let left = app.get(&item).await;
            if status == 412 {
                assert_eq!(tag(&response), tag(&current));
                assert_eq!(left.expect(200).body, current.body);
            } else {
                left.expect(404);
            }
            if status == 200 {
                assert_eq!(response.body, current.body);
            }
        }
    }
}

/// VSN-10
#[tokio::test]
async fn a_change_has_no_date_while_another_may_follow_in_its_second() {
    let app = served().await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    assert_eq!(app.get("/notes/1").await.expect(200).header("last-modified"), "");
    let later = app
        .client
        .with_header("if-modified-since", "Fri, 31 Dec 2100 23:59:59 GMT");
    later.get("/notes/1").await.expect(200);
    // Objects without such a time have no date.
    app.post("/tags", json!({"name": "a"})).await.expect(201);
    assert_eq!(later.get("/tags/1").await.expect(200).header("last-modified"), "");
}
