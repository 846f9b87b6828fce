//! Client addresses, with and without proxies.

use model_resource::{Api, Context, ForwardedHeader, route};
use serde_json::{Value, json};
use test_support::{Client, TestApp, startup_errors};

#[route("/whence")]
async fn whence(cx: Context) -> Value {
    json!(cx.client_address().map(|address| address.to_string()))
}

fn api() -> Api {
    Api::new("addresses").route(whence)
}

async fn asked(client: &Client, header: &'static str, value: &str) -> Value {
    client
        .with_header(header, value)
        .get("/whence")
        .await
        .expect(200)
        .json()
}

/// THR-1: without trusted proxies the address is the connection's, regardless of headers.
#[tokio::test]
async fn a_header_from_an_untrusted_peer_is_ignored() {
    for api in [api(), api().trusted_proxies(["10.0.0.0/8", "127.0.0.2"])] {
        let app = TestApp::with_api(api).await;
        assert_eq!(app.get("/whence").await.json(), "127.0.0.1");
        for header in ["x-forwarded-for", "forwarded", "x-real-ip", "client-ip"] {
            assert_eq!(asked(&app, header, "198.51.100.1").await, "127.0.0.1", "{header}");
        }
        let forwarded = asked(&app, "forwarded", "for=198.51.100.1").await;
        assert_eq!(forwarded, "127.0.0.1");
    }
}

/// THR-1: a trusted proxy's entry is used; entries that the client sent before it are ignored.
#[tokio::test]
async fn behind_trusted_proxies_the_address_is_the_last_untrusted_one() {
    let app = TestApp::with_api(api().trusted_proxies(["127.0.0.0/8", "10.0.0.0/8"])).await;
    for (said, expected) in [
        ("198.51.100.1", "198.51.100.1"),
        ("6.6.6.6, 198.51.100.1", "198.51.100.1"),
        ("6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("6.6.6.6, nonsense", "127.0.0.1"),
        ("2001:db8::7", "2001:db8::7"),
    ] {
        assert_eq!(asked(&app, "x-forwarded-for", said).await, expected, "{said}");
    }
    let two_lines = app.with_header("x-forwarded-for", "6.6.6.6");
    let found = asked(&two_lines, "x-forwarded-for", "198.51.100.1").await;
    assert_eq!(found, "198.51.100.1");
    let other_header = asked(&app, "forwarded", "for=6.6.6.6").await;
    assert_eq!(other_header, "127.0.0.1", "the proxies write the other one");
}

/// THR-1: the header of RFC 7239 is used only if configured.
#[tokio::test]
async fn forwarded_is_used_only_if_configured() {
    let api = api()
        .trusted_proxies(["127.0.0.1"])
        .forwarded_header(ForwardedHeader::Forwarded);
    let app = TestApp::with_api(api).await;
    let found = asked(&app, "forwarded", "for=6.6.6.6, for=\"[2001:db8::7]:4711\"").await;
    assert_eq!(found, "2001:db8::7");
    assert_eq!(asked(&app, "x-forwarded-for", "6.6.6.6").await, "127.0.0.1");
}

/// THR-1: invalid addresses and networks are rejected at startup.
#[tokio::test]
async fn invalid_proxies_are_rejected_at_startup() {
    let mistakes = startup_errors(api().trusted_proxies(["10.0.0.0/8", "10.0.0.1/8", "proxy"])).await;
    assert_eq!(mistakes.len(), 2, "{mistakes:?}");
}
