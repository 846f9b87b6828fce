//! Measurement of requests, called by `cargo xtask pooler --measure`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use model_resource::Store;
use serde_json::json;
use test_support::{Client, TestDatabase};

use crate::serve;
use crate::support::accounts::admin_token;

const CLIENTS: usize = 16;
const TIME: Duration = Duration::from_secs(5);
/// Number of names so far, since they are unique.
static NAMES: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy)]
enum Work {
    Get,
    List,
    Create,
    Patch,
}

/// Prints the requests per second of each kind.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn requests_per_second() {
    let database = TestDatabase::create();
    let process = serve::start(&database);
    let store = Store::open(&database.url()).await.unwrap();
    let client = process.client.with_token(&admin_token(&store).await);
    for number in 0..100 {
        let tag = json!({"tag": {"name": format!("tag {number}")}});
        client.post("/api/v1/tags", tag).await.expect(201);
    }
    for (name, work) in [
        ("get", Work::Get),
        ("list", Work::List),
        ("create", Work::Create),
        ("patch", Work::Patch),
    ] {
        run(&client, work, Duration::from_secs(1)).await;
        let count = run(&client, work, TIME).await;
        println!("{name:>8} {:>8.0} per second", count as f64 / TIME.as_secs_f64());
    }
}

/// Repeats a request in several clients and returns the number of all.
async fn run(client: &Client, work: Work, time: Duration) -> usize {
    let clients = (0..CLIENTS).map(|number| tokio::spawn(repeat(client.clone(), work, time, number)));
    let clients: Vec<_> = clients.collect();
    let mut count = 0;
    for client in clients {
        count += client.await.unwrap();
    }
    count
}

async fn repeat(client: Client, work: Work, time: Duration, number: usize) -> usize {
    let (begin, id) = (Instant::now(), number + 1);
    let mut count = 0;
    while begin.elapsed() < time {
        let name = format!("name {}", NAMES.fetch_add(1, Ordering::Relaxed));
        let tag = json!({"tag": {"name": name}});
        match work {
            Work::Get => client.get(&format!("/api/v1/tags/{id}")).await.expect(200),
            Work::List => client.get("/api/v1/tags?limit=20").await.expect(200),
            Work::Create => client.post("/api/v1/tags", tag).await.expect(201),
            Work::Patch => client.patch(&format!("/api/v1/tags/{id}"), tag).await.expect(200),
        };
        count += 1;
    }
    count
}
