//! The client half of the laboratory: what a stock client would have received and drawn while a player went its way.
//!
//! In: paths and a condition of the connection. Out: a [`Record`] like those of real clients, except that nobody has been told of
//! anybody yet: which snapshots there were, when each came, and for each frame the moment drawn (by the client's real clock), the
//! snapshot drawn from and the predicted eye.

use crate::audit::record::{Received, Record, Shown};
use crate::audit::truth::Bodies;
use crate::client::clock::{ClientClock, ClockConfig, Newest};
use crate::link::{Link, LinkConfig};
use crate::rules::paths::{Path, Paths, Stance};
use fogline_common::ids::ClientNum;
use fogline_common::time::{Arrival, Millis, ServerTime};

/// The clock has found its buffer by then; what was before is no part of a record. Unit: ms.
const CLOCK_SETTLES_MS: i32 = 3000;

/// How server and client are set up and connected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Frames of the server per second.
    pub fps: i32,
    /// Snapshots per second that the client asks for.
    pub snaps: i32,
    /// Round trip. Unit: ms.
    pub rtt_ms: i32,
    /// Extra time on the way down, evenly spread from 0 to this. Unit: ms.
    pub jitter_ms: i32,
    /// Share of snapshots that are lost.
    pub loss: f64,
    /// Time from one frame of the client to the next.
    pub frame: Millis,
    /// `cl_timeNudge`.
    pub nudge: Millis,
    /// Decides everything random.
    pub seed: u64,
}

impl Condition {
    /// Length of a server frame.
    pub fn server_frame(&self) -> Millis {
        Millis((1000 / self.fps.max(1)).max(1))
    }

    /// Time from one snapshot to the next. Source: facts page "visibility-openmohaa", section 1: the asked time, rounded up to
    /// whole server frames.
    pub fn period(&self) -> Millis {
        let frame = self.server_frame().0;
        let asked = 1000 / self.snaps.clamp(1, self.fps.max(1));
        Millis(frame * ((asked + frame - 1) / frame).max(1))
    }

    /// Time on the way down and up.
    pub fn ways(&self) -> [Millis; 2] {
        let down = self.rtt_ms / 2;
        [Millis(down), Millis(self.rtt_ms - down)]
    }
}

/// One client's watch.
pub struct Watch {
    /// What it lived through.
    pub record: Record,
    /// For each of its snapshots: the server's time minus the time that the newest usercmd claims, which is the moment that the client
    /// was drawing. Unit: ms.
    pub lags: Vec<i32>,
}

/// What the client of a player would have lived through.
pub fn watch(paths: &Paths, player: ClientNum, map: &str, condition: &Condition) -> Watch {
    let [down, up] = condition.ways();
    let mut rng = fastrand::Rng::with_seed(
        condition.seed ^ (player.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    );
    let mut record = Record::new(player, "walker", map, Some(down.0 as u64 * 1000));
    record.shortest_ping = condition.rtt_ms;
    let [begin, end] = paths.ends().unwrap_or_default();
    let config = LinkConfig {
        delay: down,
        jitter: Millis(condition.jitter_ms),
        loss: condition.loss,
        ..LinkConfig::default()
    };
    let mut link = Link::new(config, rng.u64(..));
    let path = &paths.players[player.index()];
    let frame = condition.server_frame().0;
    // Snapshots of all players lie on the server's frames, each client's on its own ones of those.
    let phase = rng.i32(0..(condition.period().0 / frame)) * frame;
    let mut time = begin - begin.rem_euclid(frame) + frame + phase;
    let mut message = 1;
    while time <= end {
        let sent = Arrival::from_millis(time.max(0).unsigned_abs().into());
        let arrival_us = link.send(sent, 200)[0].map(|arrival| arrival.0);
        let own = path.known(time).map(|stance| stance.stand).unwrap_or_default();
        record.snapshots.push(Received { message, time: ServerTime(time), arrival_us, told: 0, own });
        message += 1;
        time += condition.period().0;
    }
    draw(&mut record, paths, condition, up, rng.u64(0..condition.frame.0.max(1) as u64 * 1000));
    let lags = lags(&record, up);
    Watch { record, lags }
}

/// Draws frame after frame, the first `offset_us` after the first arrival.
fn draw(record: &mut Record, paths: &Paths, condition: &Condition, up: Millis, offset_us: u64) {
    let path = &paths.players[record.client.index()];
    let clock_config = ClockConfig { nudge: condition.nudge, ..ClockConfig::default() };
    let mut clock = ClientClock::new(clock_config);
    let came: Vec<(u64, usize)> =
        record.snapshots.iter().enumerate().filter_map(|(n, snap)| Some((snap.arrival_us?, n))).collect();
    let (Some(&(first_us, _)), Some(&(last_us, _))) = (came.first(), came.last()) else { return };
    let (mut newest, mut current) = (None::<usize>, None::<usize>);
    let mut next = 0;
    let mut now_us = first_us + offset_us;
    while now_us <= last_us {
        let mut is_new = false;
        // One that was overtaken is dropped, as a netchan does.
        while let Some(&(_, n)) = came.get(next).filter(|(at, _)| *at <= now_us) {
            next += 1;
            if newest.is_none_or(|newest| newest < n) {
                newest = Some(n);
                is_new = true;
            }
        }
        let known = newest.map(|n| Newest { time: record.snapshots[n].time, flags: 0, is_new });
        let tick = known.and_then(|newest| clock.frame((now_us / 1000) as i32, &newest).ok().flatten());
        if let (Some(tick), Some(newest)) = (tick, newest) {
            let arrived = |n: &usize| record.snapshots[*n].arrival_us.is_some_and(|at| at <= now_us);
            let from = current.unwrap_or(0);
            current = (from..=newest)
                .rev()
                .find(|n| arrived(n) && record.snapshots[*n].time <= tick.drawn)
                .or(current);
            let eye = path.blended(now_us as f64 / 1000.0 + f64::from(up.0));
            if let (Some(current), Some(me)) = (current, eye)
                && now_us >= first_us + CLOCK_SETTLES_MS as u64 * 1000
            {
                record.frames.push(Shown {
                    real_us: now_us,
                    drawn: tick.drawn,
                    message: record.snapshots[current].message,
                    eye: me.stand.eye(),
                    is_alive: me.stand.is_alive,
                    doors: 0,
                });
            }
        }
        now_us += condition.frame.0.max(1) as u64 * 1000;
    }
}

/// For each snapshot how far back the client was drawing when it made the newest usercmd that had come.
fn lags(record: &Record, up: Millis) -> Vec<i32> {
    let lag = |snap: &Received| {
        let sent_by = i64::from(snap.time.0 - up.0) * 1000;
        let after = record.frames.partition_point(|frame| frame.real_us as i64 <= sent_by);
        let frame = after.checked_sub(1).and_then(|n| record.frames.get(n)).or(record.frames.first());
        frame.map_or(0, |frame| {
            // Before the first frame it is as at the first.
            let at = if after == 0 { (frame.real_us / 1000) as i32 + up.0 } else { snap.time.0 };
            (at - frame.drawn.0).max(0)
        })
    };
    record.snapshots.iter().map(lag).collect()
}

/// Where everybody was at every server frame.
pub fn bodies(paths: &Paths, condition: &Condition) -> Bodies {
    let mut bodies = Bodies::default();
    let [begin, end] = paths.ends().unwrap_or_default();
    let frame = condition.server_frame().0;
    for (player, path) in ClientNum::all(paths.players.len()).zip(&paths.players) {
        let mut time = begin - begin.rem_euclid(frame) + frame;
        while time <= end {
            if let Some(stance) = path.known(time) {
                bodies.put(player, ServerTime(time), stance.stand);
            }
            time += frame;
        }
    }
    bodies
}

/// How long each snapshot of a client waits from its arrival to the first frame drawn from it or a later one, rising, over half a
/// minute after the clock has settled. Unit: ms.
pub fn render_delays(condition: &Condition) -> Vec<f64> {
    let mut standing = Path::default();
    standing.push(0, Stance::default());
    standing.push(CLOCK_SETTLES_MS + 30_000, Stance::default());
    let paths = Paths { source: String::new(), players: vec![standing] };
    let Some(player) = ClientNum::new(0) else { return Vec::new() };
    let record = watch(&paths, player, "", condition).record;
    let settled = record.frames.first().map_or(u64::MAX, |frame| frame.real_us);
    let delay = |snap: &Received| {
        let arrival = snap.arrival_us.filter(|arrival| *arrival > settled)?;
        let frame = record.frames.partition_point(|frame| frame.message < snap.message);
        Some((record.frames.get(frame)?.real_us as f64 - arrival as f64) / 1000.0)
    };
    let mut delays: Vec<f64> = record.snapshots.iter().filter_map(delay).collect();
    delays.sort_by(f64::total_cmp);
    delays
}
