//! Response bodies that are compressed while they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};

use crate::http::compression::encoder::Encoder;
use crate::http::encoder_memory::EncoderMemory;

/// Bytes that are compressed at a time.
const PIECE: usize = 16 * 1024;
/// Bytes after which other tasks of the thread have a turn.
const TURN: usize = 4 * PIECE;

/// Body that is compressed piece by piece. What has been compressed is sent whenever the uncompressed body pauses.
pub(super) struct CompressedBody {
    body: Body,
    /// Encoder, until the end.
    encoder: Option<Encoder>,
    /// Bytes of the body that are not compressed yet.
    uncompressed: Bytes,
    is_flushed: bool,
    /// Bytes since the last turn of other tasks.
    in_turn: usize,
    #[expect(dead_code, reason = "it reserves memory while it lives")]
    memory: EncoderMemory,
}

type Polled = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

impl CompressedBody {
    pub(super) fn new(body: Body, encoder: Encoder, memory: EncoderMemory) -> Self {
        Self {
            body,
            encoder: Some(encoder),
            uncompressed: Bytes::new(),
            is_flushed: true,
            in_turn: 0,
            memory,
        }
    }

    /// Compresses the next bytes, and returns output if there is some.
    fn compress(&mut self) -> std::io::Result<Option<Bytes>> {
        let Some(encoder) = &mut self.encoder else {
            return Ok(None);
        };
        let piece = self.uncompressed.split_to(PIECE.min(self.uncompressed.len()));
        encoder.write(&piece)?;
        self.in_turn += piece.len();
        self.is_flushed = false;
        Ok(non_empty(encoder.take()))
    }

    /// Returns the output of all bytes so far.
    fn flush(&mut self) -> std::io::Result<Option<Bytes>> {
        let Some(encoder) = self.encoder.as_mut().filter(|_| !self.is_flushed) else {
            return Ok(None);
        };
        encoder.flush()?;
        self.is_flushed = true;
        Ok(non_empty(encoder.take()))
    }

    fn finish(&mut self) -> std::io::Result<Option<Bytes>> {
        let rest = self.encoder.take().map(Encoder::finish).transpose()?;
        Ok(rest.and_then(non_empty))
    }

    fn poll_output(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, axum::Error>> {
        loop {
            if !self.uncompressed.is_empty() {
                if self.in_turn >= TURN {
                    self.in_turn = 0;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                match self.compress().map_err(axum::Error::new)? {
                    Some(output) => return Poll::Ready(Ok(Some(output))),
                    None => continue,
                }
            }
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => self.uncompressed = frame.into_data().unwrap_or_default(),
                Poll::Ready(Some(Err(error))) => {
                    self.encoder = None;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(None) => return Poll::Ready(self.finish().map_err(axum::Error::new)),
                Poll::Pending => {
                    return match self.flush().map_err(axum::Error::new)? {
                        Some(output) => Poll::Ready(Ok(Some(output))),
                        None => Poll::Pending,
                    };
                }
            }
        }
    }
}

fn non_empty(output: Vec<u8>) -> Option<Bytes> {
    (!output.is_empty()).then(|| Bytes::from(output))
}

impl HttpBody for CompressedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Polled {
        if self.encoder.is_none() {
            return Poll::Ready(None);
        }
        self.poll_output(cx)
            .map(|output| output.map(|output| output.map(Frame::data)).transpose())
    }

    fn is_end_stream(&self) -> bool {
        self.encoder.is_none()
    }
}
