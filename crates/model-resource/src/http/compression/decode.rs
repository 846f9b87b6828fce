//! Decoding of request bodies.

use std::io::{self, Read};

use bytes::{Buf as _, Bytes};

use crate::http::compression::coding::Coding;

/// Largest window of Zstandard that decoders must support (RFC 8878).
const ZSTD_WINDOW_BITS: u32 = 23;
const BROTLI_BUFFER: usize = 4096;

type Source = bytes::buf::Reader<Bytes>;

/// Decoder of a body, which is read in parts, so that a small body cannot become a large one unnoticed.
pub(crate) enum Decoder {
    Zstd(zstd::stream::read::Decoder<'static, io::BufReader<Source>>),
    Brotli(Box<brotli::Decompressor<Source>>),
    Gzip(flate2::bufread::MultiGzDecoder<Source>),
}

impl Decoder {
    pub(crate) fn new(coding: Coding, body: Bytes) -> io::Result<Self> {
        let source = body.reader();
        Ok(match coding {
            Coding::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(source)?;
                decoder.window_log_max(ZSTD_WINDOW_BITS)?;
                Self::Zstd(decoder)
            }
            Coding::Brotli if is_large_window(source.get_ref()) => {
                return Err(io::ErrorKind::InvalidData.into());
            }
            Coding::Brotli => Self::Brotli(Box::new(brotli::Decompressor::new(source, BROTLI_BUFFER))),
            Coding::Gzip => Self::Gzip(flate2::bufread::MultiGzDecoder::new(source)),
        })
    }

    /// Decodes the next bytes. Returns how many, which is zero only at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Zstd(decoder) => decoder.read(buffer),
            Self::Brotli(decoder) => decoder.read(buffer),
            Self::Gzip(decoder) => decoder.read(buffer),
        }
    }
}

/// Whether a body begins like the dialect of Brotli that has windows of up to 1 GiB, which is not part of RFC 7932.
fn is_large_window(body: &[u8]) -> bool {
    body.first().is_some_and(|first| first & 0x7f == 0x11)
}
