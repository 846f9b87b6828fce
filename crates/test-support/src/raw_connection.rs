//! A connection that sends and reads raw bytes, to test misbehaving clients.

use std::io::{ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// A TCP connection to the server.
pub struct RawConnection(TcpStream);

impl RawConnection {
    /// Connects to the server.
    pub async fn connect(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// Connects with a small receive buffer, so that the server blocks unless the test reads.
    pub async fn connect_narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        Self(socket.connect(address).await.unwrap())
    }

    /// Connects from an address of this machine.
    pub async fn connect_from(own: IpAddr, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(own, 0)).unwrap();
        Self(socket.connect(address).await.unwrap())
    }

    /// Sends all bytes, or fails if the server has closed the connection.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let mut rest = bytes.as_ref();
        while !rest.is_empty() {
            self.0.writable().await?;
            match self.0.try_write(rest) {
                Ok(sent) => rest = &rest[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads at most `max` bytes; empty once the connection has ended.
    pub async fn read(&mut self, max: usize) -> Vec<u8> {
        let mut chunk = vec![0; max];
        loop {
            let read = match self.0.readable().await {
                Ok(()) => self.0.try_read(&mut chunk),
                Err(error) => Err(error),
            };
            match read {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return Vec::new(),
                Ok(count) => {
                    chunk.truncate(count);
                    return chunk;
                }
            }
        }
    }

    /// Reads to the end of the connection.
    pub async fn read_to_end(&mut self) -> String {
        let mut all = Vec::new();
        loop {
            let chunk = self.read(64 * 1024).await;
            if chunk.is_empty() {
                return String::from_utf8_lossy(&all).into_owned();
            }
            all.extend(chunk);
        }
    }

    /// Reads the head of the next response.
    pub async fn read_head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let chunk = self.read(1).await;
            if chunk.is_empty() {
                break;
            }
            head.push_str(&String::from_utf8_lossy(&chunk));
        }
        head
    }

    /// Reads the rest of a body with `Transfer-Encoding: chunked`.
    pub async fn read_to_end_of_chunks(&mut self) -> Vec<u8> {
        let (mut received, mut all) = (Vec::new(), Vec::new());
        loop {
            let line = received.windows(2).position(|bytes| bytes == b"\r\n");
            let size = line.map(|end| {
                let size = std::str::from_utf8(&received[..end]).unwrap();
                (end + 2, usize::from_str_radix(size, 16).unwrap())
            });
            match size {
                Some((_, 0)) => return all,
                Some((start, size)) if received.len() >= start + size + 2 => {
                    all.extend_from_slice(&received[start..start + size]);
                    received.drain(..start + size + 2);
                }
                _ => {
                    let bytes = self.read(64 * 1024).await;
                    assert!(!bytes.is_empty(), "the body was cut off");
                    received.extend(bytes);
                }
            }
        }
    }
}
