//! The configuration of nginx in `deploy/`.

use bytes::Bytes;
use http::Method;
use serde_json::json;
use test_support::{Client, TestDatabase};

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
    // Each of these addresses would have its own limit.
    for (address, status) in [("192.0.2.1", 201), ("192.0.2.2", 201), ("192.0.2.3", 429)] {
        let forging = client.with_header("x-forwarded-for", address);
        let tag = json!({"tag": {"name": address}});
        forging.post("/api/v1/tags", tag).await.expect(status);
    }

    let insecure = Client::new(([127, 0, 0, 1], redirect).into());
    let redirected = insecure.get("/api/v1/tags?fields=name").await.expect(308);
    assert_eq!(
        redirected.header("location"),
        "https://127.0.0.1/api/v1/tags?fields=name"
    );
}
