//! Body that an extractor of axum reads, whose memory is reserved.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::Limited;

use crate::http::{MEMORY_TIMEOUT, Reservation, SMALL};
use crate::pipeline::error::{Error, Result};

/// Bytes that a frame of a body costs in addition while it is kept, so that many short ones are not free.
const FRAME: usize = 64;

/// Future of a reservation, and whether it has grown in time.
type Reserving = Pin<Box<dyn Future<Output = (Reservation, bool)> + Send>>;

/// Memory of the body that an extractor reads.
///
/// An extractor such as `Json` keeps what it reads in memory, which is reserved until the request ends. Streams that a
/// handler reads later, such as `Body` or `Multipart`, are not counted, because they need not be kept.
#[derive(Clone, Default)]
pub(crate) struct ExtractedMemory(Arc<Mutex<Extraction>>);

/// State of an extractor.
#[derive(Default)]
enum Extraction {
    /// The extractor has not begun, or there is no body of which the memory is counted.
    #[default]
    Uncounted,
    /// The extractor reads the body.
    Reading(Reservation),
    /// There was no memory in time.
    Refused,
}

/// Body up to the limit whose bytes are counted while an extractor reads them.
struct ExtractedBody {
    body: Limited<Body>,
    memory: ExtractedMemory,
    read: usize,
    waiting: Option<WaitingFrame>,
}

/// Frame that waits for memory.
struct WaitingFrame {
    bytes: Bytes,
    reserved: Reserving,
}

impl ExtractedMemory {
    /// Returns a body whose bytes are counted until [`finish`](Self::finish) is called.
    pub(super) fn count(&self, body: Body, limit: usize) -> Body {
        *self.lock() = Extraction::Reading(Reservation::empty());
        Body::new(ExtractedBody {
            body: Limited::new(body, limit),
            memory: self.clone(),
            read: 0,
            waiting: None,
        })
    }

    /// Ends the counting, and returns the memory of what was read.
    pub(super) fn finish(&self) -> Result<Reservation> {
        match std::mem::take(&mut *self.lock()) {
            Extraction::Uncounted => Ok(Reservation::default()),
            Extraction::Reading(reservation) => Ok(reservation),
            Extraction::Refused => Err(Error::out_of_memory()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Extraction> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves memory for all bytes that were read, if there is some. Otherwise returns a future that waits for it.
    fn reserve(&self, bytes: usize) -> Option<Reserving> {
        let mut state = self.lock();
        let Extraction::Reading(reservation) = &mut *state else {
            return None;
        };
        if reservation.grow(bytes) {
            return None;
        }
        let mut reservation = std::mem::take(reservation);
        Some(Box::pin(async move {
            let is_reserved = reservation.grow_within(MEMORY_TIMEOUT, bytes).await;
            (reservation, is_reserved)
        }))
    }

    /// Keeps a reservation that was waited for, unless the extractor has ended. Returns whether the body may go on.
    fn keep(&self, reservation: Reservation, is_reserved: bool) -> bool {
        let mut state = self.lock();
        if let Extraction::Reading(kept) = &mut *state {
            if is_reserved {
                *kept = reservation;
            } else {
                *state = Extraction::Refused;
            }
        }
        !matches!(*state, Extraction::Refused)
    }
}

impl HttpBody for ExtractedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.waiting.is_none() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            let bytes = match frame.into_data() {
                Ok(bytes) => bytes,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            };
            self.read += bytes.len() + FRAME;
            let reserved = (self.read > SMALL).then(|| self.memory.reserve(self.read));
            match reserved.flatten() {
                None => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(reserved) => self.waiting = Some(WaitingFrame { bytes, reserved }),
            }
        }
        let Some(waiting) = &mut self.waiting else {
            return Poll::Ready(None);
        };
        let (reservation, is_reserved) = ready!(waiting.reserved.as_mut().poll(cx));
        let bytes = std::mem::take(&mut waiting.bytes);
        self.waiting = None;
        Poll::Ready(Some(if self.memory.keep(reservation, is_reserved) {
            Ok(Frame::data(bytes))
        } else {
            Err("there is no memory for the request body".into())
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.waiting.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match &self.waiting {
            // The frame was taken from the body already.
            Some(_) => SizeHint::default(),
            None => self.body.size_hint(),
        }
    }
}
