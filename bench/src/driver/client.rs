//! A client with one connection and one request at a time.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::TcpStream;

use super::answer::Answer;

pub(super) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(super) fn connect(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let buffer = vec![0; 64 * 1024];
        Ok(Self { stream, buffer })
    }

    /// Sends a request and reads the response to its end. Returns the status and passes the parts of the body on.
    pub(super) fn exchange(&mut self, request: &[u8], mut body: impl FnMut(&[u8])) -> Result<u16> {
        self.stream.write_all(request)?;
        let mut answer = Answer::new();
        loop {
            let count = self.stream.read(&mut self.buffer)?;
            if count == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if let Some(status) = answer.take(&self.buffer[..count], &mut body)? {
                return Ok(status);
            }
        }
    }
}
