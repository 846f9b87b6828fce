//! Clients that disconnect during a slow request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use test_support::{RawConnection, TestApp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Counts of finished and cancelled requests.
#[derive(Clone, Default)]
struct Outcomes(Arc<Counts>);

#[derive(Default)]
struct Counts {
    begun: AtomicUsize,
    cancelled: AtomicUsize,
    done: AtomicUsize,
    go_on: Notify,
}

/// A request that counts as cancelled unless it finishes.
struct CancelGuard(Outcomes);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.0.cancelled.fetch_add(1, Ordering::SeqCst);
    }
}

impl Outcomes {
    /// Returns when the test says so.
    async fn wait(self) -> &'static str {
        let guard = CancelGuard(self.clone());
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        self.0.go_on.notified().await;
        self.0.done.fetch_add(1, Ordering::SeqCst);
        std::mem::forget(guard);
        "done"
    }

    async fn until(&self, count: impl Fn(&Counts) -> &AtomicUsize, expected: usize) {
        for _ in 0..1000 {
            if count(&self.0).load(Ordering::SeqCst) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("timed out waiting for {expected}");
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
async fn a_search_is_cancelled_if_its_client_disconnects() {
    let fates = Outcomes::default();
    let app = fates.serve().await;
    for round in 1..=3 {
        let mut gone = RawConnection::connect(app.address).await;
        gone.send("GET /slow?q=x HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        fates.until(|counts| &counts.begun, round).await;
        drop(gone);
        fates.until(|counts| &counts.cancelled, round).await;
    }
}

/// A write is finished, also on a connection that has served another request before.
#[tokio::test]
async fn a_write_is_finished_if_its_client_disconnects() {
    let fates = Outcomes::default();
    let app = fates.serve().await;
    let mut gone = RawConnection::connect(app.address).await;
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
    // Longer than the server waits before it cancels a search.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    fates.0.go_on.notify_waiters();
    fates.until(|counts| &counts.done, 2).await;
    assert_eq!(fates.0.cancelled.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_client_that_has_closed_its_sending_side_gets_a_response() {
    let fates = Outcomes::default();
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
