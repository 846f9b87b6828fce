//! Limits of a request's head, and of the time between two requests.

use std::time::{Duration, Instant};

use model_resource::Server;
use test_support::RawConnection;

use super::{get_root, start};

/// Sends a head with `count` headers of `size` bytes, as far as the server reads it, and returns the status line.
async fn status_of(connection: &mut RawConnection, count: usize, size: usize) -> String {
    let _ = connection.send("GET / HTTP/1.1\r\nHost: x\r\n").await;
    for number in 0..count {
        let header = format!("X-{number}: {}\r\n", "y".repeat(size));
        if connection.send(header).await.is_err() {
            break;
        }
    }
    let _ = connection.send("\r\n").await;
    let head = connection.read_head().await;
    head.lines().next().unwrap_or_default().to_owned()
}

/// LOAD-22: a head of more bytes or headers than permitted is a 431.
#[tokio::test]
async fn a_head_that_is_too_large_is_a_431() {
    let default = start(Server::default()).await;
    let server = Server::default().max_header_bytes(4096).max_headers(10);
    let small = start(server).await;
    for (address, count, size, expected) in [
        (default.address, 11, 10_000, "200"),
        (default.address, 14, 10_000, "431"),
        (default.address, 120, 1, "431"),
        (small.address, 3, 1000, "200"),
        (small.address, 5, 1000, "431"),
        (small.address, 12, 1, "431"),
    ] {
        let mut connection = RawConnection::connect(address).await;
        let status = status_of(&mut connection, count, size).await;
        assert!(status.contains(expected), "{count} of {size} bytes: {status}");
    }
}

/// LOAD-22: a header of 2 MB is not read to its end.
#[tokio::test]
async fn a_header_of_2_mb_is_refused_early() {
    let running = start(Server::default()).await;
    let mut connection = RawConnection::connect_narrow(running.address).await;
    connection
        .send("GET / HTTP/1.1\r\nHost: x\r\nX-Csv: ")
        .await
        .unwrap();
    let part = [b'a'; 16 * 1024];
    let mut sent = 0;
    while sent < 2_000_000 && connection.send(part).await.is_ok() {
        sent += part.len();
    }
    // Without waiting for the end of the header, which never comes. The reset may overtake the response.
    let head = connection.read_head().await;
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 431 "), "{head}");
}

/// LOAD-22: an idle connection is kept for the keep-alive timeout, and a head that has begun for the header timeout.
#[tokio::test]
async fn idle_connections_and_half_sent_heads_have_timeouts_of_their_own() {
    let server = Server::default()
        .header_timeout(Duration::from_millis(500))
        .keep_alive_timeout(Duration::from_secs(8));
    let running = start(server).await;
    let mut kept = RawConnection::connect(running.address).await;
    let mut half = RawConnection::connect(running.address).await;
    for connection in [&mut kept, &mut half] {
        assert!(get_root(connection).await.starts_with("HTTP/1.1 200 "));
    }
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert!(get_root(&mut kept).await.starts_with("HTTP/1.1 200 "));
    let started = Instant::now();
    half.send("GET / HTTP").await.unwrap();
    assert_eq!(half.read_to_end().await, "");
    assert!(
        started.elapsed() < Duration::from_secs(6),
        "{:?}",
        started.elapsed()
    );
    let started = Instant::now();
    assert_eq!(kept.read_to_end().await, "");
    let waited = started.elapsed();
    assert!(waited > Duration::from_millis(1500), "{waited:?}");
    assert!(waited < Duration::from_secs(20), "{waited:?}");
}

/// LOAD-22: settings that cannot work are refused.
#[test]
fn impossible_limits_are_refused_with_the_remedy() {
    type Setting = fn(Server) -> Server;
    let settings: [(Setting, &str); 4] = [
        (|server| server.max_connections(0), "set 1 or more"),
        (|server| server.max_connections_per_address(0), "set 1 or more"),
        (|server| server.max_headers(0), "set 1 or more"),
        (|server| server.max_header_bytes(100), "the minimum"),
    ];
    for (set, remedy) in settings {
        let panic = std::panic::catch_unwind(|| set(Server::default())).unwrap_err();
        let text = panic.downcast_ref::<&str>().unwrap();
        assert!(text.contains(remedy), "{text}");
    }
}
