//! HTTP requirements that the parser of a connection leaves to the application.

use std::net::Ipv6Addr;

use axum::body::Body;
use http::{HeaderMap, Request, Version, header};
use http_body::Body as _;

use crate::http::client_address::peer;
use crate::pipeline::{Error, ErrorKind, Result};

/// Rejects a request whose host, transfer coding or media type is ambiguous: a proxy might interpret it differently.
pub(super) fn check(request: &Request<Body>) -> Result<()> {
    check_host(request)?;
    if request.body().is_end_stream() {
        return Ok(());
    }
    check_transfer_coding(request.headers())?;
    check_content_type(request.headers())
}

fn check_host(request: &Request<Body>) -> Result<()> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let message = match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host.as_bytes()) => return Ok(()),
        (None, _) if !needs_host(request) => return Ok(()),
        (None, _) => "The request has no `Host` header: send the name of the host.",
        (Some(_), Some(_)) => "The request has more than one `Host` header: send one.",
        (Some(_), None) => {
            "The `Host` header is not valid: send a name and perhaps a port, such as `example.com:8000`."
        }
    };
    Err(bad_request(message))
}

/// Whether the request must have a `Host` header, as in HTTP/1.1. HTTP/1.0 does not need it and HTTP/2 has a
/// pseudo-header. A request made inside this process, as in tests, has no connection.
fn needs_host(request: &Request<Body>) -> bool {
    request.version() == Version::HTTP_11 && peer().is_some()
}

/// Whether a text is a host with an optional port, as in a URL.
fn is_host(text: &[u8]) -> bool {
    let colon = match text.first() {
        Some(b'[') => text.iter().position(|byte| *byte == b']').map(|end| end + 1),
        _ => text.iter().position(|byte| *byte == b':'),
    };
    let (name, port) = text.split_at(colon.unwrap_or(text.len()));
    is_name(name) && is_port(port)
}

fn is_name(name: &[u8]) -> bool {
    if let [b'[', address @ .., b']'] = name {
        return std::str::from_utf8(address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok());
    }
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(byte);
    let mut pieces = name.split(|byte| *byte == b'%');
    let starts = pieces.next().is_some_and(|start| start.iter().all(is_plain));
    let mut escapes = pieces.map(|piece| piece.split_at_checked(2));
    let escaped = escapes.all(|piece| {
        piece.is_some_and(|(digits, rest)| {
            digits.iter().all(u8::is_ascii_hexdigit) && rest.iter().all(is_plain)
        })
    });
    !name.is_empty() && starts && escaped
}

/// Whether a text is empty, or a colon and an optional port number.
fn is_port(text: &[u8]) -> bool {
    let Some(digits) = text.strip_prefix(b":") else {
        return text.is_empty();
    };
    let digits = std::str::from_utf8(digits).unwrap_or("x");
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.is_empty() || is_number && digits.parse::<u16>().is_ok()
}

/// Rejects transfer codings other than a single `chunked`, because the server decodes no other.
fn check_transfer_coding(headers: &HeaderMap) -> Result<()> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(coding), None) if coding.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => {
            let message =
                "Of transfer codings the server knows `chunked` alone: send the body without another.";
            Err(Error::new(ErrorKind::NotImplemented(message.to_owned())))
        }
    }
}

fn check_content_type(headers: &HeaderMap) -> Result<()> {
    match headers.get_all(header::CONTENT_TYPE).iter().nth(1) {
        None => Ok(()),
        Some(_) => Err(bad_request(
            "The request has more than one `Content-Type` header: send one.",
        )),
    }
}

fn bad_request(message: &str) -> Error {
    Error::new(ErrorKind::BadRequest(message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_addresses_with_or_without_a_port() {
        for host in [
            "example.com",
            "example.com:8000",
            "example.com:",
            "127.0.0.1:80",
            "[::1]",
            "[2001:db8::1]:443",
            "a_b",
            "a%20b",
            "xn--bcher-kva.example.",
        ] {
            assert!(is_host(host.as_bytes()), "{host}");
        }
        for host in [
            "", ":80", "a b", "a/b", "a?b", "a#b", "u@a", "a:x", "a:-1", "a:65536", "a:80:80", "[::1", "::1",
            "[::1]x", "[x]", "[]", "a%2", "a%zz", "a\u{e4}", "a\\b", "a\"b", "<a>",
        ] {
            assert!(!is_host(host.as_bytes()), "{host}");
        }
    }
}
