//! Page of a list in memory, in parts: they need not be copied while the page grows, and each is freed once it is sent.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use crate::http::{Reservation, SMALL};

/// Size of a part in bytes.
const PART: usize = 256 * 1024;

/// Parts of a page.
#[derive(Default)]
pub(super) struct PageParts {
    parts: VecDeque<Bytes>,
    bytes: usize,
    /// Memory that is reserved for the next parts.
    memory: Reservation,
    pub(super) is_out_of_memory: bool,
}

impl PageParts {
    pub(super) fn new(memory: Reservation) -> Self {
        Self {
            memory,
            ..Self::default()
        }
    }

    /// Bytes of all parts, and of the one for which there was no memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the buffer as a part if it is full.
    pub(super) fn take_full(&mut self, out: &mut Vec<u8>) {
        if out.len() < PART {
            return;
        }
        let next = Vec::with_capacity(PART + PART / 8);
        let mut part = std::mem::replace(out, next);
        // A large row has doubled the buffer.
        if part.len() < part.capacity() / 4 * 3 {
            part.shrink_to_fit();
        }
        if self.memory.bytes() < part.capacity() && !self.memory.grow(part.capacity()) {
            self.is_out_of_memory = true;
            // Counted although it is dropped, because the page needs memory for it as well.
            self.bytes += part.len();
        } else {
            self.push(part);
        }
    }

    /// Takes the last buffer.
    pub(super) fn finish(mut self, mut out: Vec<u8>) -> Self {
        if out.len() < out.capacity() / 2 {
            out.shrink_to_fit();
        }
        self.push(out);
        self.memory.settle(0);
        self
    }

    fn push(&mut self, part: Vec<u8>) {
        self.bytes += part.len();
        let capacity = part.capacity();
        let memory = self.memory.split(capacity);
        self.parts.push_back(memory.hold(part, capacity, None));
    }

    /// Drops the parts of a page for which there was not enough memory. Returns the reservation, which is empty.
    pub(super) fn abandon(self) -> Reservation {
        let mut memory = self.memory;
        drop(self.parts);
        memory.settle(0);
        memory
    }

    /// All bytes in one buffer.
    pub(super) fn into_vec(self) -> Vec<u8> {
        match self.parts.len() {
            1 => Vec::from(self.parts.into_iter().next().unwrap_or_default()),
            _ => self
                .parts
                .iter()
                .fold(Vec::with_capacity(self.bytes), |mut all, part| {
                    all.extend_from_slice(part);
                    all
                }),
        }
    }

    /// Body of a response.
    pub(super) fn into_body(mut self) -> Body {
        if self.parts.len() == 1 && self.bytes < SMALL {
            return Body::from(self.parts.pop_front().unwrap_or_default());
        }
        Body::new(self)
    }
}

impl HttpBody for PageParts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = self.parts.pop_front();
        self.bytes -= part.as_ref().map_or(0, Bytes::len);
        Poll::Ready(part.map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::MemoryBudget;

    #[test]
    fn a_part_without_memory_counts_as_bytes_that_the_page_needs() {
        let budget = MemoryBudget::new(PART);
        let mut parts = PageParts::new(Reservation::of(Some(budget.clone())));
        parts.take_full(&mut vec![b'x'; PART]);
        assert!(parts.is_out_of_memory);
        assert_eq!(parts.bytes(), PART);
        parts.abandon();
        assert_eq!(budget.used(), 0);
    }
}
