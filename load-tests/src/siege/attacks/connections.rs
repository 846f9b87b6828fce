//! Connections that take or send nothing, or slowly.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::client::attacker_address;
use crate::failure::Failure;
use crate::siege::attack::Target;

/// Length of a text of which large pages consist.
const LARGE_TEXT: usize = 512 * 1024;
/// Connections that take none of a large page.
const LARGE_PAGES: u64 = 60;

/// Bytes that a connection takes of a response, and the pause between two reads.
#[derive(Clone, Copy)]
struct Pace {
    bytes: usize,
    pause: Duration,
}

impl Pace {
    /// A byte per second, which notices the end of the connection.
    const NOTHING: Self = Self {
        bytes: 1,
        pause: Duration::from_secs(1),
    };
    /// 16 KiB per second, which the server's minimum permits.
    const SLOW: Self = Self {
        bytes: 4096,
        pause: Duration::from_millis(250),
    };
}

/// Asks for long lists and reads nothing of the responses.
pub(super) async fn untaken_pages(target: &Target<'_>) -> Result<(), Failure> {
    let requests = (0..300).map(|number| {
        let path = if number % 2 == 0 {
            "/api/v1/articles?limit=1000"
        } else {
            "/api/v1/articles"
        };
        stay(
            target,
            format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"),
            Pace::NOTHING,
        )
    });
    join_all(requests).await;
    Ok(())
}

/// Creates rows with long texts, of which a page has the size of the target's.
pub(super) async fn create_large_page(target: &Target<'_>) -> Result<(), Failure> {
    let client = target.client.clone().with_token(&target.seed.token);
    for _ in 0..rows_of_page(target) {
        let sample = json!({
            "flag": true, "small": 1, "number": 1, "big": 0, "single": 0.5, "ratio": 0.5,
            "text": "x".repeat(LARGE_TEXT), "blob": "AAEC", "amount": "1.5", "day": "2024-02-29", "clock": "12:00:00",
            "moment": "2024-02-29T12:00:00Z", "token": "0191d5f0-c0de-7000-8000-00000000abcd", "extra": {}, "color": "red",
        });
        let (status, body) = client.send_json(Method::POST, "/api/v1/samples", sample).await?;
        if status != 201 {
            return Err(format!(
                "{status} to a row of a large page: {}",
                String::from_utf8_lossy(&body)
            )
            .into());
        }
    }
    Ok(())
}

/// Asks for pages of nearly the maximum size and reads nothing of the responses.
pub(super) async fn large_untaken_pages(target: &Target<'_>) -> Result<(), Failure> {
    let requests = (0..LARGE_PAGES).map(|number| {
        let path = format!("/api/v1/samples?limit={}", rows_of_page(target));
        stay(target, request_from(number, &path), Pace::NOTHING)
    });
    join_all(requests).await;
    Ok(())
}

/// Asks for long lists and reads the responses slowly.
pub(super) async fn slow_readers(target: &Target<'_>) -> Result<(), Failure> {
    let requests = (0..target.slow_readers)
        .map(|number| stay(target, request_from(number, "/api/v1/articles"), Pace::SLOW));
    join_all(requests).await;
    Ok(())
}

/// Sends the first half of many requests.
pub(super) async fn half_sent(target: &Target<'_>) -> Result<(), Failure> {
    let requests = (0..2000).map(|number| {
        let head = if number % 2 == 0 {
            "GET /api/v1/articles HTTP/1.1\r\nHost: x\r\nX-Half: ".to_owned()
        } else {
            "POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
                .to_owned()
        };
        stay(target, head, Pace::NOTHING)
    });
    join_all(requests).await;
    Ok(())
}

/// Number of rows of a large page.
fn rows_of_page(target: &Target<'_>) -> u64 {
    target.page * 1024 * 1024 / LARGE_TEXT as u64
}

/// Request of a client with an address of its own.
fn request_from(number: u64, path: &str) -> String {
    let address = attacker_address(number);
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {address}\r\n\r\n")
}

/// Sends bytes and keeps the connection open, opening another whenever the server ends it.
async fn stay(target: &Target<'_>, bytes: String, pace: Pace) {
    let mut taken = vec![0; pace.bytes];
    loop {
        let sent = async {
            let socket = TcpSocket::new_v4()?;
            // Small, so that the response stays with the server.
            socket.set_recv_buffer_size(4096)?;
            let mut stream = socket.connect(target.client.address()).await?;
            stream.write_all(bytes.as_bytes()).await?;
            while stream.read(&mut taken).await? > 0 {
                tokio::time::sleep(pace.pause).await;
            }
            Ok::<_, std::io::Error>(())
        };
        sent.await.ok();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
