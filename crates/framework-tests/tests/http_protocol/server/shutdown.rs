//! Shutdown without losing requests.

use std::process::Command;
use std::time::{Duration, Instant};

use model_resource::{Server, Shutdown, shutdown_signal};
use test_support::RawConnection;
use tokio::net::TcpStream;

use super::{get_root, start, until};

/// LOAD-23: for the grace period the server answers on old and new connections, closes each after its response, and
/// keeps idle ones.
#[tokio::test]
async fn requests_of_the_grace_period_are_answered_and_close_their_connections() {
    let server = Server::default().grace_period(Duration::from_secs(2));
    let state = server.state();
    let running = start(server).await;
    let mut first = RawConnection::connect(running.address).await;
    let mut second = RawConnection::connect(running.address).await;
    for connection in [&mut first, &mut second] {
        let head = get_root(connection).await;
        assert!(
            head.starts_with("HTTP/1.1 200 ") && !head.contains("connection: close"),
            "{head}"
        );
    }
    assert!(!state.is_stopping());
    let started = Instant::now();
    running.stop.send(Shutdown::AfterGracePeriod).unwrap();
    until("the server is stopping", || state.is_stopping()).await;
    let mut new = RawConnection::connect(running.address).await;
    for connection in [&mut first, &mut new] {
        let head = get_root(connection).await;
        assert!(
            head.starts_with("HTTP/1.1 200 ") && head.contains("connection: close"),
            "{head}"
        );
        assert_eq!(connection.read(1).await, b"");
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let head = get_root(&mut second).await;
    assert!(
        head.starts_with("HTTP/1.1 200 "),
        "the idle connection was closed: {head}"
    );
    running.ended.await.unwrap();
    assert!(
        started.elapsed() >= Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    assert!(TcpStream::connect(running.address).await.is_err());
}

/// LOAD-23: without a grace period, and on SIGINT, idle connections are closed at once and requests finish.
#[tokio::test]
async fn a_shutdown_at_once_finishes_requests_and_closes_idle_connections() {
    let servers = [
        (Server::default(), Shutdown::AfterGracePeriod),
        (
            Server::default().grace_period(Duration::from_secs(60)),
            Shutdown::Now,
        ),
    ];
    for (server, shutdown) in servers {
        let running = start(server).await;
        let mut idle = RawConnection::connect(running.address).await;
        assert!(get_root(&mut idle).await.starts_with("HTTP/1.1 200 "));
        let mut busy = RawConnection::connect(running.address).await;
        busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        running.stop.send(shutdown).unwrap();
        assert_eq!(idle.read(1).await, b"");
        let head = busy.read_head().await;
        assert!(
            head.starts_with("HTTP/1.1 200 ") && head.contains("connection: close"),
            "{head}"
        );
        tokio::time::timeout(Duration::from_secs(20), running.ended)
            .await
            .unwrap()
            .unwrap();
    }
}

/// Environment variable of the process that gets a signal, so that no other one does.
const GETS_SIGNAL: &str = "TEST_PROCESS_GETS_SIGNAL";

/// Part of the test below that needs a process of its own.
#[tokio::test]
#[ignore = "another test starts it"]
async fn a_process_signals_itself() {
    if std::env::var_os(GETS_SIGNAL).is_none() {
        return;
    }
    let signal = shutdown_signal();
    let killed = Command::new("kill")
        .args(["-TERM", &std::process::id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let caught = tokio::time::timeout(Duration::from_secs(60), signal).await;
    assert_eq!(caught, Ok(Shutdown::AfterGracePeriod));
}

/// LIM-7: a signal after the call of `shutdown_signal` is not lost, although nothing has polled its future yet.
#[test]
fn a_signal_before_the_first_poll_is_caught() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "server::shutdown::a_process_signals_itself",
            "--exact",
            "--ignored",
        ])
        .env(GETS_SIGNAL, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(printed.contains("1 passed"), "{printed}");
}
