//! Incremental parser of HTTP/1.1 responses, limited to what a load generator needs: status, length, end.

use std::io::{Error, ErrorKind, Result};

/// A response that is read in parts.
pub(super) struct Answer {
    /// Bytes of an incomplete head.
    head: Vec<u8>,
    status: u16,
    rest: Rest,
}

/// The rest of a response.
#[derive(Clone, Copy)]
enum Rest {
    Head,
    Length(usize),
    /// The size of a chunk is being read; this is its value up to now.
    Size(usize),
    Chunk(usize),
    ChunkEnd,
    LastLine,
    Nothing,
}

impl Answer {
    pub(super) fn new() -> Self {
        Self {
            head: Vec::new(),
            status: 0,
            rest: Rest::Head,
        }
    }

    /// Reads the next part and passes the bytes of the body on. Returns the status at the end of the response, after
    /// which another may follow.
    pub(super) fn take(&mut self, part: &[u8], mut body: impl FnMut(&[u8])) -> Result<Option<u16>> {
        let mut at = 0;
        while at < part.len() {
            at += match self.rest {
                Rest::Head => self.take_head(&part[at..])?,
                Rest::Nothing => return Err(odd("there is more than one answer")),
                rest => {
                    let (next, taken) = rest.take(&part[at..], &mut body)?;
                    self.rest = next;
                    taken
                }
            };
        }
        match self.rest {
            Rest::Nothing => {
                self.rest = Rest::Head;
                Ok(Some(self.status))
            }
            _ => Ok(None),
        }
    }

    fn take_head(&mut self, part: &[u8]) -> Result<usize> {
        if self.head.is_empty()
            && let Some((status, rest, taken)) = head(part)?
        {
            (self.status, self.rest) = (status, rest);
            return Ok(taken);
        }
        let before = self.head.len();
        self.head.extend_from_slice(part);
        let Some((status, rest, taken)) = head(&self.head)? else {
            return Ok(part.len());
        };
        (self.status, self.rest) = (status, rest);
        self.head.clear();
        Ok(taken - before)
    }
}

impl Rest {
    /// Consumes as many bytes as possible. Returns the next state and the number of bytes.
    fn take(self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<(Self, usize)> {
        let many = |left: usize| {
            let count = bytes.len().min(left);
            (count, left - count)
        };
        Ok(match self {
            Self::Length(left) => {
                let (count, left) = many(left);
                body(&bytes[..count]);
                (Self::of_length(left), count)
            }
            Self::Chunk(left) => {
                let (count, left) = many(left);
                body(&bytes[..count]);
                let next = if left == 0 {
                    Self::ChunkEnd
                } else {
                    Self::Chunk(left)
                };
                (next, count)
            }
            Self::Size(size) => match bytes[0] {
                b'\r' => (self, 1),
                b'\n' if size == 0 => (Self::LastLine, 1),
                b'\n' => (Self::Chunk(size), 1),
                digit => {
                    let digit = char::from(digit).to_digit(16);
                    let digit = digit.ok_or_else(|| odd("a chunk has no size"))?;
                    (Self::Size(size * 16 + digit as usize), 1)
                }
            },
            Self::ChunkEnd if bytes[0] == b'\n' => (Self::Size(0), 1),
            Self::LastLine if bytes[0] == b'\n' => (Self::Nothing, 1),
            Self::ChunkEnd | Self::LastLine => (self, 1),
            Self::Head | Self::Nothing => (self, 0),
        })
    }

    fn of_length(length: usize) -> Self {
        match length {
            0 => Self::Nothing,
            length => Self::Length(length),
        }
    }
}

/// Returns the status, the state after the head, and the head's length; `None` if the head is incomplete.
fn head(bytes: &[u8]) -> Result<Option<(u16, Rest, usize)>> {
    let (mut rest, mut at) = (Rest::Nothing, 0);
    while let Some(end) = memchr::memchr(b'\n', &bytes[at..]) {
        let line = &bytes[at..at + end];
        if line == b"\r" {
            let digits = bytes.get(9..12).and_then(number);
            let status = digits.ok_or_else(|| odd("an answer has no status"))?;
            return Ok(Some((status as u16, rest, at + end + 1)));
        }
        if let Some(length) = value(line, b"content-length:") {
            let length = number(length.trim_ascii());
            rest = Rest::of_length(length.ok_or_else(|| odd("an answer has a strange length"))?);
        } else if value(line, b"transfer-encoding:").is_some() {
            rest = Rest::Size(0);
        }
        at += end + 1;
    }
    Ok(None)
}

fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn odd(what: &'static str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], step: usize) -> (Option<u16>, String) {
        let (mut answer, mut body, mut status) = (Answer::new(), Vec::new(), None);
        for part in bytes.chunks(step) {
            assert_eq!(status, None, "it was over before its end");
            let taken = answer.take(part, |part| body.extend_from_slice(part));
            status = taken.expect("it is an answer");
        }
        (status, String::from_utf8(body).expect("a text"))
    }

    #[test]
    fn a_response_is_parsed_alike_in_parts_of_any_size() {
        let fixed = b"HTTP/1.1 201 Created\r\nContent-Length: 5\r\nx-other: 1\r\n\r\nhello";
        let chunked =
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nB\r\nhello world\r\n1\r\n!\r\n0\r\n\r\n";
        let empty = b"HTTP/1.1 204 No Content\r\ndate: now\r\n\r\n";
        for step in 1..=chunked.len() {
            assert_eq!(read(fixed, step), (Some(201), "hello".to_owned()));
            assert_eq!(read(chunked, step), (Some(200), "hello world!".to_owned()));
            assert_eq!(read(empty, step), (Some(204), String::new()));
        }
    }
}
