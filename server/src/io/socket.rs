//! UDP: one socket for IPv4 and one for IPv6, a receiver thread for each, one sender thread for both.

use super::{Clock, Datagram, Input};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Ports tried above the one wanted, if it is taken.
pub const MORE_PORTS: u16 = 9;
/// Largest datagram taken from a socket; what is longer is dropped and counted. A client sends at most 1400 bytes.
pub const MAX_DATAGRAM_BYTES: usize = 2047;
/// Datagrams that may wait for the sender thread.
const MAX_OUTGOING: usize = 8192;
/// Buffers kept for reuse, in either direction.
const MAX_SPARE: usize = 1024;
/// How long a receiver waits before it looks whether it should end.
const LOOK_AROUND: Duration = Duration::from_millis(250);
/// What the system is asked to hold for us while a frame runs. Unit: bytes.
const SYSTEM_BUFFER_BYTES: usize = 1 << 20;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// The IPv4 address, unless IPv4 is off.
    pub v4: Option<Ipv4Addr>,
    /// The IPv6 address, unless IPv6 is off.
    pub v6: Option<Ipv6Addr>,
    /// The port wanted, the same for both; 0 for any free one.
    pub port: u16,
    /// Refuse if the port is taken, in place of trying the next ones (`net_portStrict`).
    pub strict: bool,
}

/// Sockets that are bound and not yet served.
#[derive(Debug)]
pub struct Bound {
    sockets: Vec<Arc<UdpSocket>>,
    /// Where they listen.
    pub addresses: Vec<SocketAddr>,
    /// Sentences for the log.
    pub notes: Vec<String>,
}

/// Binds the sockets: at the port wanted, else at one of the next [`MORE_PORTS`], the same port for both families.
///
/// IPv6 that this machine does not have is a note, unless it is all that was wanted.
///
/// # Errors
/// One sentence for the host.
pub fn bind(listen: &Listen) -> Result<Bound, String> {
    let mut notes = Vec::new();
    let tries = if listen.strict || listen.port == 0 { 0 } else { MORE_PORTS };
    let last = listen.port.saturating_add(tries);
    for port in listen.port..=last {
        match bind_both(listen, port, &mut notes) {
            Ok(sockets) => {
                let addresses: Result<Vec<_>, _> = sockets.iter().map(UdpSocket::local_addr).collect();
                let addresses = addresses.map_err(|error| format!("net_port {port}: {error}"))?;
                if port != listen.port {
                    notes.push(format!(
                        "WARNING: port {} is taken, so this server listens at port {port}; net_portStrict 1 would refuse",
                        listen.port
                    ));
                }
                let sockets = sockets.into_iter().map(Arc::new).collect();
                return Ok(Bound { sockets, addresses, notes });
            }
            Err((address, error)) if error.kind() == io::ErrorKind::AddrInUse => {
                if port == last {
                    let range = if tries > 0 { format!(" to {last}") } else { String::new() };
                    return Err(format!(
                        "net_port {}{range} at {address}: taken by another program; stop that or choose another net_port",
                        listen.port
                    ));
                }
            }
            Err((address, error)) => {
                return Err(format!("cannot listen at {address}: {error}; check net_ip and net_ip6"));
            }
        }
    }
    Err("net_enabled: neither IPv4 nor IPv6 is on".to_owned())
}

fn bind_both(
    listen: &Listen,
    port: u16,
    notes: &mut Vec<String>,
) -> Result<Vec<UdpSocket>, (SocketAddr, io::Error)> {
    let mut sockets = Vec::with_capacity(2);
    let mut port = port;
    if let Some(ip) = listen.v4 {
        let socket = bind_one(SocketAddr::from((ip, port)))?;
        // If any port would do, the other family takes the same.
        port = socket.local_addr().map_or(port, |address| address.port());
        sockets.push(socket);
    }
    if let Some(ip) = listen.v6 {
        match bind_one(SocketAddr::from((ip, port))) {
            Ok(socket) => sockets.push(socket),
            Err((address, error)) if listen.v4.is_some() && error.kind() != io::ErrorKind::AddrInUse => {
                notes.push(format!("no IPv6 at {address}: {error}; net_enabled 1 asks for IPv4 alone"));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(sockets)
}

fn bind_one(address: SocketAddr) -> Result<UdpSocket, (SocketAddr, io::Error)> {
    let open = || {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        // The system may grant less; that costs datagrams under load and nothing else.
        let _ = socket.set_recv_buffer_size(SYSTEM_BUFFER_BYTES);
        let _ = socket.set_send_buffer_size(SYSTEM_BUFFER_BYTES);
        socket.set_read_timeout(Some(LOOK_AROUND))?;
        socket.bind(&address.into())?;
        Ok(UdpSocket::from(socket))
    };
    open().map_err(|error| (address, error))
}

/// What happened at the sockets, counted by the threads.
#[derive(Debug, Default)]
pub struct SocketCounts {
    /// Datagrams that came while too much waited for the server loop.
    pub dropped_in: AtomicU64,
    /// Datagrams longer than [`MAX_DATAGRAM_BYTES`].
    pub oversized: AtomicU64,
    /// Datagrams that found the sender's queue full.
    pub dropped_out: AtomicU64,
    /// Datagrams that the system would not take, or of a family without a socket.
    pub unsendable: AtomicU64,
    /// Failures to receive.
    pub receive_errors: AtomicU64,
}

/// Sockets with their threads. They end when this is dropped.
pub struct Wire {
    /// What happened.
    pub counts: Arc<SocketCounts>,
    outgoing: Sender<(SocketAddr, Vec<u8>)>,
    spare_out: Receiver<Vec<u8>>,
    used_out: Sender<Vec<u8>>,
    spare_in: Sender<Vec<u8>>,
    sender_done: Receiver<()>,
    stop: Arc<AtomicBool>,
}

impl Wire {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn start(bound: &Bound, clock: Clock, inputs: &Sender<Input>) -> io::Result<Self> {
        let counts = Arc::new(SocketCounts::default());
        let stop = Arc::new(AtomicBool::new(false));
        let (spare_in, spares) = bounded(MAX_SPARE);
        for (socket, address) in bound.sockets.iter().zip(&bound.addresses) {
            let receiver = ReceiverThread {
                socket: Arc::clone(socket),
                clock,
                inputs: inputs.clone(),
                spares: spares.clone(),
                counts: Arc::clone(&counts),
                stop: Arc::clone(&stop),
            };
            let name = if address.is_ipv4() { "receive v4" } else { "receive v6" };
            super::start_thread(name, move || receiver.run())?;
        }
        let (outgoing, waiting) = bounded(MAX_OUTGOING);
        let (used, spare_out) = bounded(MAX_SPARE);
        let (ended, sender_done) = bounded(1);
        let sockets: Vec<_> = bound.sockets.iter().cloned().zip(bound.addresses.iter().copied()).collect();
        let thread_counts = Arc::clone(&counts);
        let used_out = used.clone();
        super::start_thread("send", move || {
            send_all(&sockets, &waiting, &used, &thread_counts);
            drop(ended);
        })?;
        Ok(Self { counts, outgoing, spare_out, used_out, spare_in, sender_done, stop })
    }

    /// An empty buffer for [`send`](Self::send).
    pub fn buffer(&self) -> Vec<u8> {
        let mut buffer = self.spare_out.try_recv().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Queues a datagram; one that does not fit is dropped and counted.
    pub fn send(&self, to: SocketAddr, datagram: Vec<u8>) {
        if self.outgoing.try_send((to, datagram)).is_err() {
            self.counts.dropped_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes a buffer of [`buffer`](Self::buffer) back that is not needed after all.
    pub fn keep(&self, buffer: Vec<u8>) {
        let _ = self.used_out.try_send(buffer);
    }

    /// Takes a handled datagram's buffer back.
    pub fn recycle(&self, buffer: Vec<u8>) {
        let _ = self.spare_in.try_send(buffer);
    }

    /// Ends the threads; waits for what is queued to be sent, but not for long.
    pub fn finish(self, patience: Duration) {
        let done = self.sender_done.clone();
        drop(self);
        let _ = done.recv_timeout(patience);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct ReceiverThread {
    socket: Arc<UdpSocket>,
    clock: Clock,
    inputs: Sender<Input>,
    spares: Receiver<Vec<u8>>,
    counts: Arc<SocketCounts>,
    stop: Arc<AtomicBool>,
}

impl ReceiverThread {
    fn run(self) {
        let mut buffer = [0; MAX_DATAGRAM_BYTES + 1];
        while !self.stop.load(Ordering::Relaxed) {
            match self.socket.recv_from(&mut buffer) {
                Ok((len, _)) if len > MAX_DATAGRAM_BYTES => count(&self.counts.oversized),
                Ok((len, from)) => {
                    let at = self.clock.now();
                    let mut bytes =
                        self.spares.try_recv().unwrap_or_else(|_| Vec::with_capacity(MAX_DATAGRAM_BYTES));
                    bytes.clear();
                    bytes.extend_from_slice(&buffer[..len]);
                    match self.inputs.try_send(Input::Datagram(Datagram { at, from, bytes })) {
                        Ok(()) => {}
                        Err(TrySendError::Full(_)) => count(&self.counts.dropped_in),
                        Err(TrySendError::Disconnected(_)) => return,
                    }
                }
                Err(error) if is_lull(error.kind()) => {}
                Err(_) => {
                    count(&self.counts.receive_errors);
                    // An error that stays must not become a busy loop.
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }
}

fn send_all(
    sockets: &[(Arc<UdpSocket>, SocketAddr)],
    waiting: &Receiver<(SocketAddr, Vec<u8>)>,
    used: &Sender<Vec<u8>>,
    counts: &SocketCounts,
) {
    for (to, datagram) in waiting {
        let socket = sockets.iter().find(|(_, local)| local.is_ipv4() == to.is_ipv4());
        if socket.is_none_or(|(socket, _)| socket.send_to(&datagram, to).is_err()) {
            count(&counts.unsendable);
        }
        let _ = used.try_send(datagram);
    }
}

const fn is_lull(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Reads `net_ip` or `net_ip6`: a literal address, or `localhost`.
///
/// # Errors
/// One sentence for the host.
pub fn parse_ip(cvar: &str, text: &str, v6: bool) -> Result<IpAddr, String> {
    let ip = match (text, v6) {
        ("localhost", false) => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ("localhost", true) => Ok(IpAddr::V6(Ipv6Addr::LOCALHOST)),
        _ => text.trim_matches(['[', ']']).parse::<IpAddr>(),
    };
    match ip {
        Ok(ip) if ip.is_ipv6() == v6 => Ok(ip),
        _ => {
            let (family, any) = if v6 { ("IPv6", "::") } else { ("IPv4", "0.0.0.0") };
            Err(format!("{cvar} {text:?}: is no {family} address; {any} listens at all of them"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: Listen = Listen { v4: Some(Ipv4Addr::LOCALHOST), v6: None, port: 0, strict: false };
    const PATIENCE: Duration = Duration::from_secs(10);

    fn next_datagram(inputs: &Receiver<Input>) -> Datagram {
        match inputs.recv_timeout(PATIENCE) {
            Ok(Input::Datagram(datagram)) => datagram,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn datagrams_come_in_stamped_and_go_out_to_their_sender() {
        let bound = bind(&LOOPBACK).unwrap();
        let (sender, inputs) = bounded(16);
        let clock = Clock::start();
        let wire = Wire::start(&bound, clock, &sender).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        for n in 0..3_u8 {
            let before = clock.now();
            peer.send_to(&[n; 100], bound.addresses[0]).unwrap();
            let datagram = next_datagram(&inputs);
            assert!(before <= datagram.at && datagram.at <= clock.now());
            assert_eq!((datagram.from, &datagram.bytes[..]), (peer.local_addr().unwrap(), &[n; 100][..]));
            let mut reply = wire.buffer();
            reply.push(n);
            wire.send(datagram.from, reply);
            wire.recycle(datagram.bytes);
            let mut heard = [0; 10];
            assert_eq!(peer.recv(&mut heard).unwrap(), 1);
            assert_eq!(heard[0], n);
        }
        wire.finish(PATIENCE);
    }

    #[test]
    fn both_families_listen_at_one_port() {
        let both = Listen { v6: Some(Ipv6Addr::LOCALHOST), ..LOOPBACK };
        let bound = bind(&both).unwrap();
        let [v4, v6] = bound.addresses[..] else {
            eprintln!("skipped: {:?}", bound.notes);
            return;
        };
        assert_eq!(v4.port(), v6.port());
        let (sender, inputs) = bounded(16);
        let _wire = Wire::start(&bound, Clock::start(), &sender).unwrap();
        for (local, to) in [("127.0.0.1:0", v4), ("[::1]:0", v6)] {
            UdpSocket::bind(local).unwrap().send_to(b"hello", to).unwrap();
            assert_eq!(next_datagram(&inputs).from.is_ipv4(), to.is_ipv4());
        }
    }

    #[test]
    fn a_taken_port_is_passed_over_loudly_or_refused_if_strict() {
        let first = bind(&LOOPBACK).unwrap();
        let port = first.addresses[0].port();
        let strict = bind(&Listen { port, strict: true, ..LOOPBACK }).unwrap_err();
        assert!(strict.contains("taken") && strict.contains(&port.to_string()), "{strict}");
        if port < 65_500 {
            let next = bind(&Listen { port, ..LOOPBACK }).unwrap();
            assert!((port + 1..=port + MORE_PORTS).contains(&next.addresses[0].port()));
            assert!(next.notes[0].contains("WARNING") && next.notes[0].contains("net_portStrict"));
        }
    }

    #[test]
    fn an_oversized_datagram_is_counted_and_goes_no_further() {
        let bound = bind(&LOOPBACK).unwrap();
        let (sender, inputs) = bounded(16);
        let wire = Wire::start(&bound, Clock::start(), &sender).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        peer.send_to(&[1; MAX_DATAGRAM_BYTES + 1], bound.addresses[0]).unwrap();
        peer.send_to(&[2; MAX_DATAGRAM_BYTES], bound.addresses[0]).unwrap();
        assert_eq!(next_datagram(&inputs).bytes[0], 2);
        assert_eq!(wire.counts.oversized.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_full_loop_drops_and_counts() {
        let bound = bind(&LOOPBACK).unwrap();
        let (sender, inputs) = bounded(1);
        let wire = Wire::start(&bound, Clock::start(), &sender).unwrap();
        let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
        for n in 0..3 {
            peer.send_to(&[n], bound.addresses[0]).unwrap();
        }
        while wire.counts.dropped_in.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        assert_eq!(next_datagram(&inputs).bytes, [0]);
    }

    #[test]
    fn an_address_that_is_none_is_refused_with_a_sentence() {
        assert_eq!(parse_ip("net_ip", "localhost", false), Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!(parse_ip("net_ip6", "[::1]", true), Ok(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        for (text, v6) in [("::1", false), ("127.0.0.1", true), ("example.org", false), ("", false)] {
            assert!(parse_ip("net_ip", text, v6).unwrap_err().contains("address"), "{text}");
        }
    }
}
