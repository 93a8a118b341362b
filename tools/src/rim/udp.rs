//! One headless client on a real UDP socket, by the machine's clock.

use crate::client::Client;
use crate::rim::ask::{any_address, is_passing};
use fogline_common::time::{Arrival, Millis};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Larger than any datagram of the protocol.
const DATAGRAM_MAX: usize = 16_384;
/// Shortest wait: a socket takes a wait of zero for a wait without end.
const WAIT_MIN: Duration = Duration::from_micros(100);

/// Runs a client against `server` for `span`. `each` is called after every step and may act on the client; when it answers
/// `false` the run is over. The client's clock begins at zero; the time at which the run ended comes back.
///
/// # Errors
/// If no socket can be opened or it fails. A server that is not there is no error of the socket.
pub fn drive(
    client: &mut Client,
    server: SocketAddr,
    span: Millis,
    mut each: impl FnMut(Arrival, &mut Client) -> bool,
) -> io::Result<Arrival> {
    let socket = UdpSocket::bind(any_address(server))?;
    let begin = Instant::now();
    let clock = || Arrival(begin.elapsed().as_micros() as u64);
    let end = Arrival::default().after(span);
    let mut datagram = vec![0; DATAGRAM_MAX];
    let mut out = Vec::new();
    loop {
        let now = clock();
        if now >= end || !each(now, client) {
            return Ok(now);
        }
        client.advance(now);
        send_all(client, &socket, server, &mut out)?;
        let Some(wakeup) = client.next_wakeup() else { return Ok(now) };
        let wait = Duration::from_micros(wakeup.min(end).micros_since(clock())).max(WAIT_MIN);
        socket.set_read_timeout(Some(wait))?;
        match socket.recv_from(&mut datagram) {
            Ok((size, from)) if from == server => client.receive(clock(), &datagram[..size]),
            Ok(_) => (),
            Err(error) if is_passing(&error) => (),
            Err(error) => return Err(error),
        }
    }
}

/// Sends what the client has to say now, such as its goodbye.
///
/// # Errors
/// If the socket fails.
pub fn send_all(
    client: &mut Client,
    socket: &UdpSocket,
    server: SocketAddr,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    while client.poll_transmit(out) {
        match socket.send_to(out, server) {
            Ok(_) => (),
            Err(error) if is_passing(&error) => (),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
