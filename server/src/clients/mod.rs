//! The player slots: who is connected, from where, and where in joining.

pub mod bans;
pub mod configstrings;
pub mod gamestate;
pub mod join;
pub mod lead;
pub mod ping;
pub mod rate;
pub mod reliable;
mod session;

pub use session::{Phase, Session};

use fogline_common::ids::ClientNum;
use std::net::{IpAddr, SocketAddr};

/// The slots, in the order in which everything about clients happens.
#[derive(Debug, Default)]
pub struct Clients {
    slots: Vec<Option<Box<Session>>>,
}

impl Clients {
    /// Grows or shrinks to `count` slots. Sessions beyond the end are the caller's to drop first.
    pub fn resize(&mut self, count: usize) {
        self.slots.resize_with(count, || None);
    }

    /// Number of slots.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The session in a slot.
    pub fn get(&self, num: ClientNum) -> Option<&Session> {
        self.slots.get(num.index())?.as_deref()
    }

    /// The session in a slot.
    pub fn get_mut(&mut self, num: ClientNum) -> Option<&mut Session> {
        self.slots.get_mut(num.index())?.as_deref_mut()
    }

    /// Puts a session into its slot.
    pub fn insert(&mut self, session: Session) {
        let index = session.num.index();
        self.slots[index] = Some(Box::new(session));
    }

    /// Frees a slot.
    pub fn free(&mut self, num: ClientNum) {
        if let Some(slot) = self.slots.get_mut(num.index()) {
            *slot = None;
        }
    }

    /// Sessions, zombies included, in slot order.
    pub fn iter(&self) -> impl Iterator<Item = &Session> {
        self.slots.iter().filter_map(|slot| slot.as_deref())
    }

    /// Sessions, zombies included, in slot order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.slots.iter_mut().filter_map(|slot| slot.as_deref_mut())
    }

    /// Sessions that are not on their way out.
    pub fn living(&self) -> impl Iterator<Item = &Session> {
        self.iter().filter(|session| !session.is_zombie())
    }

    /// Sessions with somebody at the other end of a line, zombies included, in slot order.
    pub fn connected(&self) -> impl Iterator<Item = &Session> {
        self.iter().filter(|session| !session.is_bot)
    }

    /// Slots in use, zombies included, in order. A list, so that sessions may come and go while it is walked.
    pub fn nums(&self) -> impl Iterator<Item = ClientNum> + use<> {
        let used = self.iter().fold(0u64, |set, session| set | 1 << session.num.index());
        ClientNum::all(64).filter(move |num| used >> num.index() & 1 == 1)
    }

    /// The lowest free slot at or above `from`.
    pub fn free_slot(&self, from: usize) -> Option<ClientNum> {
        let index = (from..self.slots.len()).find(|&index| self.slots[index].is_none())?;
        ClientNum::new(index)
    }

    /// The session that a sequenced packet from `address` with `qport` claims to belong to, the exact address first.
    pub fn claimed_by(&self, address: SocketAddr, qport: u16) -> Option<ClientNum> {
        let same_host = |session: &&Session| session.qport == qport && session.address.ip() == address.ip();
        self.connected()
            .filter(same_host)
            .max_by_key(|session| (session.address == address, !session.is_zombie()))
            .map(|session| session.num)
    }

    /// The session that a connect from `address` with `qport` takes over: same host, and same qport or same port.
    pub fn taken_over_by(&self, address: SocketAddr, qport: u16) -> Option<ClientNum> {
        self.connected()
            .find(|session| {
                session.address.ip() == address.ip()
                    && (session.qport == qport || session.address.port() == address.port())
            })
            .map(|session| session.num)
    }

    /// Sessions of one host that have not entered the world, and all of them.
    pub fn of_host(&self, ip: IpAddr) -> (usize, usize) {
        let of_host = self.connected().filter(|session| !session.is_zombie() && session.address.ip() == ip);
        of_host.fold((0, 0), |(half_open, all), session| {
            (half_open + usize::from(!session.is_active()), all + 1)
        })
    }
}
