//! A connection that sends and reads raw bytes, to test misbehaving clients.

use std::io::{ErrorKind, Result};
use std::net::SocketAddr;

use tokio::net::{TcpSocket, TcpStream};

/// A connection to the server.
pub struct Raw(TcpStream);

impl Raw {
    pub async fn connect(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.unwrap())
    }

    /// Connects with a small receive buffer, so that the server blocks unless the test reads.
    pub async fn connect_narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
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

    /// Reads at most `most` bytes; empty once the connection has ended.
    pub async fn read(&mut self, most: usize) -> Vec<u8> {
        let mut piece = vec![0; most];
        loop {
            let read = match self.0.readable().await {
                Ok(()) => self.0.try_read(&mut piece),
                Err(error) => Err(error),
            };
            match read {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return Vec::new(),
                Ok(count) => {
                    piece.truncate(count);
                    return piece;
                }
            }
        }
    }

    /// Reads to the end of the connection.
    pub async fn read_to_end(&mut self) -> String {
        let mut all = Vec::new();
        loop {
            let piece = self.read(64 * 1024).await;
            if piece.is_empty() {
                return String::from_utf8_lossy(&all).into_owned();
            }
            all.extend(piece);
        }
    }

    /// Reads the head of the next response.
    pub async fn read_head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let piece = self.read(1).await;
            if piece.is_empty() {
                break;
            }
            head.push_str(&String::from_utf8_lossy(&piece));
        }
        head
    }
}
