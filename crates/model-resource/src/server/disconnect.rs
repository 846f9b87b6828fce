//! Cancellation of reads whose client disconnects while the response is computed.
//!
//! Writes run to their end even if the client disconnects. A read without a client only keeps others waiting, so it is
//! cancelled.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Method, Request};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_io_timeout::TimeoutStream;

/// Time for which a half-closed connection may wait for its response, because a client that has finished sending looks
/// like one that has disconnected.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the current request of a connection may be aborted.
#[derive(Clone, Default)]
pub(super) struct Abortable(Arc<AtomicBool>);

/// Marks the request as abortable until dropped.
pub(super) struct AbortableGuard(Abortable);

/// Connection to a client.
pub(super) struct DisconnectStream {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    abortable: Abortable,
    /// Timer started when the client finished sending.
    disconnect_timer: Option<Pin<Box<Sleep>>>,
}

impl Abortable {
    /// Marks a request as abortable if it is a read with a query. Other requests are not watched.
    pub(super) fn begin<B>(&self, request: &Request<B>) -> Option<AbortableGuard> {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        (reads && request.uri().query().is_some()).then(|| {
            self.0.store(true, Ordering::Relaxed);
            AbortableGuard(self.clone())
        })
    }

    fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for AbortableGuard {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Relaxed);
    }
}

impl DisconnectStream {
    pub(super) fn new(stream: TimeoutStream<TcpStream>, abortable: Abortable) -> Self {
        Self {
            stream: Box::pin(stream),
            abortable,
            disconnect_timer: None,
        }
    }

    /// Whether the client has been gone for the interval. Peeks, because the bytes may belong to its next request.
    fn is_gone(&mut self, cx: &mut Context<'_>) -> bool {
        let mut byte = [0];
        let peeked = self.stream.get_ref().poll_peek(cx, &mut ReadBuf::new(&mut byte));
        match peeked {
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

impl AsyncRead for DisconnectStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(cx, buffer)
    }
}

impl AsyncWrite for DisconnectStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Checked here, because the connection flushes whenever it has nothing else to do, also while it waits for a
    /// response.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.abortable.is_on() && self.is_gone(cx) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
