//! Limits and timeouts of a running server, from its settings.

use std::time::{Duration, Instant};

use test_support::{Process, RawConnection, TestDatabase};

use crate::serve;

/// Sends a request and returns the first line of the response; empty if the connection was closed.
async fn status(connection: &mut RawConnection, request: &str) -> String {
    if connection.send(request).await.is_err() {
        return String::new();
    }
    let head = connection.read_head().await;
    head.lines().next().unwrap_or_default().to_owned()
}

/// LOAD-54: limits of connections, heads, bodies and time that arguments and the environment set hold for the server.
#[tokio::test]
async fn a_server_has_the_limits_of_its_settings() {
    let database = TestDatabase::create();
    let mut command = serve::command(&database.url());
    command
        .args(["--max-header-kib=4", "--request-timeout-seconds=1"])
        .env("BACKEND_MAX_CONNECTIONS_PER_ADDRESS", "2")
        .env("BACKEND_BODY_LIMIT_KIB", "1");
    let process = Process::start(&mut command);
    let mut first = RawConnection::connect(process.address).await;
    let mut second = RawConnection::connect(process.address).await;
    let get = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
    assert!(status(&mut first, &format!("{get}\r\n")).await.contains(" 200 "));

    let post = "POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length:";
    let started = Instant::now();
    let late = status(&mut second, &format!("{post} 100\r\n\r\n{{")).await;
    assert!(late.contains(" 408 "), "{late}");
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    drop(second);

    let mut second = RawConnection::connect(process.address).await;
    let large = status(&mut second, &format!("{post} 1025\r\n\r\n{}", " ".repeat(1025))).await;
    assert!(large.contains(" 413 "), "{large}");
    let mut third = RawConnection::connect(process.address).await;
    assert_eq!(status(&mut third, &format!("{get}\r\n")).await, "");

    let head = format!("{get}X-Long: {}\r\n\r\n", "y".repeat(5000));
    let mut first = RawConnection::connect_from([127, 0, 0, 2].into(), process.address).await;
    let large = status(&mut first, &head).await;
    assert!(large.contains(" 431 "), "{large}");
}
