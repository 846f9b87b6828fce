//! A lean HTTP/1.1 client: one connection, one request at a time, no allocation.

use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Long lists come in large portions.
const BUFFER: usize = 256 * 1024;

pub(super) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What is still to come of a body.
enum Rest {
    Length(usize),
    /// A chunk's size is being read; so far it is this.
    Size(usize),
    Chunk(usize),
    ChunkEnd,
    LastLine,
    Nothing,
}

impl Client {
    pub(super) async fn connect(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let buffer = vec![0; BUFFER];
        Ok(Self { stream, buffer })
    }

    /// Sends a request and reads its answer to the end; gives the status and hands over the parts of the body.
    pub(super) async fn exchange(&mut self, request: &[u8], mut body: impl FnMut(&[u8])) -> Result<u16> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let mut at = loop {
            filled += self.read(filled).await?;
            if let Some(end) = self.buffer[..filled]
                .windows(4)
                .position(|four| four == b"\r\n\r\n")
            {
                break end + 4;
            }
        };
        let (status, mut rest) = head(&self.buffer[..at])?;
        loop {
            while at < filled && !matches!(rest, Rest::Nothing) {
                at += rest.take(&self.buffer[at..filled], &mut body)?;
            }
            if matches!(rest, Rest::Nothing | Rest::Length(0)) {
                return Ok(status);
            }
            filled = self.read(0).await?;
            at = 0;
        }
    }

    async fn read(&mut self, filled: usize) -> Result<usize> {
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

impl Rest {
    /// Takes what it can and says how much that was.
    fn take(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<usize> {
        match self {
            Self::Length(left) | Self::Chunk(left) => {
                let count = bytes.len().min(*left);
                body(&bytes[..count]);
                *left -= count;
                if *left == 0 {
                    *self = if matches!(self, Self::Chunk(_)) {
                        Self::ChunkEnd
                    } else {
                        Self::Nothing
                    };
                }
                Ok(count)
            }
            Self::Size(size) => {
                match bytes[0] {
                    b'\r' => {}
                    b'\n' if *size == 0 => *self = Self::LastLine,
                    b'\n' => *self = Self::Chunk(*size),
                    digit => {
                        let digit = (digit as char)
                            .to_digit(16)
                            .ok_or_else(|| odd("a chunk has no size"))?;
                        *size = *size * 16 + digit as usize;
                    }
                }
                Ok(1)
            }
            Self::ChunkEnd | Self::LastLine => {
                if bytes[0] == b'\n' {
                    *self = if matches!(self, Self::ChunkEnd) {
                        Self::Size(0)
                    } else {
                        Self::Nothing
                    };
                }
                Ok(1)
            }
            Self::Nothing => Ok(0),
        }
    }
}

fn head(head: &[u8]) -> Result<(u16, Rest)> {
    let digits = head
        .get(9..12)
        .and_then(|digits| std::str::from_utf8(digits).ok());
    let status = digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| odd("an answer has no status"))?;
    let mut rest = Rest::Length(0);
    for line in head.split(|byte| *byte == b'\n').skip(1) {
        if let Some(length) = value(line, b"content-length:") {
            let length = std::str::from_utf8(length)
                .ok()
                .and_then(|length| length.trim().parse().ok());
            rest = Rest::Length(length.ok_or_else(|| odd("an answer has a strange length"))?);
        } else if value(line, b"transfer-encoding:").is_some() {
            rest = Rest::Size(0);
        }
    }
    Ok((status, rest))
}

fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

fn odd(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
