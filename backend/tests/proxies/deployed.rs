//! The configuration of nginx in `deploy/`.

use std::net::{IpAddr, SocketAddr};

use bytes::Bytes;
use http::Method;
use serde_json::json;
use test_support::{Client, RawConnection, TestDatabase};

use crate::proxy::Proxy;
use crate::{free_ports, start_with, until_ready};

/// DOC-3: behind the nginx of `deploy/` the application gets every body that it accepts, and the address of the client,
/// whatever the client sends.
#[tokio::test(flavor = "multi_thread")]
async fn the_nginx_of_the_guide_passes_bodies_and_addresses_on() {
    let database = TestDatabase::create();
    let [port, redirect, _] = free_ports();
    let options = [
        "--trusted-proxies",
        "127.0.0.1",
        "--anonymous-writes-per-minute",
        "3",
    ];
    let process = start_with(&database, port, &options);
    until_ready(process.address).await;
    let proxy = Proxy::deployed_nginx([port, redirect]);
    until_ready(proxy.address).await;
    let client = Client::new(proxy.address);

    // Not JSON, which only the application can tell.
    for (size, status) in [(2 << 20, 400), ((2 << 20) + 1, 413)] {
        let body = Some(("application/json", Bytes::from(vec![b'x'; size])));
        let response = client.send(Method::POST, "/api/v1/tags", body).await;
        assert_eq!(response.status, status, "{size} bytes");
    }
    // Each of these addresses would have its own limit. The client's own has sent nothing yet, so that the large bodies,
    // which take long on a busy machine, do not count.
    for (address, status) in [
        ("192.0.2.1", 201),
        ("192.0.2.2", 201),
        ("192.0.2.3", 201),
        ("192.0.2.4", 429),
    ] {
        let head = post_from([127, 0, 0, 2].into(), proxy.address, address).await;
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{address}: {head}"
        );
    }

    let insecure = Client::new(([127, 0, 0, 1], redirect).into());
    let redirected = insecure.get("/api/v1/tags?fields=name").await.expect(308);
    assert_eq!(
        redirected.header("location"),
        "https://127.0.0.1/api/v1/tags?fields=name"
    );
}

/// Creates a tag from an address of this machine, and pretends to send it for another one. Returns the head of the
/// response.
async fn post_from(own: IpAddr, proxy: SocketAddr, forged: &str) -> String {
    let tag = json!({"tag": {"name": forged}}).to_string();
    let mut connection = RawConnection::connect_from(own, proxy).await;
    let sent = connection.send(format!(
        "POST /api/v1/tags HTTP/1.1\r\nHost: {proxy}\r\nX-Forwarded-For: {forged}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{tag}",
        tag.len()
    ));
    sent.await.unwrap();
    connection.read_head().await
}
