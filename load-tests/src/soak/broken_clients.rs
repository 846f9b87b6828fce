//! Clients that read slowly, or end their connection in the middle of a request or a response.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::failure::Failure;

/// Reads of a slow reader, after which it goes away.
const READS: u32 = 40;
/// Pause between two of them.
const PAUSE: Duration = Duration::from_millis(100);

/// Asks for a long list and takes little of it.
pub(crate) async fn read_slowly(address: SocketAddr) -> Result<(), Failure> {
    let socket = TcpSocket::new_v4()?;
    // Small, so that the response stays with the server.
    socket.set_recv_buffer_size(4096)?;
    let mut stream = socket.connect(address).await?;
    stream
        .write_all(b"GET /api/v1/articles HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await?;
    let mut bytes = [0; 4096];
    for _ in 0..READS {
        if stream.read(&mut bytes).await? == 0 {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Ends a connection in the middle of a head, a body or a response.
pub(crate) async fn abort(address: SocketAddr, number: u64) -> Result<(), Failure> {
    let mut stream = TcpStream::connect(address).await?;
    let bytes = match number % 3 {
        0 => "GET /api/v1/articles HTTP/1.1\r\nHost: x\r\nX-Half: ",
        1 => {
            "POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        }
        _ => "GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n\r\n",
    };
    stream.write_all(bytes.as_bytes()).await?;
    tokio::time::sleep(Duration::from_millis(20)).await;
    Ok(())
}
