//! Histories of concurrent requests, checked against what one client after the other could have seen.

use std::collections::HashMap;
use std::time::Instant;

use futures_util::future::join_all;
use model_resource::{Api, Model, ModelResource, model_resource};
use serde_json::{Value, json};
use test_support::{Client, TestApp};

const CLIENTS: u64 = 10;
const OPERATIONS: u64 = 1_000;
const ROWS: u64 = 5;

#[derive(Debug, Clone, Model)]
#[model(table = "counters")]
struct Counter {
    #[column(primary_key)]
    id: i64,
    value: i64,
    #[column(version)]
    version: i64,
}

struct CounterResource;

#[model_resource(Counter, "/counters", "/counters/<int:id>")]
impl ModelResource for CounterResource {}

/// A version of a row that a request has read or written.
#[derive(Debug, Clone, Copy)]
struct Event {
    row: u64,
    version: i64,
    value: i64,
    /// Version that the write started from; `None` for a read.
    base: Option<i64>,
    begin: Instant,
    end: Instant,
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Version, value and tag of a response.
fn seen(object: &Value) -> (i64, i64) {
    let number = |name: &str| object[name].as_i64().unwrap();
    (number("version"), number("value"))
}

/// Reads rows, and adds random numbers to them with and without a reading that others have made old.
async fn run(client: Client, number: u64) -> Vec<Event> {
    let mut random = Random(number * 7_919 + 1);
    let mut known: HashMap<u64, (i64, i64, String)> = HashMap::new();
    let mut events = Vec::new();
    for _ in 0..OPERATIONS {
        let row = random.below(ROWS) + 1;
        let item = format!("/counters/{row}");
        let begin = Instant::now();
        let (response, base) = match known.remove(&row) {
            Some((base, value, tag)) if random.below(4) > 0 => {
                let sum = value + 1 + i64::try_from(random.below(9)).unwrap();
                let client = client.with_header("if-match", &tag);
                (client.patch(&item, json!({"value": sum})).await, Some(base))
            }
            _ => (client.get(&item).await, None),
        };
        let end = Instant::now();
        if response.status == 412 {
            assert!(base.is_some());
            continue;
        }
        let (version, value) = seen(&response.expect(200).json());
        events.push(Event {
            row,
            version,
            value,
            base,
            begin,
            end,
        });
        let tag = client.get(&item).await;
        let (version, value) = seen(&tag.json());
        known.insert(row, (version, value, tag.header("etag").to_owned()));
    }
    events
}

/// VSN-4: 10,000 reads and conditional writes of several clients could have been made one after the other, in an order
/// that keeps those apart that did not overlap.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_and_conditional_writes_are_linearizable_per_row() {
    let app = TestApp::with_api(Api::new("counters").model_resource::<CounterResource>()).await;
    for _ in 0..ROWS {
        app.post("/counters", json!({"value": 0})).await.expect(201);
    }
    let clients = (0..CLIENTS).map(|number| tokio::spawn(run(app.client.clone(), number)));
    let events: Vec<Event> = join_all(clients)
        .await
        .into_iter()
        .flat_map(Result::unwrap)
        .collect();
    let mut writes = 0;
    for row in 1..=ROWS {
        let mut of_row: Vec<Event> = events.iter().copied().filter(|event| event.row == row).collect();
        let last = seen(&app.get(&format!("/counters/{row}")).await.expect(200).json());
        // Each version was written once, from the one before, and has one value.
        let mut written: Vec<Event> = of_row
            .iter()
            .copied()
            .filter(|event| event.base.is_some())
            .collect();
        written.sort_by_key(|event| event.version);
        let mut values = HashMap::from([(1, 0)]);
        for (position, event) in written.iter().enumerate() {
            assert_eq!(event.version, i64::try_from(position).unwrap() + 2, "{event:?}");
            assert_eq!(event.base, Some(event.version - 1), "{event:?}");
            assert!(event.value > values[&(event.version - 1)], "{event:?}");
            values.insert(event.version, event.value);
        }
        assert_eq!(last, (i64::try_from(written.len()).unwrap() + 1, values[&last.0]));
        for event in &of_row {
            assert_eq!(values[&event.version], event.value, "{event:?}");
        }
        // What began after the end of another request saw at least its version.
        of_row.sort_by_key(|event| event.begin);
        let mut ended: Vec<Event> = of_row.clone();
        ended.sort_by_key(|event| event.end);
        let (mut ended, mut newest) = (ended.into_iter().peekable(), 1);
        for event in &of_row {
            while let Some(before) = ended.next_if(|before| before.end < event.begin) {
                newest = newest.max(before.version);
            }
            assert!(event.version >= newest, "{event:?} after version {newest}");
        }
        writes += written.len();
    }
    assert!(writes > 500, "{writes} writes");
}
