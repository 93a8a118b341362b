//! One question in the open and its answers, with an end to waiting.

use fogline_common::time::{Arrival, Millis};
use fogline_server::io::Clock;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// Mark of a datagram outside any sequence.
const MARK: [u8; 4] = [0xff; 4];
/// Larger than any datagram of the protocol.
const DATAGRAM_MAX: usize = 16_384;
/// Datagrams that are looked at before an answer counts as endless.
const DATAGRAMS_MAX: usize = 1024;

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the first answer to one asking.
    pub timeout: Millis,
    /// Times that the question is asked. More than once only for questions that change nothing.
    pub tries: u32,
    /// After an answer, for a further one; `None` if one answer is all.
    pub quiet: Option<Millis>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Texts of the answers, without their mark.
    pub texts: Vec<Vec<u8>>,
    /// Time from the last asking to the first answer.
    pub round_trip_micros: u64,
}

/// Asks `server` and collects answers that begin with `word` and a line break. `None` if none came.
///
/// # Errors
/// If there is no socket to be had, or it fails. A port where nobody listens is no error but no answer.
pub fn ask(
    server: SocketAddr,
    question: &[u8],
    word: &str,
    patience: &Patience,
) -> io::Result<Option<Answer>> {
    let socket = UdpSocket::bind(any_address(server))?;
    let clock = Clock::start();
    let question = [&MARK, question].concat();
    let wanted = [&MARK, word.as_bytes(), b"\n"].concat();
    for _ in 0..patience.tries.max(1) {
        let asked = clock.now();
        match socket.send_to(&question, server) {
            Err(error) if !is_passing(&error) => return Err(error),
            _ => (),
        }
        let mut listener = Listener { socket: &socket, clock, server, left: DATAGRAMS_MAX };
        let first = listener.next(asked.after(patience.timeout), &wanted)?;
        let Some(first) = first else { continue };
        let mut answer = Answer { texts: vec![first], round_trip_micros: clock.now().micros_since(asked) };
        while let Some(quiet) = patience.quiet {
            let Some(more) = listener.next(clock.now().after(quiet), &wanted)? else { break };
            answer.texts.push(more);
        }
        return Ok(Some(answer));
    }
    Ok(None)
}

/// Hears what one server says on one socket.
struct Listener<'a> {
    socket: &'a UdpSocket,
    clock: Clock,
    server: SocketAddr,
    /// Datagrams that may still be looked at.
    left: usize,
}

impl Listener<'_> {
    /// The next datagram of the server that begins as wanted, without that beginning.
    fn next(&mut self, until: Arrival, wanted: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let mut datagram = vec![0; DATAGRAM_MAX];
        loop {
            let wait = until.micros_since(self.clock.now());
            if wait == 0 || self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            self.socket.set_read_timeout(Some(Duration::from_micros(wait)))?;
            match self.socket.recv_from(&mut datagram) {
                Ok((size, from)) if from == self.server => {
                    if let Some(text) = datagram[..size].strip_prefix(wanted) {
                        return Ok(Some(text.to_vec()));
                    }
                }
                // A machine that says that nobody listens there says it at once, and says it again at the next asking.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Ok(None),
                Err(error) if !is_passing(&error) => return Err(error),
                _ => (),
            }
        }
    }
}

/// Any port of any address of the family of `server`.
pub fn any_address(server: SocketAddr) -> SocketAddr {
    match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    }
}

/// No datagram yet, or nobody there yet.
pub fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loopback() -> UdpSocket {
        UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()
    }

    #[test]
    fn answers_are_collected_until_it_is_quiet_and_strangers_are_not_heard() {
        let server = loopback();
        let address = server.local_addr().unwrap();
        let answering = std::thread::spawn(move || {
            let mut question = [0; 64];
            let (size, from) = server.recv_from(&mut question).unwrap();
            loopback().send_to(b"\xff\xff\xff\xffprint\nforged", from).unwrap();
            for reply in ["print\none", "other\ntwo", "print\nthree"] {
                server.send_to(&[&MARK, reply.as_bytes()].concat(), from).unwrap();
            }
            question[..size].to_vec()
        });
        let patience = Patience { timeout: Millis(5000), tries: 1, quiet: Some(Millis(200)) };
        let answer = ask(address, b"rcon x", "print", &patience).unwrap().unwrap();
        assert_eq!(answer.texts, [b"one".to_vec(), b"three".to_vec()]);
        assert_eq!(answering.join().unwrap(), b"\xff\xff\xff\xffrcon x");
    }

    #[test]
    fn silence_ends_after_the_tries() {
        let silent = loopback();
        let patience = Patience { timeout: Millis(5), tries: 3, quiet: None };
        let address = silent.local_addr().unwrap();
        assert_eq!(ask(address, b"getinfo", "infoResponse", &patience).unwrap(), None);
        silent.set_nonblocking(true).unwrap();
        let mut heard = 0;
        while silent.recv_from(&mut [0; 16]).is_ok() {
            heard += 1;
        }
        assert_eq!(heard, 3);
    }
}
