//! Rolling restarts behind HAProxy and nginx, a cache, and the nginx of the guide, called by `cargo xtask proxies`.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests use the rest of it")]
mod support;

mod cache;
mod deployed;
mod proxy;

use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use model_resource::Store;
use serde_json::json;
use test_support::{Client, Process, TestDatabase};

use crate::proxy::Proxy;
use crate::support::accounts::admin_token;

/// Clients that send requests all the time.
const CLIENTS: usize = 6;

/// LOAD-26: a restart of every process, one after the other, fails no request behind HAProxy.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_behind_haproxy_fails_no_request() {
    rolling_restart(Proxy::haproxy).await;
}

/// LOAD-26: a restart of every process, one after the other, fails no request behind nginx.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_behind_nginx_fails_no_request() {
    rolling_restart(Proxy::nginx).await;
}

async fn rolling_restart(start_proxy: fn([u16; 3]) -> Proxy) {
    let database = TestDatabase::create();
    let ports = free_ports();
    let mut processes: Vec<Process> = ports.iter().map(|port| start(&database, *port)).collect();
    for process in &processes {
        until_ready(process.address).await;
    }
    let store = Store::open(&database.url()).await.unwrap();
    let token = admin_token(&store).await;
    let proxy = start_proxy(ports);
    until_ready(proxy.address).await;
    let client = Client::new(proxy.address).with_token(&token);

    let is_over = Arc::new(AtomicBool::new(false));
    let sent = Arc::new(AtomicUsize::new(0));
    let load: Vec<_> = (0..CLIENTS)
        .map(|number| {
            tokio::spawn(load(
                client.clone(),
                number,
                Arc::clone(&is_over),
                Arc::clone(&sent),
            ))
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for (process, port) in processes.iter_mut().zip(ports) {
        process.signal("TERM");
        let (status, log) = tokio::task::block_in_place(|| process.wait());
        assert!(status.success(), "{status}: {log}");
        *process = start(&database, port);
        until_ready(process.address).await;
        // Until the proxy has noticed.
        tokio::time::sleep(Duration::from_millis(1500)).await;
    }
    is_over.store(true, Ordering::Relaxed);
    let mut failed = Vec::new();
    for one in load {
        failed.extend(one.await.unwrap());
    }
    let sent = sent.load(Ordering::Relaxed);
    println!("{sent} requests, {} failed", failed.len());
    assert!(
        failed.is_empty(),
        "{} of {sent} failed: {:?}",
        failed.len(),
        &failed[..failed.len().min(5)]
    );
    assert!(sent > 200, "only {sent} requests were sent");
}

/// Reads and writes until it is over. Returns the failed requests.
async fn load(
    client: Client,
    number: usize,
    is_over: Arc<AtomicBool>,
    sent: Arc<AtomicUsize>,
) -> Vec<String> {
    let mut failed = Vec::new();
    for round in 0.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let name = format!("Category {number} {round}");
        let body = Bytes::from(json!({"name": name}).to_string());
        let body = Some(("application/json", body));
        let created = client.try_send(Method::POST, "/api/v1/categories", body).await;
        let read = client
            .try_send(Method::GET, "/api/v1/categories?limit=5", None)
            .await;
        for (outcome, expected) in [(created, "201"), (read, "20")] {
            sent.fetch_add(1, Ordering::Relaxed);
            match outcome {
                Ok(answer) if answer.status.as_str().starts_with(expected) => {}
                Ok(answer) => failed.push(format!("{}: {:?}", answer.status, answer.body)),
                Err(error) => failed.push(error),
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    failed
}

fn start(database: &TestDatabase, port: u16) -> Process {
    start_with(database, port, &[])
}

fn start_with(database: &TestDatabase, port: u16, options: &[&str]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    let address = format!("127.0.0.1:{port}");
    command.args(["serve", "--listen", &address, "--database", &database.url()]);
    command.args(options);
    // Nobody reads the log before the end.
    Process::start(command.env("BACKEND_LOG", "warn"))
}

/// Waits until `/readyz` is 200.
async fn until_ready(address: SocketAddr) {
    let client = Client::new(address);
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match client.try_send(Method::GET, "/readyz", None).await {
            Ok(answer) if answer.status == 200 => return,
            other => assert!(
                Instant::now() < deadline,
                "{address} is not ready: {:?}",
                other.map(|answer| answer.status)
            ),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn free_ports() -> [u16; 3] {
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners
        .each_ref()
        .map(|listener| listener.local_addr().unwrap().port())
}
