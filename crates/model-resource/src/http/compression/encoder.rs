//! Encoders of the codings.

use std::io::{self, Write};

use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::compression::coding::Coding;

/// Quality and window of Brotli, chosen for its speed: a higher quality makes responses slower than most networks.
const BROTLI_QUALITY: u32 = 1;
const BROTLI_WINDOW_BITS: u32 = 16;
const BROTLI_BUFFER: usize = 4096;
/// Level and window of Zstandard.
const ZSTD_LEVEL: i32 = 1;
const ZSTD_WINDOW_BITS: u32 = 17;

/// Encoder whose output is taken from time to time.
pub(super) enum Encoder {
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Gzip(GzEncoder<Vec<u8>>),
}

impl Encoder {
    pub(super) fn new(coding: Coding) -> io::Result<Self> {
        let out = Vec::new();
        Ok(match coding {
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.window_log(ZSTD_WINDOW_BITS)?;
                Self::Zstd(encoder)
            }
            Coding::Brotli => {
                let encoder = CompressorWriter::new(out, BROTLI_BUFFER, BROTLI_QUALITY, BROTLI_WINDOW_BITS);
                Self::Brotli(Box::new(encoder))
            }
            Coding::Gzip => Self::Gzip(GzEncoder::new(out, Compression::fast())),
        })
    }

    /// Bytes of memory that an encoder uses, rounded up.
    pub(super) const fn memory(coding: Coding) -> usize {
        let kibibytes = match coding {
            Coding::Zstd => 768,
            Coding::Brotli => 1024,
            Coding::Gzip => 384,
        };
        kibibytes * 1024
    }

    /// Compresses bytes. The output has them when the encoder decides so, or after [`flush`](Self::flush).
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Zstd(encoder) => encoder.flush(),
            Self::Brotli(encoder) => encoder.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }

    /// Output since the last call.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(match self {
            Self::Zstd(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Gzip(encoder) => encoder.get_mut(),
        })
    }

    /// Ends the output, and returns the rest of it.
    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Zstd(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}
