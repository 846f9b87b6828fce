//! Stream of a connection: slow readers, oversized heads, and clients that disconnect while a read is computed.
//!
//! Writes run to their end even if the client disconnects. A read without a client only keeps others waiting, so it is
//! cancelled.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::server::connection::Connection;
use crate::server::write_pace::{WriteLimits, WritePace};

/// Time for which a half-closed connection may wait for its response, because a client that has finished sending looks
/// like one that has disconnected.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Connection to a client.
pub(super) struct ClientStream {
    stream: TcpStream,
    connection: Arc<Connection>,
    pace: WritePace,
    /// Timer started when the client finished sending.
    disconnect_timer: Option<Pin<Box<Sleep>>>,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>, limits: WriteLimits) -> Self {
        Self {
            stream,
            connection,
            pace: WritePace::new(limits),
            disconnect_timer: None,
        }
    }

    /// Whether the client has been gone for the interval. Peeks, because the bytes may belong to its next request.
    fn is_gone(&mut self, cx: &mut Context<'_>) -> bool {
        let mut byte = [0];
        match self.stream.poll_peek(cx, &mut ReadBuf::new(&mut byte)) {
            Poll::Pending | Poll::Ready(Ok(1..)) => false,
            Poll::Ready(Err(_)) => true,
            Poll::Ready(Ok(0)) => {
                let disconnect_timer = self
                    .disconnect_timer
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(CHECK_INTERVAL)));
                disconnect_timer.as_mut().poll(cx).is_ready()
            }
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let received = buffer.filled().len() - before;
        if received > 0 && self.connection.is_waiting() && !self.connection.head_received(received) {
            return Poll::Ready(Err(io::ErrorKind::OutOfMemory.into()));
        }
        polled
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self {
            stream,
            connection,
            pace,
            ..
        } = &mut *self;
        connection.response_started();
        let polled = Pin::new(stream).poll_write(cx, bytes);
        pace.check(polled, cx, || bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self {
            stream,
            connection,
            pace,
            ..
        } = &mut *self;
        connection.response_started();
        let polled = Pin::new(stream).poll_write_vectored(cx, slices);
        pace.check(polled, cx, || slices.iter().map(|slice| slice.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Checked here, because the connection flushes whenever it has nothing else to do, also while it waits for a
    /// response.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.is_abortable() && self.is_gone(cx) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
