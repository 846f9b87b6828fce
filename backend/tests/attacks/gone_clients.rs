//! Clients that ask for something that takes long, and do not wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::support::{Raw, TestApp};

/// What became of the requests of a test.
#[derive(Clone, Default)]
struct Fates(Arc<Counts>);

#[derive(Default)]
struct Counts {
    begun: AtomicUsize,
    given_up: AtomicUsize,
    done: AtomicUsize,
    go_on: Notify,
}

/// A request that is given up unless it is done.
struct Fate(Fates);

impl Drop for Fate {
    fn drop(&mut self) {
        self.0.0.given_up.fetch_add(1, Ordering::SeqCst);
    }
}

impl Fates {
    /// Answers when the test says so.
    async fn wait(self) -> &'static str {
        let fate = Fate(self.clone());
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        self.0.go_on.notified().await;
        self.0.done.fetch_add(1, Ordering::SeqCst);
        std::mem::forget(fate);
        "done"
    }

    async fn until(&self, count: impl Fn(&Counts) -> &AtomicUsize, expected: usize) {
        for _ in 0..1000 {
            if count(&self.0).load(Ordering::SeqCst) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("never were there {expected}");
    }

    async fn serve(&self) -> TestApp {
        let (reading, writing) = (self.clone(), self.clone());
        let reads = get(move || reading.clone().wait());
        let writes = post(move || writing.clone().wait());
        let app = Router::new().route("/slow", reads.merge(writes));
        TestApp::with_router(&[], |_| app).await
    }
}

#[tokio::test]
async fn a_search_whose_client_is_gone_is_given_up() {
    let fates = Fates::default();
    let app = fates.serve().await;
    for round in 1..=3 {
        let mut gone = Raw::connect(app.address).await;
        gone.send("GET /slow?q=x HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        fates.until(|counts| &counts.begun, round).await;
        drop(gone);
        fates.until(|counts| &counts.given_up, round).await;
    }
}

/// Also one that has been answered on the same connection before.
#[tokio::test]
async fn a_write_whose_client_is_gone_is_finished() {
    let fates = Fates::default();
    let app = fates.serve().await;
    let mut gone = Raw::connect(app.address).await;
    gone.send("GET /slow?q=x HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    fates.until(|counts| &counts.begun, 1).await;
    fates.0.go_on.notify_waiters();
    assert!(gone.read_head().await.starts_with("HTTP/1.1 200 "));
    gone.read(4).await;
    gone.send("POST /slow?q=x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        .await
        .unwrap();
    fates.until(|counts| &counts.begun, 2).await;
    drop(gone);
    // Longer than a search would be waited for.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    fates.0.go_on.notify_waiters();
    fates.until(|counts| &counts.done, 2).await;
    assert_eq!(fates.0.given_up.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_has_said_all_is_answered() {
    let fates = Fates::default();
    let app = fates.serve().await;
    for request in [
        "GET /slow?q=x HTTP/1.1\r\n",
        "POST /slow HTTP/1.1\r\nContent-Length: 0\r\n",
    ] {
        let mut client = TcpStream::connect(app.address).await.unwrap();
        client
            .write_all(format!("{request}Host: x\r\n\r\n").as_bytes())
            .await
            .unwrap();
        client.shutdown().await.unwrap();
        let begun = fates.0.done.load(Ordering::SeqCst) + 1;
        fates.until(|counts| &counts.begun, begun).await;
        fates.0.go_on.notify_waiters();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("done"), "{answer}");
    }
}
