//! Those who mean harm: strangers who throw bytes at the server, somebody who overhears a player, a player who cheats the protocol.
//!
//! All of them act from a seed, many times a second. They know what such people can know: strangers nothing, the eavesdropper
//! what a player sent (and may send from any port of any address), the cheat its own connection.

use crate::sim::Outsider;
use fogline_common::time::{Arrival, Millis};
use fogline_common::wire::adaptive;
use fogline_common::wire::bits::BitWriter;
use fogline_tools::client::config::ClientConfig;
use fogline_tools::client::{Client, ClientState, MessageNumbers};
use std::net::SocketAddr;

/// Throws whatever a stranger can make up, from many addresses.
pub struct Stranger {
    rng: fastrand::Rng,
    every: Millis,
    /// Datagrams sent.
    sent: u64,
}

impl Stranger {
    /// One datagram each `every`.
    pub fn new(seed: u64, every: Millis) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), every, sent: 0 }
    }

    fn address(&mut self) -> SocketAddr {
        let host = self.rng.u8(1..40);
        SocketAddr::from(([172, 16, self.rng.u8(0..4), host], self.rng.u16(1024..)))
    }

    fn noise(&mut self, longest: usize) -> Vec<u8> {
        let size = self.rng.usize(0..=longest);
        std::iter::repeat_with(|| self.rng.u8(..)).take(size).collect()
    }

    fn open(&mut self, text: &str) -> Vec<u8> {
        let mut datagram = vec![0xff; 4];
        datagram.extend(text.bytes());
        datagram
    }

    /// A connect request whose challenge was invented.
    fn connect(&mut self) -> Vec<u8> {
        let name = "n".repeat(self.rng.usize(0..1200));
        let (challenge, qport) = (self.rng.i32(..), self.rng.u16(..));
        let info = format!("\"\\protocol\\71\\qport\\{qport}\\challenge\\{challenge}\\name\\{name}\"");
        let mut datagram = self.open("connect ");
        if self.rng.bool() {
            datagram.extend(adaptive::compress(info.as_bytes()));
        } else {
            // Packed noise: a length that lies, a tree that does not end.
            datagram.extend(self.noise(600));
        }
        datagram
    }

    fn datagram(&mut self) -> Vec<u8> {
        match self.rng.u32(0..14) {
            0 => self.noise(40),
            1 => self.noise(1400),
            2 => self.noise(60_000),
            3 => Vec::new(),
            4 => {
                let noise = self.noise(1400);
                let mut datagram = self.open("");
                datagram.extend(noise);
                datagram
            }
            5 => self.open("getstatus"),
            6 => {
                let echo = "e".repeat(self.rng.usize(0..300));
                self.open(&format!("getinfo {echo}"))
            }
            7 => {
                let long = "c".repeat(self.rng.usize(0..2000));
                self.open(&format!("getchallenge {long} Quake3Arena"))
            }
            8 => self.open("rcon wrong status"),
            9 => self.open("rcon \"\" quit"),
            10 => self.open("getinfo \"%s%n\u{e9}\\;"),
            11 | 12 => self.connect(),
            _ => self.open("disconnect"),
        }
    }
}

impl Outsider for Stranger {
    fn act(&mut self, now: Arrival, send: &mut dyn FnMut(SocketAddr, &[u8])) -> Option<Arrival> {
        let (from, datagram) = (self.address(), self.datagram());
        send(from, &datagram);
        self.sent += 1;
        Some(now.after(self.every))
    }

    fn is_at(&self, address: SocketAddr) -> bool {
        matches!(address, SocketAddr::V4(v4) if v4.ip().octets()[..2] == [172, 16])
    }
}

/// Overhears players, and sends what it heard again, in pieces, or with another payload: from the player's own address or
/// from another port of it.
pub struct Eavesdropper {
    rng: fastrand::Rng,
    every: Millis,
    heard: Vec<(SocketAddr, Vec<u8>)>,
}

/// Datagrams that an eavesdropper remembers.
const HEARD_MAX: usize = 64;

impl Eavesdropper {
    /// One datagram each `every`.
    pub fn new(seed: u64, every: Millis) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), every, heard: Vec::new() }
    }

    fn twist(&mut self, mut datagram: Vec<u8>) -> Vec<u8> {
        match self.rng.u32(0..5) {
            // Again, as it was.
            0 => (),
            1 => datagram.truncate(self.rng.usize(0..=datagram.len())),
            2 => datagram.extend(std::iter::repeat_with(|| self.rng.u8(..)).take(1300).collect::<Vec<_>>()),
            // The beginning of a message in fragments that will never end.
            3 => {
                let ahead = self.rng.u32(1 << 20..1 << 30) | 1 << 31;
                datagram.truncate(6);
                datagram[..4].copy_from_slice(&ahead.to_le_bytes());
                datagram.extend([0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
            }
            // The player's qport under a number far ahead, and a payload that is noise.
            _ => {
                let ahead = self.rng.u32(..);
                datagram[..4].copy_from_slice(&ahead.to_le_bytes());
                let rng = &mut self.rng;
                datagram[6..].iter_mut().for_each(|byte| *byte = rng.u8(..));
            }
        }
        datagram
    }
}

impl Outsider for Eavesdropper {
    fn act(&mut self, now: Arrival, send: &mut dyn FnMut(SocketAddr, &[u8])) -> Option<Arrival> {
        if !self.heard.is_empty() {
            let (mut from, datagram) = self.heard[self.rng.usize(..self.heard.len())].clone();
            let twisted = self.twist(datagram);
            if self.rng.bool() {
                from.set_port(self.rng.u16(1024..));
            }
            send(from, &twisted);
        }
        Some(now.after(self.every))
    }

    fn overhear(&mut self, from: SocketAddr, datagram: &[u8]) {
        if datagram.len() < 6 || datagram.starts_with(&[0xff; 4]) {
            return;
        }
        let heard = (from, datagram.to_vec());
        if self.heard.len() < HEARD_MAX {
            self.heard.push(heard);
        } else {
            let slot = self.rng.usize(..HEARD_MAX);
            self.heard[slot] = heard;
        }
    }

    fn is_at(&self, _address: SocketAddr) -> bool {
        false
    }
}

/// A player who breaks the protocol from inside, and comes back when it is thrown out.
pub struct Cheat {
    rng: fastrand::Rng,
    address: SocketAddr,
    every: Millis,
    client: Client,
    config: ClientConfig,
    next_evil: Arrival,
    /// Crafted messages sent.
    crafted: u64,
}

impl Cheat {
    /// One crafted message each `every`, once it is in.
    pub fn new(seed: u64, number: u8, every: Millis, config: ClientConfig) -> Self {
        let config =
            ClientConfig { seed, qport: 500 + u16::from(number), name: format!("cheat{number}"), ..config };
        Self {
            rng: fastrand::Rng::with_seed(seed),
            address: SocketAddr::from(([192, 168, number, 9], 27_960)),
            every,
            client: Client::new(config.clone()),
            config,
            next_evil: Arrival::default(),
            crafted: 0,
        }
    }

    fn misbehave(&mut self) {
        self.crafted += 1;
        let evil = self.rng.u32(0..10);
        let mut rng = self.rng.fork();
        self.client.send_crafted(|w, numbers| craft(evil, &mut rng, w, numbers));
    }
}

/// Parts of a client message.
mod op {
    pub(super) const MOVE: i32 = 2;
    pub(super) const COMMAND: i32 = 4;
    pub(super) const VOICE_SPEEX: i32 = 6;
    pub(super) const VOICE_OPUS: i32 = 7;
}

/// Fills a message that no honest client sends.
fn craft(evil: u32, rng: &mut fastrand::Rng, w: &mut BitWriter, numbers: &MessageNumbers) {
    let head = |w: &mut BitWriter, message: i32, reliable: i32| {
        w.write_long(numbers.server_id);
        w.write_long(message);
        w.write_long(reliable);
    };
    let (message, reliable) = (numbers.message_acknowledge, numbers.reliable_acknowledge);
    let command = |w: &mut BitWriter, number: i32, text: &[u8]| {
        head(w, message, reliable);
        w.write_byte(op::COMMAND);
        w.write_long(number);
        w.write_data(text);
    };
    match evil {
        0 => head(w, rng.i32(..), reliable),
        1 => head(w, message, rng.i32(..)),
        2 => {
            w.write_long(rng.i32(..));
            w.write_long(message);
            w.write_long(reliable);
        }
        3 => command(w, numbers.next_command, &vec![b'x'; rng.usize(1000..5000)]),
        4 => command(w, numbers.next_command, b"say 100%s %n \xff\xfe\x80 done\0"),
        5 => command(w, rng.i32(..), b"score\0"),
        6 => {
            let name = "n".repeat(rng.usize(0..900));
            command(
                w,
                numbers.next_command,
                format!("userinfo \"\\name\\{name}\\rate\\-5\\snaps\\0\"\0").as_bytes(),
            );
        }
        7 => {
            head(w, message, reliable);
            w.write_byte(op::MOVE);
            w.write_byte(rng.i32(0..256));
            (0..rng.usize(0..200)).for_each(|_| w.write_byte(rng.i32(0..256)));
        }
        8 => {
            head(w, message, reliable);
            w.write_byte(if rng.bool() { op::VOICE_SPEEX } else { op::VOICE_OPUS });
            // Generation, sequence, frames, size: the size is absurd.
            w.write_byte(rng.i32(0..256));
            w.write_long(rng.i32(..));
            w.write_byte(rng.i32(0..256));
            w.write_short(rng.i32(0..65_536));
            (0..rng.usize(0..100)).for_each(|_| w.write_byte(rng.i32(0..256)));
        }
        _ => {
            head(w, message, reliable);
            (0..rng.usize(0..2000)).for_each(|_| w.write_byte(rng.i32(0..256)));
        }
    }
}

impl Outsider for Cheat {
    fn act(&mut self, now: Arrival, send: &mut dyn FnMut(SocketAddr, &[u8])) -> Option<Arrival> {
        if matches!(self.client.state(), ClientState::Disconnected(_)) {
            let seed = self.rng.u64(..);
            self.client = Client::new(ClientConfig { seed, ..self.config.clone() });
        }
        self.client.advance(now);
        if *self.client.state() == ClientState::Active && now >= self.next_evil {
            self.next_evil = now.after(self.every);
            self.misbehave();
        }
        while self.client.poll_event().is_some() {}
        let mut datagram = Vec::new();
        while self.client.poll_transmit(&mut datagram) {
            send(self.address, &datagram);
        }
        Some(now.after(Millis(16)))
    }

    fn hear(&mut self, now: Arrival, datagram: &[u8]) {
        self.client.receive(now, datagram);
    }

    fn is_at(&self, address: SocketAddr) -> bool {
        address == self.address
    }
}
