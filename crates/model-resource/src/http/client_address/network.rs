//! IP networks (CIDR blocks) such as `10.0.0.0/8`.

use std::net::IpAddr;
use std::str::FromStr;

/// IP network: an address or a CIDR block.
///
/// ```
/// use model_resource::IpNetwork;
///
/// assert!("10.0.0.0/8".parse::<IpNetwork>().is_ok());
/// assert!("10.0.0.1/8".parse::<IpNetwork>().is_err(), "a network begins with its first address");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IpNetwork {
    first: IpAddr,
    bits: u32,
}

impl IpNetwork {
    /// Whether the network contains the address. The address must be canonical: IPv4-mapped IPv6 addresses never match.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differing = first.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= self.bits
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differing = first.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= self.bits
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }

    /// Whether the address has bits set after the prefix.
    fn has_host_bits(&self) -> bool {
        match self.first {
            IpAddr::V4(first) => first.to_bits().trailing_zeros() + self.bits < 32,
            IpAddr::V6(first) => first.to_bits().trailing_zeros() + self.bits < 128,
        }
    }
}

impl FromStr for IpNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is neither an address nor a network: write \"10.0.0.1\", \"10.0.0.0/8\" or \"fd00::/8\""
            )
        };
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| wrong())?;
        if first.to_canonical() != first {
            return Err(format!("`{text}` is IPv4-mapped IPv6: write it as IPv4"));
        }
        let max_bits = if first.is_ipv4() { 32 } else { 128 };
        let digits = |bits: &&str| bits.bytes().all(|b| b.is_ascii_digit());
        let bits = match bits {
            Some(bits) => Some(bits).filter(digits).and_then(|bits| bits.parse().ok()),
            None => Some(max_bits),
        };
        let bits = bits.filter(|bits| *bits <= max_bits).ok_or_else(wrong)?;
        let network = Self { first, bits };
        if network.has_host_bits() {
            return Err(format!(
                "`{text}` has bits after the first {bits}: write the network's first address, or leave /{bits} out"
            ));
        }
        Ok(network)
    }
}

impl TryFrom<&str> for IpNetwork {
    type Error = String;

    fn try_from(text: &str) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(address: &str, network: &str) -> bool {
        let network: IpNetwork = network.parse().expect("a network");
        network.contains(address.parse().expect("an address"))
    }

    #[test]
    fn a_network_has_the_addresses_that_begin_with_its_bits() {
        for (address, network, expected) in [
            ("10.255.0.1", "10.0.0.0/8", true),
            ("11.0.0.1", "10.0.0.0/8", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.6", "192.0.2.7/32", false),
            ("172.31.0.1", "172.16.0.0/12", true),
            ("172.32.0.1", "172.16.0.0/12", false),
            ("203.0.113.1", "0.0.0.0/0", true),
            ("fd12::1", "fd00::/8", true),
            ("fe80::1", "fd00::/8", false),
            ("2001:db8::1", "::/0", true),
            ("10.0.0.1", "::/0", false),
            ("::1", "0.0.0.0/0", false),
        ] {
            assert_eq!(is_in(address, network), expected, "{address} in {network}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused_with_a_remedy() {
        for (text, remedy) in [
            ("localhost", "neither"),
            ("", "neither"),
            ("10.0.0.0/33", "neither"),
            ("10.0.0.0/+8", "neither"),
            ("10.0.0.0/", "neither"),
            ("10.0.0.0/8/8", "neither"),
            ("10.0.0.1/8", "first address"),
            ("fd00::1/8", "first address"),
            ("::ffff:10.0.0.0/104", "as IPv4"),
        ] {
            let mistake = text.parse::<IpNetwork>().expect_err(text);
            assert!(mistake.contains(remedy), "{text}: {mistake}");
        }
    }
}
