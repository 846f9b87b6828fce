//! A client that writes without a pause and keeps a journal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use crate::client::Client;
use crate::crash::comparison::ShownRows;
use crate::crash::journal::{Answer, Effect, Write};
use crate::crash::plan::{Expectation, Names, OwnRows, PlannedWrite, plan};

/// Pause after a 503.
const PAUSE: Duration = Duration::from_millis(20);

/// Writes of a client in one round.
#[derive(Default)]
pub(crate) struct Journal {
    pub(crate) writes: Vec<Write>,
    /// Answers that no write should have, such as a 500.
    pub(crate) unexpected: Vec<String>,
}

/// A client with rows of its own.
pub(crate) struct Writer {
    prefix: String,
    sequence: u64,
    random: StdRng,
    own: OwnRows,
}

impl Writer {
    pub(crate) fn new(number: u64, seed: u64) -> Self {
        Self {
            prefix: format!("w{number}-"),
            sequence: 0,
            random: StdRng::seed_from_u64(seed.wrapping_add(number)),
            own: OwnRows::default(),
        }
    }

    /// Knows its rows that exist from now on.
    pub(crate) fn adopt(&mut self, shown: &ShownRows) {
        self.own = OwnRows::default();
        for (name, rows) in shown
            .iter()
            .filter(|(name, _)| name.text.starts_with(&self.prefix))
        {
            if let Some(row) = rows.first() {
                self.own.add(name, row.id);
            }
        }
    }

    /// Writes until it is over or the server is gone.
    pub(crate) async fn run(&mut self, client: Client, contested: &str, is_over: &AtomicBool) -> Journal {
        let mut journal = Journal::default();
        while !is_over.load(Ordering::Relaxed) {
            self.sequence += 1;
            let names = Names {
                unique: format!("{}{}", self.prefix, self.sequence),
                contested,
            };
            let planned = plan(&self.own, &names, &mut self.random);
            let path = format!("/api/v1{}", planned.path);
            let sent = match &planned.body {
                Some(body) => {
                    client
                        .send_json(planned.method.clone(), &path, body.clone())
                        .await
                }
                None => client.delete(&path).await,
            };
            let answer = match &sent {
                Ok((status, _)) => classify(*status),
                Err(_) => Answer::Unknown,
            };
            if let Ok((status, body)) = &sent {
                if is_unexpected(*status, body, planned.expected) {
                    journal.unexpected.push(describe(&planned, *status, body));
                }
                self.learn(&planned, answer, body);
            }
            journal.writes.push(Write {
                changes: planned.changes,
                answer,
            });
            match (sent, answer) {
                (Err(_), _) => break,
                (Ok(_), Answer::Unknown) => tokio::time::sleep(PAUSE).await,
                (Ok(_), Answer::Acknowledged | Answer::Refused) => {}
            }
        }
        journal
    }

    fn learn(&mut self, planned: &PlannedWrite, answer: Answer, body: &Bytes) {
        let mut ids = match answer {
            Answer::Acknowledged => ids(body).into_iter(),
            Answer::Refused => return,
            Answer::Unknown => Vec::new().into_iter(),
        };
        for change in &planned.changes {
            let id = match change.effect {
                Effect::Created(_) => ids.next(),
                Effect::Updated(_) if answer == Answer::Acknowledged => continue,
                Effect::Updated(_) | Effect::Deleted => None,
            };
            match id {
                Some(id) if change.row.text.starts_with(&self.prefix) => self.own.add(&change.row, id),
                Some(_) => {}
                None => self.own.remove(&change.row),
            }
        }
    }
}

fn classify(status: u16) -> Answer {
    match status {
        200..300 => Answer::Acknowledged,
        // The database may have broken down after it stored the write.
        500.. => Answer::Unknown,
        _ => Answer::Refused,
    }
}

/// Whether a response is neither expected nor a 503, which an unavailable database causes.
fn is_unexpected(status: u16, body: &Bytes, expected: Expectation) -> bool {
    match (classify(status), expected) {
        (Answer::Acknowledged, Expectation::Refusal) | (Answer::Refused, Expectation::Success) => true,
        (Answer::Unknown, _) => status != 503,
        (Answer::Acknowledged, Expectation::Success | Expectation::Either) => false,
        (Answer::Refused, Expectation::Refusal | Expectation::Either) => {
            !String::from_utf8_lossy(body).contains("already taken")
        }
    }
}

fn describe(planned: &PlannedWrite, status: u16, body: &Bytes) -> String {
    let (method, path) = (&planned.method, &planned.path);
    format!("{status} to {method} {path}: {}", String::from_utf8_lossy(body))
}

/// Returns the keys in a response: of an object or several, in an envelope or not.
fn ids(body: &[u8]) -> Vec<i64> {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let content = match &value {
        Value::Object(members) if members.len() == 1 => members.values().next().unwrap_or(&value),
        _ => &value,
    };
    let objects = content
        .as_array()
        .map_or(std::slice::from_ref(content), Vec::as_slice);
    objects
        .iter()
        .filter_map(|object| object["id"].as_i64())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_response_are_found_in_any_envelope() {
        assert_eq!(ids(br#"{"tag": {"id": 1, "name": "a"}}"#), [1]);
        assert_eq!(
            ids(br#"{"tags": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}"#),
            [1, 2]
        );
        assert_eq!(ids(br#"[{"id": 3, "title": "a"}]"#), [3]);
        assert_eq!(ids(br#"{"id": 4, "title": "a"}"#), [4]);
        assert_eq!(ids(b""), [0; 0]);
    }

    #[test]
    fn only_a_refusal_is_certain_to_have_no_effect() {
        assert_eq!(classify(201), Answer::Acknowledged);
        assert_eq!(classify(409), Answer::Refused);
        assert_eq!(classify(503), Answer::Unknown);
    }
}
