//! The effect of logins on other requests, and timing of logins. Measured as ratios within one run, the best of
//! several.

use std::time::{Duration, Instant};

use serde_json::json;
use test_support::{Client, Process, TestDatabase};
use tokio::task::JoinSet;

use crate::browser::USERS;
use crate::serve;
use crate::support::accounts::LOGIN;

/// Maximum rounds. A busy machine spoils some of them, so one successful round suffices.
const ROUNDS: usize = 5;

fn quantile(times: &mut [Duration], part: f64) -> Duration {
    times.sort();
    times[((times.len() - 1) as f64 * part) as usize]
}

/// Returns a client with its own address.
fn from_elsewhere(client: &Client, number: usize) -> Client {
    client.with_header(
        "x-forwarded-for",
        &format!("10.0.{}.{}", number / 256, number % 256),
    )
}

async fn p99_of_gets(client: &Client, count: usize) -> Duration {
    let mut times = Vec::new();
    for _ in 0..count {
        let started = Instant::now();
        client.get("/api/v1/articles/1").await.expect(200);
        times.push(started.elapsed());
    }
    quantile(&mut times, 0.99)
}

/// Starts a server that trusts every forwarded address, so that only the limit per account applies.
async fn served(users: usize) -> (TestDatabase, Process) {
    let database = TestDatabase::create();
    let process = Process::start(serve::command(&database.url()).args(["--trusted-proxies", "127.0.0.1"]));
    for number in 0..users {
        let account = json!({"email": format!("ann{number}@example.com"), "username": format!("ann{number}"),
            "password": "correct horse"});
        process.client.post(USERS, account).await.expect(201);
    }
    let article = json!({"title": "One", "body": "Text", "published": true});
    serve::admin(&process, &database.url())
        .await
        .post("/api/v1/articles", article)
        .await
        .expect(201);
    (database, process)
}

/// SEC-26, LOAD-70: under 200 concurrent logins the 99th percentile of other requests is at most five times as
/// long, and the logins that the pool has no room for are 503.
#[tokio::test]
async fn parallel_logins_do_not_starve_other_requests() {
    let (_database, process) = served(20).await;
    let client = &process.client;
    p99_of_gets(client, 200).await;
    let mut ratios = Vec::new();
    for round in 0..ROUNDS {
        let idle = p99_of_gets(client, 400).await;
        let mut logins = JoinSet::new();
        for number in 0..200 {
            let client = from_elsewhere(client, round * 200 + number);
            // Logins of unknown users take as long as those of known ones.
            let name = format!("ann{number}");
            logins.spawn(async move {
                let login = json!({"email": name, "password": "correct horse", "credential": "token"});
                client.post(LOGIN, login).await.status.as_u16()
            });
        }
        // All of them have arrived when the first ones are answered.
        let first = logins.join_next().await.unwrap().unwrap();
        let busy = p99_of_gets(client, 400).await;
        let waiting = logins.len();
        let mut answers = logins.join_all().await;
        answers.push(first);
        assert!(
            // LOAD-70: those beyond the queue of the pool are rejected.
            answers.iter().all(|status| [200, 401, 503].contains(status)),
            "{answers:?}"
        );
        assert!(answers.contains(&200) && answers.contains(&401), "{answers:?}");
        if waiting > 0 {
            ratios.push(busy.as_secs_f64() / idle.as_secs_f64());
        }
        if ratios.last().is_some_and(|ratio| *ratio <= 5.0) {
            return;
        }
    }
    panic!("p99 under logins, as multiples of p99 without: {ratios:?}");
}

/// SEC-26: the times of an unknown user and of a wrong password overlap: each median lies within the other's range.
#[tokio::test]
async fn an_unknown_user_and_a_wrong_password_take_the_same_time() {
    let (_database, process) = served(10).await;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for attempt in 0..20 {
            for (name, times) in [("ann", &mut known), ("bob", &mut unknown)] {
                let client = from_elsewhere(&process.client, round * 20 + attempt);
                let login = json!({"email": format!("{name}{}", attempt % 10), "password": "wrong horse"});
                let started = Instant::now();
                client.post(LOGIN, login).await.expect(401);
                times.push(started.elapsed());
            }
        }
        let range =
            |times: &mut Vec<Duration>| (quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9));
        let (known, unknown) = (range(&mut known), range(&mut unknown));
        let within = |middle: Duration, range: (Duration, Duration, Duration)| {
            range.0.mul_f64(0.9) <= middle && middle <= range.2.mul_f64(1.1)
        };
        if within(known.1, unknown) && within(unknown.1, known) {
            return;
        }
        times.push((known, unknown));
    }
    panic!("known and unknown users' times do not overlap: {times:?}");
}

/// LOAD-77: a login waits for few of the registrations that are queued before it.
#[tokio::test]
async fn a_login_does_not_wait_for_a_queue_of_registrations() {
    let (_database, process) = served(1).await;
    let mut registrations = JoinSet::new();
    for number in 0..40 {
        let client = from_elsewhere(&process.client, number);
        let account = json!({"email": format!("new{number}@example.com"), "username": format!("new{number}"),
            "password": "correct horse"});
        registrations.spawn(async move {
            client.post(USERS, account).await.expect(201);
            Instant::now()
        });
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let login = json!({"email": "ann0", "password": "correct horse"});
    process.client.post(LOGIN, login).await.expect(200);
    let login = Instant::now();
    let ends = registrations.join_all().await;
    let later = ends.iter().filter(|end| **end > login).count();
    assert!(later > 20, "{later} of 40 registrations ended after the login");
}
