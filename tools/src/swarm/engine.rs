//! A swarm at work: many clients on one thread. They join one after another, then everything is measured for a while, then
//! they leave.

use crate::audit::record::{Record, Recorder};
use crate::client::config::ClientConfig;
use crate::rim::process::{Usage, usage};
use crate::rim::sockets::Sockets;
use crate::swarm::SwarmConfig;
use crate::swarm::member::{Member, MemberResult};
use crate::swarm::meter::Spread;
use fogline_common::time::{Arrival, Millis};
use fogline_server::io::Clock;
use std::io;

/// Larger than any datagram of the protocol.
const DATAGRAM_MAX: usize = 16_384;
/// Longest wait, so that progress is shown. Unit: µs.
const WAIT_MAX_MICROS: u64 = 100_000;
/// Datagrams read of one socket in a row, so that a flooded client does not starve the others.
const DATAGRAMS_IN_A_ROW: usize = 64;

/// What a swarm did and cost.
pub struct Outcome {
    /// What each client measured.
    pub results: Vec<MemberResult>,
    /// How long was measured. Unit: s.
    pub seconds: f64,
    /// The server's cost while it was measured, if its process was named.
    pub server: Option<Cost>,
    /// The swarm's own cost.
    pub swarm: Option<Cost>,
    /// How late clients did what was due. Unit: µs. A swarm that is late measures itself.
    pub lateness: Spread,
    /// Clients that played when the measuring began.
    pub joined: usize,
    /// What each of them received and drew, if that was to be kept.
    pub records: Vec<Record>,
}

/// What a process used in a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Time on a CPU, in all threads together.
    pub cpu_micros: f64,
    /// Memory in RAM at the end.
    pub resident_bytes: u64,
}

impl Cost {
    fn between(before: Usage, after: Usage) -> Self {
        let nanos = after.cpu_nanos.saturating_sub(before.cpu_nanos);
        Self { cpu_micros: nanos as f64 / 1000.0, resident_bytes: after.resident_bytes }
    }
}

/// A swarm.
pub struct Swarm {
    members: Vec<Member>,
    sockets: Sockets,
    clock: Clock,
    lateness: Spread,
    ready: Vec<usize>,
    buffer: Vec<u8>,
    out: Vec<u8>,
}

impl Swarm {
    /// Opens a socket for each client. Nothing is sent yet.
    ///
    /// # Errors
    /// If there are not so many sockets to be had.
    pub fn new(config: &SwarmConfig) -> io::Result<Self> {
        let mut rng = fastrand::Rng::with_seed(config.seed);
        let mut sockets = Sockets::default();
        let mut members = Vec::new();
        for index in 0..config.clients {
            let server = config.servers[index % config.servers.len()];
            let socket = sockets.open_towards(server, index as u64)?;
            let client = ClientConfig {
                engine: config.engine,
                name: format!("swarm{index:03}"),
                qport: rng.u16(1..),
                guid: format!("{:032X}", rng.u128(..)),
                seed: rng.u64(..),
                rate: config.rate,
                snaps: config.snaps,
                password: config.password.clone(),
                frame: config.frame,
                ..ClientConfig::default()
            };
            let starts = Arrival::default().after(Millis(config.join_every.0.saturating_mul(index as i32)));
            let mut member = Member::new(client, config.script, socket, server, starts);
            member.client.set_map(config.map.clone());
            member.recorder = config.records.then(Recorder::default);
            members.push(member);
        }
        Ok(Self {
            members,
            sockets,
            clock: Clock::start(),
            lateness: Spread::default(),
            ready: Vec::new(),
            buffer: vec![0; DATAGRAM_MAX],
            out: Vec::new(),
        })
    }

    /// Joins, measures, leaves. `progress` is told now and then how much of the whole is done, 0 to 1.
    ///
    /// # Errors
    /// A sentence, if a socket fails or the server's process cannot be looked at. Clients that do not get in are no error here.
    pub fn run(mut self, config: &SwarmConfig, mut progress: impl FnMut(f64)) -> Result<Outcome, String> {
        let say = |error: io::Error| format!("swarm: {error}");
        let join_end = Arrival::default()
            .after(Millis(config.join_every.0.saturating_mul(config.clients as i32)))
            .after(config.join_timeout);
        while self.clock.now() < join_end
            && !self.members.iter().all(|member| member.is_active() || member.is_lost())
        {
            self.step(join_end).map_err(say)?;
            progress(0.0);
        }
        self.settle(config.settle).map_err(say)?;
        let joined = self.members.iter().filter(|member| member.is_active()).count();
        self.lateness = Spread::default();
        for member in &mut self.members {
            member.meter.begin(member.client.counts());
        }
        let look = || -> Result<_, String> {
            Ok((config.pid.map(usage).transpose()?, usage(std::process::id()).ok()))
        };
        let before = look()?;
        let begin = self.clock.now();
        // Nobody to measure: no use in waiting.
        let end = if joined == 0 { begin } else { begin.after(config.span) };
        while self.clock.now() < end {
            self.step(end).map_err(say)?;
            progress(self.clock.now().since(begin).0 as f64 / f64::from(config.span.0.max(1)));
        }
        let seconds = self.clock.now().micros_since(begin) as f64 / 1e6;
        let after = look()?;
        let cost = |pair: (Option<Usage>, Option<Usage>)| Some(Cost::between(pair.0?, pair.1?));
        let results = self.members.iter().map(|member| member.result(seconds)).collect();
        self.leave().map_err(say)?;
        let kept = self.members.iter_mut().filter_map(|member| member.recorder.take());
        let records = kept.filter_map(Recorder::into_record).collect();
        Ok(Outcome {
            results,
            records,
            seconds,
            server: cost((before.0, after.0)),
            swarm: cost((before.1, after.1)),
            lateness: self.lateness,
            joined,
        })
    }

    /// Lets the first whole snapshots pass.
    fn settle(&mut self, span: Millis) -> io::Result<()> {
        let end = self.clock.now().after(span);
        while self.clock.now() < end {
            self.step(end)?;
        }
        Ok(())
    }

    /// Waits for the next thing to do, at most until `until`, and does it.
    fn step(&mut self, until: Arrival) -> io::Result<()> {
        let now = self.clock.now();
        let next = self.members.iter().filter_map(Member::next_wakeup).min().unwrap_or(until).min(until);
        let wait = next.micros_since(now).min(WAIT_MAX_MICROS);
        let mut ready = std::mem::take(&mut self.ready);
        self.sockets.wait(wait, &mut ready)?;
        // Sockets were opened in the order of members, and none was closed.
        for &index in &ready {
            self.take_in(index)?;
        }
        self.ready = ready;
        let now = self.clock.now();
        for index in 0..self.members.len() {
            let member = &mut self.members[index];
            let Some(due) = member.next_wakeup().filter(|&due| due <= now) else { continue };
            if member.is_active() {
                self.lateness.record(now.micros_since(due));
            }
            member.advance(now);
            self.send_all(index)?;
        }
        Ok(())
    }

    fn take_in(&mut self, index: usize) -> io::Result<()> {
        for _ in 0..DATAGRAMS_IN_A_ROW {
            let member = &mut self.members[index];
            let Some((size, from)) = self.sockets.receive(member.socket, &mut self.buffer)? else { break };
            if from == member.server {
                member.receive(self.clock.now(), &self.buffer[..size]);
            }
        }
        self.send_all(index)
    }

    fn send_all(&mut self, index: usize) -> io::Result<()> {
        let member = &mut self.members[index];
        while member.client.poll_transmit(&mut self.out) {
            self.sockets.send(member.socket, member.server, &self.out)?;
        }
        Ok(())
    }

    fn leave(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        for index in 0..self.members.len() {
            if !self.members[index].is_lost() {
                self.members[index].client.disconnect(now);
                self.send_all(index)?;
            }
        }
        Ok(())
    }
}
