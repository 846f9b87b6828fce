//! Clients that take a response slowly.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use futures_util::stream;
use model_resource::Server;
use test_support::RawConnection;

use super::{start, start_app};

/// Reads a response in parts until the server closes the connection, at most for ten seconds. Returns whether it did.
async fn is_disconnected(server: Server) -> bool {
    let state = server.state();
    let running = start(server).await;
    let mut slow = RawConnection::connect(running.address).await;
    slow.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    slow.read_head().await;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if state.connections() == 0 {
            return true;
        }
        slow.read(40_000).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// LOAD-24: a client that takes some bytes again and again, but too few on average, is disconnected.
#[tokio::test]
async fn a_reader_below_the_minimum_rate_is_disconnected() {
    // The client takes about 2 MB per second, none of it later than the timeout.
    let server = Server::default().write_timeout(Duration::from_secs(4));
    assert!(is_disconnected(server.clone().min_write_rate(100_000_000)).await);
    assert!(!is_disconnected(server.min_write_rate(0)).await);
}

/// LOAD-102: a client that takes nothing has the server make little more of a stream than its own buffers hold.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn little_is_made_for_a_client_that_takes_nothing() {
    const FRAME: usize = 16 * 1024;
    let made = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&made);
    let endless = move || {
        let made = Arc::clone(&counted);
        let frames = stream::repeat_with(move || {
            made.fetch_add(FRAME, Ordering::Relaxed);
            Ok::<_, Infallible>(Bytes::from_static(&[b'x'; FRAME]))
        });
        async { Body::from_stream(frames) }
    };
    let app = Router::new().route("/endless", get(endless));
    let running = start_app(Server::default(), app).await;
    let mut slow = RawConnection::connect_narrow(running.address).await;
    slow.send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    slow.read_head().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = made.load(Ordering::Relaxed);
    assert!((FRAME..1 << 20).contains(&before), "{before}");
    // What is taken is made up for.
    while made.load(Ordering::Relaxed) == before {
        assert!(!slow.read(64 * 1024).await.is_empty());
    }
}
