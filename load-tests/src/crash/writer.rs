//! A client that writes without a pause and keeps a journal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

use crate::client::Client;
use crate::crash::comparison::ShownRows;
use crate::crash::journal::{Answer, Effect, RowKind, RowName, Write};
use crate::crash::options::Retries;
use crate::crash::plan::{Expectation, Names, OwnCounter, OwnRows, PlannedBody, PlannedWrite, plan};
use crate::failure::Failure;

/// Pause after a 503.
const PAUSE: Duration = Duration::from_millis(20);

/// Maximum time in which a repeated write has an answer.
const MAX_RETRY: Duration = Duration::from_secs(30);

/// State of the connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connection {
    Open,
    Lost,
}

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
    counter: OwnCounter,
    retries: Retries,
    /// Write that has no answer yet, if writes are repeated.
    pending: Option<KeyedWrite>,
}

/// A write and its `Idempotency-Key`, if it has one.
struct KeyedWrite {
    planned: PlannedWrite,
    key: Option<String>,
}

impl Writer {
    pub(crate) fn new(counter: OwnCounter, number: u64, seed: u64, retries: Retries) -> Self {
        Self {
            counter,
            retries,
            pending: None,
            prefix: format!("w{number}-"),
            sequence: 0,
            random: StdRng::seed_from_u64(seed.wrapping_add(number)),
            own: OwnRows::default(),
        }
    }

    /// Knows its rows that exist from now on.
    pub(crate) fn adopt(&mut self, shown: &ShownRows) {
        self.own = OwnRows::default();
        let counter = shown.get(&RowName::counter(&self.counter.name));
        let counter = counter.and_then(|rows| rows.first());
        self.counter.value = counter.and_then(|row| row.content.parse().ok());
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
            let write = match self.pending.take() {
                Some(write) => write,
                None => self.next(contested),
            };
            if self.send(&client, write, &mut journal).await == Connection::Lost {
                break;
            }
        }
        journal
    }

    /// Repeats the write that has no answer until it has one.
    pub(crate) async fn finish(&mut self, client: Client) -> Result<Journal, Failure> {
        let (mut journal, begin) = (Journal::default(), Instant::now());
        while let Some(write) = self.pending.take() {
            if begin.elapsed() > MAX_RETRY {
                return Err(format!("no answer to {} {}", write.planned.method, write.planned.path).into());
            }
            self.send(&client, write, &mut journal).await;
        }
        Ok(journal)
    }

    fn next(&mut self, contested: &str) -> KeyedWrite {
        self.sequence += 1;
        let unique = format!("{}{}", self.prefix, self.sequence);
        KeyedWrite {
            key: (self.retries == Retries::Keyed)
                .then(|| format!("{unique}-{}", self.random.random::<u64>())),
            planned: plan(
                &self.own,
                &self.counter,
                &Names { unique, contested },
                &mut self.random,
            ),
        }
    }

    /// Sends a write. One without an answer is kept if it is to be repeated.
    async fn send(&mut self, client: &Client, write: KeyedWrite, journal: &mut Journal) -> Connection {
        let planned = &write.planned;
        let path = format!("/api/v1{}", planned.path);
        let client = client.clone().with_key(write.key.as_deref());
        let sent = match &planned.body {
            PlannedBody::Json(body) => {
                client
                    .send_json(planned.method.clone(), &path, body.clone())
                    .await
            }
            PlannedBody::Csv(text) => {
                client
                    .send(planned.method.clone(), &path, "text/csv", text.clone())
                    .await
            }
            PlannedBody::None => client.delete(&path).await,
        };
        let answer = match &sent {
            Ok((status, _)) => classify(*status),
            Err(_) => Answer::Unknown,
        };
        let is_repeated = answer == Answer::Unknown && self.retries == Retries::Keyed;
        if let Ok((status, body)) = &sent {
            if is_unexpected(*status, body, planned.expected) {
                journal.unexpected.push(describe(planned, *status, body));
            }
            if !is_repeated {
                self.learn(planned, answer, body);
            }
        }
        if is_repeated {
            self.pending = Some(write);
        } else {
            let changes = write.planned.changes;
            journal.writes.push(Write { changes, answer });
        }
        if answer == Answer::Unknown {
            tokio::time::sleep(PAUSE).await;
        }
        if sent.is_ok() {
            Connection::Open
        } else {
            Connection::Lost
        }
    }

    fn learn(&mut self, planned: &PlannedWrite, answer: Answer, body: &Bytes) {
        let mut ids = match answer {
            Answer::Acknowledged => ids(body).into_iter(),
            Answer::Refused => return,
            Answer::Unknown => Vec::new().into_iter(),
        };
        for change in &planned.changes {
            if change.row.kind == RowKind::Counter {
                let next = self.counter.value.map(|value| value + 1);
                self.counter.value = next.filter(|_| answer == Answer::Acknowledged);
                continue;
            }
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
