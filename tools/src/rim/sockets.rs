//! Many UDP sockets that one thread waits for.

use crate::rim::ask::{any_address, is_passing};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Sockets by index. An index that was removed is given out again.
#[derive(Debug, Default)]
pub struct Sockets {
    slots: Vec<Option<UdpSocket>>,
}

impl Sockets {
    /// Opens one; its index.
    ///
    /// # Errors
    /// If the address is taken or not this machine's, or no more may be opened.
    pub fn open(&mut self, at: SocketAddr) -> io::Result<usize> {
        let socket = UdpSocket::bind(at)?;
        socket.set_nonblocking(true)?;
        let index = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        if index == self.slots.len() {
            self.slots.push(None);
        }
        self.slots[index] = Some(socket);
        Ok(index)
    }

    /// Opens one to speak to `server` with. Towards a server on this machine the k-th socket has the k-th address of the loopback
    /// network, each in a network of its own, where the system allows that: servers count what comes from one address as one
    /// household and answer it only so often.
    ///
    /// # Errors
    /// If no more may be opened.
    pub fn open_towards(&mut self, server: SocketAddr, k: u64) -> io::Result<usize> {
        if let IpAddr::V4(ip) = server.ip()
            && ip.is_loopback()
        {
            let [second, third] = [1 + k / 250 % 250, k % 250].map(|octet| octet as u8);
            let own = SocketAddr::from(([127, second, third, 7], 0));
            if let Ok(index) = self.open(own) {
                return Ok(index);
            }
        }
        self.open(any_address(server))
    }

    /// Closes one.
    pub fn close(&mut self, index: usize) {
        self.slots[index] = None;
    }

    /// Where one listens.
    ///
    /// # Errors
    /// If it is closed.
    pub fn address(&self, index: usize) -> io::Result<SocketAddr> {
        self.socket(index)?.local_addr()
    }

    /// Waits until something came or `micros` are over, and puts the indexes at which something came into `ready`.
    ///
    /// # Errors
    /// If the system cannot wait for so many.
    pub fn wait(&self, micros: u64, ready: &mut Vec<usize>) -> io::Result<()> {
        ready.clear();
        let open: Vec<(usize, &UdpSocket)> =
            self.slots.iter().enumerate().filter_map(|(index, slot)| Some((index, slot.as_ref()?))).collect();
        let mut polled: Vec<PollFd<'_>> =
            open.iter().map(|(_, socket)| PollFd::new(*socket, PollFlags::IN)).collect();
        let timeout =
            Timespec { tv_sec: (micros / 1_000_000) as i64, tv_nsec: (micros % 1_000_000 * 1000) as i64 };
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => (),
            Err(error) => return Err(error.into()),
        }
        let came = open.iter().zip(&polled).filter(|(_, fd)| !fd.revents().is_empty());
        ready.extend(came.map(|((index, _), _)| *index));
        Ok(())
    }

    /// The next datagram that came at `index`: its size in `into`, and its sender. `None` if there is none left.
    ///
    /// # Errors
    /// If the socket fails.
    pub fn receive(&self, index: usize, into: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
        match self.socket(index)?.recv_from(into) {
            Ok(came) => Ok(Some(came)),
            Err(error) if is_passing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a datagram. Whether it left; one that finds no room, or nobody, is lost as on any network.
    ///
    /// # Errors
    /// If the socket fails.
    pub fn send(&self, index: usize, to: SocketAddr, datagram: &[u8]) -> io::Result<bool> {
        match self.socket(index)?.send_to(datagram, to) {
            Ok(_) => Ok(true),
            Err(error) if is_passing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn socket(&self, index: usize) -> io::Result<&UdpSocket> {
        let slot = self.slots.get(index).and_then(Option::as_ref);
        slot.ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, format!("socket {index} is closed")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn only_sockets_with_something_to_read_are_ready() {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut sockets = Sockets::default();
        let (a, b, c) = (sockets.open(any).unwrap(), sockets.open(any).unwrap(), sockets.open(any).unwrap());
        sockets.close(b);
        let mut ready = vec![7];
        sockets.wait(0, &mut ready).unwrap();
        assert!(ready.is_empty());
        assert!(sockets.send(a, sockets.address(c).unwrap(), b"hello").unwrap());
        sockets.wait(5_000_000, &mut ready).unwrap();
        assert_eq!(ready, [c]);
        let mut buffer = [0; 16];
        let from = sockets.address(a).unwrap();
        assert_eq!(sockets.receive(c, &mut buffer).unwrap(), Some((5, from)));
        assert_eq!(sockets.receive(c, &mut buffer).unwrap(), None);
        assert!(sockets.receive(b, &mut buffer).is_err());
        assert_eq!(sockets.open(any).unwrap(), b);
    }
}
