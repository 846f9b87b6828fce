//! A connection whose client may go while its answer is still looked for.
//!
//! Writes are finished whoever waits for them. A search that nobody waits for only keeps others waiting, so it is given up.

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

/// A client that has said all it wants to say looks like one that is gone, and may wait so long for its answer.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the request that a connection is busy with is a search.
#[derive(Clone, Default)]
pub(super) struct Abortable(Arc<AtomicBool>);

/// A search, until this is dropped.
pub(super) struct AbortableGuard(Abortable);

/// A client's end of a connection.
pub(super) struct DisconnectStream {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    search: Abortable,
    /// Since the client has said all.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Abortable {
    /// Notes that a request is one: that it reads and asks for something of its own. Others are not watched over.
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
    pub(super) fn new(stream: TimeoutStream<TcpStream>, search: Abortable) -> Self {
        Self {
            stream: Box::pin(stream),
            search,
            patience: None,
        }
    }

    /// Whether the client has been gone for a while. It is looked at without taking what may be its next request.
    fn is_gone(&mut self, cx: &mut Context<'_>) -> bool {
        let mut byte = [0];
        let peeked = self.stream.get_ref().poll_peek(cx, &mut ReadBuf::new(&mut byte));
        match peeked {
            Poll::Pending | Poll::Ready(Ok(1..)) => false,
            Poll::Ready(Err(_)) => true,
            Poll::Ready(Ok(0)) => {
                let patience = self
                    .patience
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(CHECK_INTERVAL)));
                patience.as_mut().poll(cx).is_ready()
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

    /// Asked for whenever the connection has done what it could, so also while it waits for an answer.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.search.is_on() && self.is_gone(cx) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
