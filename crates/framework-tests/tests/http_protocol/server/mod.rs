//! The server: bounds of connections, heads and slow readers, and the shutdown.

mod connections;
mod heads;
mod memory;
mod shutdown;
mod slow_readers;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use model_resource::{Server, Shutdown};
use test_support::RawConnection;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Request of a client that keeps its connection open.
const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// A running server without a database.
struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<Shutdown>,
    ended: JoinHandle<()>,
}

/// Serves `/`, `/slow` (one second), `/megabytes` (8 MiB) and `/large` (64 MiB).
async fn start(server: Server) -> Running {
    let slow = || async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        "slow"
    };
    let app = Router::new()
        .route("/", get(|| async { "hello" }))
        .route("/slow", get(slow))
        .route("/megabytes", get(|| async { vec![b'x'; 8 << 20] }))
        .route("/large", get(|| async { vec![b'x'; 64 << 20] }));
    start_app(server, app).await
}

/// Serves an application.
async fn start_app(server: Server, app: Router) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(async move {
        let stopped = async { stopped.await.unwrap_or(Shutdown::Now) };
        server.serve(listener, app, stopped).await;
    });
    Running { address, stop, ended }
}

/// Sends a request for `/` and returns the head of the response; empty if the connection was closed.
async fn get_root(connection: &mut RawConnection) -> String {
    if connection.send(GET).await.is_err() {
        return String::new();
    }
    let head = connection.read_head().await;
    if head.contains("content-length: 5") {
        assert_eq!(connection.read(5).await.len(), 5);
    }
    head
}

/// Waits until a condition holds.
async fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..1000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 10 seconds: {what}");
}
