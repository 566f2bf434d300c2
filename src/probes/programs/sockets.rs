//! /proc/net/tcp and tcp6: who listens on this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A socket that waits for connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// The address it is bound to.
    pub address: IpAddr,
    /// Its port.
    pub port: u16,
    /// The user who owns it.
    pub uid: u32,
}

impl Listener {
    /// The loopback address at which this machine itself reaches it.
    pub fn loopback(&self) -> Option<IpAddr> {
        match self.address {
            IpAddr::V4(a) if a.is_loopback() => Some(self.address),
            IpAddr::V4(a) if a.is_unspecified() => Some(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(a) if a.is_loopback() || a.is_unspecified() => Some(Ipv6Addr::LOCALHOST.into()),
            _ => None,
        }
    }
}

/// The listeners of a table. The kernel prints addresses as words in its own byte order: `0100007F:2CAA ... 0A`.
pub fn listening(text: &str) -> Vec<Listener> {
    text.lines().skip(1).filter_map(one).collect()
}

fn one(line: &str) -> Option<Listener> {
    const LISTEN: &str = "0A";
    // sl, local address, remote address, state, queues, timer, retransmits, uid
    let mut words = line.split_whitespace().skip(1);
    let (address, port) = words.next()?.split_once(':')?;
    words.nth(1).filter(|state| *state == LISTEN)?;
    let uid = words.nth(3)?.parse().ok()?;
    Some(Listener { address: ip(address)?, port: u16::from_str_radix(port, 16).ok()?, uid })
}

fn ip(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| u32::from_str_radix(hex.get(at * 8..at * 8 + 8)?, 16).ok().map(u32::to_ne_bytes);
    match hex.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let words: Option<Vec<[u8; 4]>> = (0..4).map(word).collect();
            let bytes: [u8; 16] = words?.concat().try_into().ok()?;
            Some(IpAddr::from(bytes))
        }
        _ => None,
    }
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    // As the kernel writes them (net/ipv4/tcp_ipv4.c, get_tcp4_sock): listening on 127.0.0.1:11434, on 0.0.0.0:22, and a
    // connection that is established.
    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 22000 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18001 1 0000000000000000 100 0 0 10 0
   2: 0100007F:2CAA 0100007F:D431 01 00000000:00000000 00:00000000 00000000   998        0 23001 1 0000000000000000 20 4 30 10 -1
";
    const TCP6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:2CAB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
";

    #[test]
    fn those_who_listen_are_found_with_their_owner() {
        let found = listening(TCP);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], Listener { address: Ipv4Addr::LOCALHOST.into(), port: 11434, uid: 998 });
        assert_eq!((found[1].port, found[1].loopback()), (22, Some(Ipv4Addr::LOCALHOST.into())));
        let found = listening(TCP6);
        assert_eq!(found, [Listener { address: Ipv6Addr::LOCALHOST.into(), port: 11435, uid: 1000 }]);
        assert_eq!(listening("garbage\n1: :::: 0A"), []);
    }

    #[test]
    fn an_address_of_the_network_is_not_this_machine_alone() {
        let other = Listener { address: Ipv4Addr::new(192, 168, 1, 5).into(), port: 11434, uid: 0 };
        assert_eq!(other.loopback(), None);
    }
}
