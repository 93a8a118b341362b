//! Who gets a slot: the checks of a `connect`, in order, each with the sentence that the refused player reads.
//!
//! The challenge has been checked by intake; the game's own veto comes after these.

use super::rate::{Pace, leading_int};
use super::{Clients, Session};
use crate::config::Config;
use fogline_common::ids::ClientNum;
use fogline_common::proto::info_string;
use fogline_common::proto::limits::MAX_INFO_STRING;
use fogline_common::time::{Arrival, Millis};
use std::net::SocketAddr;
use subtle::ConstantTimeEq;

/// Who comes when every slot is taken reads this, unless a bot makes room.
pub const FULL: &str = "Server is full.";
/// Slots that one address may hold before it has entered the world.
const MAX_HALF_OPEN: usize = 4;

/// A client that may have a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The slot.
    pub num: ClientNum,
    /// The slot is its own from before: the old connection ends.
    pub takes_over: bool,
    /// What the server keeps as its userinfo, with the `ip` key.
    pub userinfo: String,
    /// Its qport.
    pub qport: u16,
    /// Its challenge.
    pub challenge: i32,
}

/// Checks a connect.
///
/// # Errors
/// The sentence for the player.
pub fn admit(
    clients: &Clients,
    config: &Config,
    address: SocketAddr,
    userinfo: &str,
    challenge: i32,
    now: Arrival,
) -> Result<Admission, String> {
    let value = |key: &str| info_string::value(userinfo, key);
    let protocol = leading_int(value("protocol"));
    if protocol != config.com_protocol && protocol != config.com_legacyprotocol {
        return Err(format!(
            "This server speaks protocols {} and {}; your client said {:?}.",
            config.com_legacyprotocol,
            config.com_protocol,
            value("protocol")
        ));
    }
    let qport = leading_int(value("qport")) as u16;
    let own = clients.taken_over_by(address, qport);
    if let Some(session) = own.and_then(|num| clients.get(num)) {
        let wait = Millis(config.sv_reconnectlimit.saturating_mul(1000));
        if !session.is_zombie() && now.since(session.connected_at) < wait {
            return Err(format!("Reconnecting too fast: wait {} seconds.", config.sv_reconnectlimit));
        }
    }

    let mut kept = userinfo.to_owned();
    info_string::set(&mut kept, "ip", &address.to_string()).map_err(|_| {
        format!("Your userinfo is too long: it may have {} bytes with your address.", MAX_INFO_STRING - 1)
    })?;
    let admission = |num, takes_over| Admission { num, takes_over, userinfo: kept.clone(), qport, challenge };
    if let Some(num) = own {
        return Ok(admission(num, true));
    }

    let (half_open, all) = clients.of_host(address.ip());
    if half_open >= MAX_HALF_OPEN {
        return Err("Too many connections from your address are still loading.".to_owned());
    }
    if config.sv_maxclientsperip > 0
        && !address.ip().is_loopback()
        && all >= config.sv_maxclientsperip.unsigned_abs() as usize
    {
        return Err(format!("Only {} clients may play from one address.", config.sv_maxclientsperip));
    }
    let private = config.sv_privateclients.clamp(0, config.sv_maxclients).unsigned_abs() as usize;
    let knows = !config.sv_privatepassword.is_empty()
        && bool::from(value("password").as_bytes().ct_eq(config.sv_privatepassword.as_bytes()));
    match clients.free_slot(if knows { 0 } else { private }) {
        Some(num) => Ok(admission(num, false)),
        None => Err(FULL.to_owned()),
    }
}

/// The session of an admitted client.
pub fn open(admission: &Admission, address: SocketAddr, config: &Config, now: Arrival) -> Session {
    let pace = Pace::from_userinfo(&admission.userinfo, address.ip(), config);
    Session::new(
        admission.num,
        address,
        admission.qport,
        admission.challenge,
        admission.userinfo.clone(),
        pace,
        now,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    fn info(qport: u16) -> String {
        format!("\\protocol\\71\\qport\\{qport}\\name\\x")
    }

    fn slots(count: usize) -> Clients {
        let mut clients = Clients::default();
        clients.resize(count);
        clients
    }

    fn enter(
        clients: &mut Clients,
        config: &Config,
        port: u16,
        qport: u16,
        now: Arrival,
    ) -> Result<ClientNum, String> {
        let admission = admit(clients, config, address(port), &info(qport), 77, now)?;
        clients.insert(open(&admission, address(port), config, now));
        Ok(admission.num)
    }

    #[test]
    fn a_foreign_protocol_is_named() {
        let refusal =
            admit(&slots(2), &Config::default(), address(1), "\\protocol\\43", 77, Arrival(0)).unwrap_err();
        assert!(refusal.contains("68 and 71") && refusal.contains("43"), "{refusal}");
    }

    #[test]
    fn the_same_player_gets_its_slot_back() {
        let (mut clients, config) = (slots(4), Config::default());
        let first = enter(&mut clients, &config, 1, 100, Arrival(0)).unwrap();
        assert!(
            enter(&mut clients, &config, 1, 100, Arrival::from_millis(10)).unwrap_err().contains("too fast")
        );
        let later = Arrival::from_millis(4000);
        let again = admit(&clients, &config, address(2), &info(100), 77, later).unwrap();
        assert_eq!((again.num, again.takes_over), (first, true));
    }

    #[test]
    fn private_slots_are_kept_for_those_who_know_the_word() {
        let mut config = Config { sv_privateclients: 1, ..Config::default() };
        let mut clients = slots(2);
        config.sv_privatepassword = "open sesame".into();
        assert_eq!(enter(&mut clients, &config, 1, 1, Arrival(0)).unwrap().index(), 1);
        assert_eq!(enter(&mut clients, &config, 2, 2, Arrival(0)), Err("Server is full.".into()));
        let knows = info(3) + "\\password\\open sesame";
        assert_eq!(admit(&clients, &config, address(3), &knows, 77, Arrival(0)).unwrap().num.index(), 0);
    }

    #[test]
    fn one_address_cannot_fill_the_server_with_half_open_slots() {
        let (mut clients, config) = (slots(16), Config { sv_maxclientsperip: 0, ..Config::default() });
        for n in 0..MAX_HALF_OPEN as u16 {
            enter(&mut clients, &config, n, 100 + n, Arrival(0)).unwrap();
        }
        assert!(enter(&mut clients, &config, 99, 199, Arrival(0)).unwrap_err().contains("still loading"));
    }

    #[test]
    fn a_userinfo_that_leaves_no_room_for_the_address_is_refused() {
        let long = info(1) + "\\x\\" + &"y".repeat(980);
        let refusal = admit(&slots(1), &Config::default(), address(1), &long, 77, Arrival(0)).unwrap_err();
        assert!(refusal.contains("too long"), "{refusal}");
    }
}
