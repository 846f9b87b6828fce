//! The load: clients that ask again as soon as they are answered.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::client::Client;
use super::histogram::Histogram;
use super::request::Requests;
use crate::outcome::{Failure, Work};

/// So many threads ask.
const THREADS: usize = 2;

pub(super) struct Load {
    /// Within the time, the last of each client in part.
    pub(super) requests: f64,
    /// Answered, if after the time too.
    pub(super) answered: u64,
    pub(super) failed: u64,
    pub(super) histogram: Histogram,
}

impl Load {
    fn new() -> Self {
        Self {
            requests: 0.0,
            answered: 0,
            failed: 0,
            histogram: Histogram::new(),
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        self.requests += other.requests;
        self.answered += other.answered;
        self.failed += other.failed;
        self.histogram.merge(&other.histogram);
        self
    }
}

/// Loads a server; `start` is called when all clients are connected.
pub(super) fn run(
    address: &str,
    work: Work,
    round: u64,
    time: Duration,
    start: impl FnOnce(),
) -> Result<Load, Failure> {
    let ready = Barrier::new(THREADS + 1);
    let go = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        let spawn = |thread: usize| {
            let (ready, go) = (&ready, &go);
            let share = (work.clients() + thread) / THREADS;
            let first = (round * THREADS as u64 + thread as u64) * 1000;
            scope.spawn(move || ask(address, work, first, share, time, ready, go))
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        ready.wait();
        start();
        go.wait();
        let mut whole = Load::new();
        for thread in threads {
            whole = whole.merge(&thread.join().map_err(|_| "a thread of the load panicked")??);
        }
        Ok(whole)
    })
}

fn ask(
    address: &str,
    work: Work,
    first: u64,
    clients: usize,
    time: Duration,
    ready: &Barrier,
    go: &Barrier,
) -> Result<Load, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let connected = runtime.block_on(async {
        let mut connected = Vec::new();
        for _ in 0..clients {
            connected.push(Client::connect(address).await?);
        }
        Ok::<_, Failure>(connected)
    });
    ready.wait();
    go.wait();
    let connected = connected?;
    runtime.block_on(async {
        let end = Instant::now() + time;
        let clients = (first..).zip(connected);
        let tasks: Vec<_> = clients
            .map(|(number, client)| tokio::spawn(one(client, Requests::new(work, number), end)))
            .collect();
        let mut whole = Load::new();
        for task in tasks {
            whole = whole.merge(&task.await??);
        }
        Ok(whole)
    })
}

async fn one(mut client: Client, mut requests: Requests, end: Instant) -> Result<Load, Failure> {
    let mut load = Load::new();
    let mut sent = Instant::now();
    while sent < end {
        let status = client.exchange(requests.next(), |_| ()).await?;
        let answered = Instant::now();
        let latency = answered - sent;
        let in_time = (end - sent).as_secs_f64() / latency.as_secs_f64().max(1e-9);
        load.answered += 1;
        if (200..300).contains(&status) {
            load.requests += in_time.min(1.0);
            load.histogram.add(latency);
        } else {
            load.failed += 1;
        }
        sent = answered;
    }
    Ok(load)
}
