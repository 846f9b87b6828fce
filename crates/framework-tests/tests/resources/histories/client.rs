//! Clients that read and write rows at random, and remember what they were answered.

use std::collections::HashMap;
use std::time::Instant;

use http::Method;
use test_support::Client;

use super::call::{Change, Values, Version};

pub(super) const ROWS: u64 = 5;
/// Requests of each client.
pub(super) const OPERATIONS: u64 = 350;

/// Request of a client, with tags in the place of versions.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) row: u64,
    pub(super) begin: Instant,
    pub(super) end: Instant,
    pub(super) sent: Option<Change>,
    pub(super) base: Option<String>,
    /// Tag in the answer.
    pub(super) tag: String,
    /// Row in the answer; `None` for a refused write.
    pub(super) shown: Option<Version>,
}

/// Random numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

pub(super) struct RandomClient {
    client: Client,
    list: &'static str,
    /// Number of this client, from which its values begin.
    number: u64,
    random: Random,
    /// Last seen values of each row, with their tag.
    known: HashMap<u64, (Values, String)>,
}

impl RandomClient {
    pub(super) fn new(client: Client, list: &'static str, number: u64, seed: u64) -> Self {
        let random = Random((seed.wrapping_mul(1_000_003) + number).wrapping_mul(7_919) | 1);
        Self {
            client,
            list,
            number,
            random,
            known: HashMap::new(),
        }
    }

    /// Sends all requests. Every second one is about the row of the one before, whose version is often still current.
    pub(super) async fn run(mut self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        let mut row = 1;
        for operation in 1..=OPERATIONS {
            if self.random.below(2) == 0 {
                row = self.random.below(ROWS) + 1;
            }
            let value = i64::try_from(self.number * 1_000_000 + operation).unwrap();
            exchanges.push(self.send(row, value).await);
        }
        exchanges
    }

    /// Reads a row or writes it, with or without the version that this client has seen last.
    async fn send(&mut self, row: u64, value: i64) -> Exchange {
        let number = 1 + i64::try_from(self.random.below(9)).unwrap();
        let known = self.known.get(&row).cloned();
        let old_total = known.as_ref().map_or(0, |(values, _)| values.total);
        let whole = Values {
            value,
            total: old_total + number,
        };
        let (sent, is_based) = match self.random.below(20) {
            0..6 => (None, false),
            6..11 => (Some(Change::Value(value)), true),
            11..14 => (Some(Change::Whole(whole)), true),
            14..16 => (Some(Change::Increment(number)), true),
            16 => (Some(Change::Value(value)), false),
            17 => (Some(Change::Whole(whole)), false),
            _ => (Some(Change::Increment(number)), false),
        };
        let (sent, base) = match (is_based, known) {
            (true, Some((_, tag))) => (sent, Some(tag)),
            (true, None) => (None, None),
            (false, _) => (sent, None),
        };
        self.exchange(row, sent, base).await
    }

    async fn exchange(&mut self, row: u64, sent: Option<Change>, base: Option<String>) -> Exchange {
        let item = format!("{}/{row}", self.list);
        let client = match &base {
            Some(tag) => self.client.with_header("if-match", tag),
            None => self.client.clone(),
        };
        let begin = Instant::now();
        let response = match sent {
            None => client.get(&item).await,
            Some(change) => {
                let method = match change {
                    Change::Whole(_) => Method::PUT,
                    Change::Value(_) | Change::Increment(_) => Method::PATCH,
                };
                client.send_json(method, &item, change.body()).await
            }
        };
        let end = Instant::now();
        let tag = response.header("etag").to_owned();
        let is_refused = base.is_some() && response.status == 412;
        let shown = (!is_refused).then(|| Version::of(&response.expect(200).json()));
        match shown {
            Some(shown) => self.known.insert(row, (shown.values, tag.clone())),
            None => self.known.remove(&row),
        };
        Exchange {
            row,
            begin,
            end,
            sent,
            base,
            tag,
            shown,
        }
    }
}
