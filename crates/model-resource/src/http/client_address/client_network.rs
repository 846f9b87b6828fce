//! Part of an address that identifies one client.

use std::net::IpAddr;

/// Part of an address that one client cannot change: of IPv6 the network of 64 bits.
pub(crate) fn client_network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_counts_by_its_first_64_bits() {
        let parsed = |text: &str| text.parse::<IpAddr>().expect("an address");
        let (one, same) = (parsed("2001:db8:1:2:3::4"), parsed("2001:db8:1:2:ffff::1"));
        assert_eq!(client_network(one), client_network(same));
        assert_ne!(client_network(one), client_network(parsed("2001:db8:1:3:3::4")));
        assert_ne!(
            client_network(parsed("192.0.2.1")),
            client_network(parsed("192.0.2.2"))
        );
    }
}
