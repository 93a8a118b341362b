//! UDP datagrams out of a capture file in the classic pcap format.
//!
//! ```text
//! file    magic u32 | version 2 × u16 | 8 bytes | snaplen u32 | link type u32 | packet*      in either byte order
//! packet  seconds u32 | fraction u32 | captured u32 | length u32 | captured bytes
//! ```
//!
//! Source: the pcap format as tcpdump.org describes it, and its list of link types.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Bytes of the file's head.
const HEAD_BYTES: usize = 24;
/// Bytes of a packet's head.
const PACKET_HEAD_BYTES: usize = 16;
/// The protocol number of UDP.
const UDP: u8 = 17;

/// Why a file is no capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureError {
    /// It begins with no magic of this format.
    NotPcap,
    /// It is the newer format.
    PcapNg,
    /// What the packets begin with is not known here.
    LinkType(u32),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPcap => write!(f, "this is no capture in pcap format"),
            Self::PcapNg => {
                write!(f, "this is a pcapng capture; change it with: editcap -F pcap IN OUT")
            }
            Self::LinkType(number) => write!(f, "captures of link type {number} cannot be read"),
        }
    }
}

impl std::error::Error for CaptureError {}

/// One UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// When it was captured. Unit: µs, from the capture's zero.
    pub at_micros: u64,
    /// Sender.
    pub from: SocketAddr,
    /// Receiver.
    pub to: SocketAddr,
    /// What it carries.
    pub payload: &'a [u8],
}

/// The datagrams of a capture, in its order. A file that ends inside a packet ends before it.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    rest: &'a [u8],
    big_endian: bool,
    nanos: bool,
    link: u32,
    /// Packets that were no whole UDP datagram.
    pub skipped: u64,
}

impl<'a> Capture<'a> {
    /// Reads the head.
    ///
    /// # Errors
    /// If it is none of this format.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, CaptureError> {
        let magic: [u8; 4] = *bytes.first_chunk().ok_or(CaptureError::NotPcap)?;
        let (big_endian, nanos) = match magic {
            [0xa1, 0xb2, 0xc3, 0xd4] => (true, false),
            [0xd4, 0xc3, 0xb2, 0xa1] => (false, false),
            [0xa1, 0xb2, 0x3c, 0x4d] => (true, true),
            [0x4d, 0x3c, 0xb2, 0xa1] => (false, true),
            [0x0a, 0x0d, 0x0d, 0x0a] => return Err(CaptureError::PcapNg),
            _ => return Err(CaptureError::NotPcap),
        };
        let rest = bytes.get(HEAD_BYTES..).ok_or(CaptureError::NotPcap)?;
        let mut capture = Self { rest, big_endian, nanos, link: 0, skipped: 0 };
        capture.link = capture.number(bytes, 20).ok_or(CaptureError::NotPcap)? & 0x0fff_ffff;
        match capture.link {
            0 | 1 | 101 | 113 | 228 | 229 | 276 => Ok(capture),
            other => Err(CaptureError::LinkType(other)),
        }
    }

    fn number(&self, bytes: &[u8], at: usize) -> Option<u32> {
        let four = *bytes.get(at..)?.first_chunk()?;
        Some(if self.big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
    }

    /// Time and bytes of the next packet; `None` at the end.
    fn next_packet(&mut self) -> Option<(u64, &'a [u8])> {
        let seconds = self.number(self.rest, 0)?;
        let fraction = self.number(self.rest, 4)?;
        let captured = self.number(self.rest, 8)? as usize;
        let packet = self.rest.get(PACKET_HEAD_BYTES..)?.get(..captured)?;
        self.rest = &self.rest[PACKET_HEAD_BYTES + captured..];
        let micros = if self.nanos { fraction / 1000 } else { fraction };
        Some((u64::from(seconds) * 1_000_000 + u64::from(micros), packet))
    }

    /// The IP packet inside of what the link carries.
    fn inside<'p>(&self, packet: &'p [u8]) -> Option<&'p [u8]> {
        match self.link {
            0 => packet.get(4..),
            // A tag of a virtual network is four bytes more.
            1 if packet.get(12..14)? == [0x81, 0x00] => packet.get(18..),
            1 => packet.get(14..),
            113 => packet.get(16..),
            276 => packet.get(20..),
            _ => Some(packet),
        }
    }
}

impl<'a> Iterator for Capture<'a> {
    type Item = Datagram<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (at_micros, packet) = self.next_packet()?;
            if let Some((from, to, payload)) = self.inside(packet).and_then(udp_of_ip) {
                return Some(Datagram { at_micros, from, to, payload });
            }
            self.skipped += 1;
        }
    }
}

/// Sender, receiver and payload, if the packet is one whole UDP datagram.
fn udp_of_ip(packet: &[u8]) -> Option<(SocketAddr, SocketAddr, &[u8])> {
    let (from, to, udp): (IpAddr, IpAddr, &[u8]) = match packet.first()? >> 4 {
        4 => {
            let in_pieces = u16::from_be_bytes(*packet.get(6..)?.first_chunk()?) & 0x3fff != 0;
            if in_pieces || *packet.get(9)? != UDP {
                return None;
            }
            let address = |at: usize| Some(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?));
            let head = usize::from(packet[0] & 15) * 4;
            (address(12)?.into(), address(16)?.into(), packet.get(head..)?)
        }
        6 if *packet.get(6)? == UDP => {
            let address = |at: usize| Some(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?));
            (address(8)?.into(), address(24)?.into(), packet.get(40..)?)
        }
        _ => return None,
    };
    let field = |at: usize| Some(u16::from_be_bytes(*udp.get(at..)?.first_chunk()?));
    let payload = udp.get(8..usize::from(field(4)?))?;
    Some((SocketAddr::new(from, field(0)?), SocketAddr::new(to, field(2)?), payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A little-endian capture of raw IP with these packets.
    fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes =
            vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
        for (n, packet) in packets.iter().enumerate() {
            for number in [n as u32, 500, packet.len() as u32, packet.len() as u32] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(packet);
        }
        bytes
    }

    fn ip(payload: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, UDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet.extend(1000_u16.to_be_bytes());
        packet.extend(27_960_u16.to_be_bytes());
        packet.extend((payload.len() as u16 + 8).to_be_bytes());
        packet.extend([0, 0]);
        packet.extend(payload);
        packet
    }

    #[test]
    fn datagrams_come_out_with_time_and_addresses() {
        let mut tcp = ip(b"x");
        tcp[9] = 6;
        let mut piece = ip(b"x");
        piece[6] = 0x20;
        let bytes = capture(&[ip(b"hello"), tcp, piece, ip(b"")]);
        let mut capture = Capture::parse(&bytes).unwrap();
        let first = capture.next().unwrap();
        assert_eq!((first.at_micros, first.payload), (500, &b"hello"[..]));
        assert_eq!(
            (first.from.to_string().as_str(), first.to.to_string().as_str()),
            ("10.0.0.1:1000", "10.0.0.2:27960")
        );
        assert_eq!(capture.next().unwrap().at_micros, 3_000_500);
        assert_eq!((capture.next(), capture.skipped), (None, 2));
    }

    #[test]
    fn no_capture_cut_anywhere_breaks_the_reader() {
        let bytes = capture(&[ip(b"hello"), ip(b"again")]);
        for end in 0..bytes.len() {
            if let Ok(capture) = Capture::parse(&bytes[..end]) {
                assert!(capture.count() <= 1);
            }
        }
        // Lengths that lie.
        for at in HEAD_BYTES..bytes.len() {
            let mut lying = bytes.clone();
            lying[at] = 0xff;
            assert!(Capture::parse(&lying).unwrap().count() <= 2);
        }
        assert_eq!(Capture::parse(b"\x0a\x0d\x0d\x0a....").unwrap_err(), CaptureError::PcapNg);
        assert_eq!(Capture::parse(b"GIF89a").unwrap_err(), CaptureError::NotPcap);
    }
}
