//! Clients that take a response slowly.

use std::time::{Duration, Instant};

use model_resource::Server;
use test_support::RawConnection;

use super::start;

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
