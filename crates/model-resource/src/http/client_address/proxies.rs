//! Client addresses that proxies report.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::http::client_address::network::IpNetwork;

/// Header in which the application's proxies report the client address.
///
/// Choose one: a proxy that writes one header passes the other on as the client sent it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For: 203.0.113.7, 10.0.0.2`, which nearly all proxies write.
    #[default]
    XForwardedFor,
    /// `Forwarded: for=203.0.113.7, for="[2001:db8::7]:4711"` of RFC 7239.
    Forwarded,
}

/// Trusted proxies.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustedProxies {
    pub(crate) trusted: Vec<IpNetwork>,
    pub(crate) header: ForwardedHeader,
}

impl TrustedProxies {
    /// Returns the client address of a request that `peer` has sent: `peer` itself, unless it is a trusted proxy. Each
    /// proxy appends its peer at the right, so the client is the first address from the right that is not a trusted
    /// proxy. Entries further left come from the client and are not trustworthy.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let name = match self.header {
            ForwardedHeader::XForwardedFor => HeaderName::from_static("x-forwarded-for"),
            ForwardedHeader::Forwarded => header::FORWARDED,
        };
        let mut entries = headers
            .get_all(name)
            .iter()
            .rev()
            .flat_map(|value| Self::text(value).rsplit(','));
        while self.trusted.iter().any(|network| network.contains(client)) {
            let next = entries.next().and_then(|entry| match self.header {
                ForwardedHeader::XForwardedFor => address(entry),
                ForwardedHeader::Forwarded => forwarded_for(entry),
            });
            match next {
                Some(next) => client = next,
                // A proxy without a clear entry is the last known address.
                None => break,
            }
        }
        client
    }

    /// Header text. A value that is not text becomes an empty entry, which ends the search.
    fn text(value: &HeaderValue) -> &str {
        value.to_str().unwrap_or_default()
    }
}

/// Parses an address with an optional port: `203.0.113.7`, `203.0.113.7:80`, `2001:db8::7`, `[2001:db8::7]`,
/// `[2001:db8::7]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let parsed = bare.unwrap_or(text).parse();
    let address = parsed.or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// Address of an element of `Forwarded`. An element with an unbalanced quotation mark was cut at a comma inside quoted
/// text, which the client may have written.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    if element.contains('\\') || element.matches('"').count() % 2 == 1 {
        return None;
    }
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    let value = value.trim();
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    address(quoted.unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(header: ForwardedHeader, peer: &str, lines: &[&str]) -> String {
        let networks = ["10.0.0.0/8", "fd00::/8"];
        let trusted = networks.map(|network| network.parse().expect("a network"));
        let proxies = TrustedProxies {
            trusted: trusted.into(),
            header,
        };
        let name = match header {
            ForwardedHeader::XForwardedFor => "x-forwarded-for",
            ForwardedHeader::Forwarded => "forwarded",
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name, HeaderValue::from_str(line).expect("a header"));
        }
        let peer = peer.parse().expect("an address");
        proxies.client(peer, &headers).to_string()
    }

    #[test]
    fn the_client_is_the_first_from_the_right_that_is_no_trusted_proxy() {
        for (peer, lines, expected) in [
            ("203.0.113.7", &["198.51.100.1"][..], "203.0.113.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["6.6.6.6,198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            (
                "10.0.0.1",
                &["6.6.6.6", "198.51.100.1", "10.0.0.2"],
                "198.51.100.1",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("10.0.0.1", &["[2001:db8::7]:80"], "2001:db8::7"),
            ("fd00::1", &["2001:db8::7"], "2001:db8::7"),
            ("10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["6.6.6.6, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["6.6.6.6, "], "10.0.0.1"),
            ("10.0.0.1", &["6.6.6.6, 10.0.0.2/8"], "10.0.0.1"),
        ] {
            let found = client(ForwardedHeader::XForwardedFor, peer, lines);
            assert_eq!(found, expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn forwarded_says_it_in_pairs() {
        for (lines, expected) in [
            (&["for=198.51.100.1"][..], "198.51.100.1"),
            (
                &["for=6.6.6.6, proto=https;For=\"198.51.100.1:80\";by=10.0.0.1"],
                "198.51.100.1",
            ),
            (&["for=\"[2001:db8::7]:4711\""], "2001:db8::7"),
            (&["for=198.51.100.1", "for=10.0.0.2"], "198.51.100.1"),
            (&["for=6.6.6.6, for=_hidden"], "10.0.0.1"),
            (&["for=6.6.6.6, by=10.0.0.9"], "10.0.0.1"),
            (&["for=198.51.100.1;host=\"a, for=6.6.6.6;x=b\""], "10.0.0.1"),
            (&["for=198.51.100.1;host=\"a, for=6.6.6.6;x=\\\"b\""], "10.0.0.1"),
            (&["for=\"6.6.6.6, for=198.51.100.1"], "198.51.100.1"),
        ] {
            let found = client(ForwardedHeader::Forwarded, "10.0.0.1", lines);
            assert_eq!(found, expected, "{lines:?}");
        }
    }

    #[test]
    fn the_header_that_the_proxies_do_not_write_says_nothing() {
        let proxies = TrustedProxies {
            trusted: vec!["10.0.0.0/8".parse().expect("a network")],
            header: ForwardedHeader::XForwardedFor,
        };
        let mut headers = HeaderMap::new();
        headers.append("forwarded", HeaderValue::from_static("for=6.6.6.6"));
        let peer: IpAddr = "10.0.0.1".parse().expect("an address");
        assert_eq!(proxies.client(peer, &headers), peer);
    }
}
