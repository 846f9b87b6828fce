//! Bounds of the number of connections.

use std::time::{Duration, Instant};

use model_resource::Server;
use test_support::RawConnection;

use super::{get_root, start, until};

/// LOAD-20: beyond the maximum the connections that have waited longest for a request are closed; requests are not.
#[tokio::test]
async fn the_oldest_idle_connections_make_room_for_new_ones() {
    let server = Server::default()
        .max_connections(4)
        .max_connections_per_address(100);
    let state = server.state();
    let running = start(server).await;
    let mut busy = RawConnection::connect(running.address).await;
    busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut idle = RawConnection::connect(running.address).await;
    assert!(get_root(&mut idle).await.starts_with("HTTP/1.1 200 "));
    let mut later = Vec::new();
    for _ in 0..3 {
        let mut connection = RawConnection::connect(running.address).await;
        assert!(get_root(&mut connection).await.starts_with("HTTP/1.1 200 "));
        later.push(connection);
    }
    assert_eq!(idle.read(1).await, b"", "the oldest idle connection is open");
    for connection in &mut later {
        assert!(get_root(connection).await.starts_with("HTTP/1.1 200 "));
    }
    assert!(busy.read_head().await.starts_with("HTTP/1.1 200 "));
    assert!(state.connections() <= 4, "{}", state.connections());
    drop((busy, later));
    until("all connections are counted out", || state.connections() == 0).await;
}

/// LOAD-20: if every connection has a request, a new one is closed.
#[tokio::test]
async fn a_connection_is_closed_if_all_others_have_requests() {
    let server = Server::default()
        .max_connections(1)
        .max_connections_per_address(100);
    let state = server.state();
    let running = start(server).await;
    let mut busy = RawConnection::connect(running.address).await;
    busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut refused = RawConnection::connect(running.address).await;
    assert_eq!(get_root(&mut refused).await, "");
    assert_eq!(state.refused_connections(), 1);
    assert!(busy.read_head().await.starts_with("HTTP/1.1 200 "));
}

/// LOAD-21: one address has a bound of its own, from which trusted proxies are exempt.
#[tokio::test]
async fn an_address_has_a_bound_unless_it_is_a_trusted_proxy() {
    let server = Server::default().max_connections_per_address(2);
    let proxied = server.clone().trusted_proxies(["127.0.0.0/8".parse().unwrap()]);
    let running = start(server).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut connection = RawConnection::connect(running.address).await;
        assert!(get_root(&mut connection).await.starts_with("HTTP/1.1 200 "));
        open.push(connection);
    }
    let mut refused = RawConnection::connect(running.address).await;
    assert_eq!(get_root(&mut refused).await, "");
    open.pop();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut again = RawConnection::connect(running.address).await;
    assert!(get_root(&mut again).await.starts_with("HTTP/1.1 200 "));

    let running = start(proxied).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        let mut connection = RawConnection::connect(running.address).await;
        assert!(get_root(&mut connection).await.starts_with("HTTP/1.1 200 "));
        open.push(connection);
    }
}

/// LOAD-20, LOAD-21: 2,000 half-sent requests from one address leave room for others, who are answered at once.
#[tokio::test(flavor = "multi_thread")]
async fn half_sent_requests_do_not_keep_others_out() {
    let running = start(Server::default().max_connections(600)).await;
    let mut half = Vec::new();
    for _ in 0..2000 {
        let mut connection = RawConnection::connect(running.address).await;
        let _ = connection.send("GET / HTTP/1.1\r\nHos").await;
        half.push(connection);
    }
    // Every address of 127.0.0.0/8 is the loopback interface.
    for address in ["127.0.0.2", "127.0.0.3"] {
        let started = Instant::now();
        let mut other = RawConnection::connect_from(address.parse().unwrap(), running.address).await;
        assert!(get_root(&mut other).await.starts_with("HTTP/1.1 200 "));
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{:?}",
            started.elapsed()
        );
    }
}
