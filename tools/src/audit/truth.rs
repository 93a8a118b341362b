//! When each client could see each other player: its own eye against where it would draw the other if it were told of everybody.
//!
//! In: records of all clients. Where a player is at a server time its own snapshots say, since they always have their own player;
//! so what a server without a filter would have sent is known, and what the client would have drawn of it with the very
//! snapshots, arrivals and clock that it had. Out: for each pair stretches of being hidden and being seen, judged by the oracle
//! every millisecond between two frames, and for each frame whether the other was to be seen in it.

use crate::audit::hull::{Oracle, PairMemory, body_of};
use crate::audit::record::{Received, Record, Shown, Stand};
use fogline_common::collision::ClipMap;
use fogline_common::ids::ClientNum;
use fogline_common::math::Vec3;
use fogline_common::time::{Millis, ServerTime};

/// Step of the oracle. Unit: µs.
pub const STEP_US: u64 = 1000;
/// Frames farther apart than this are not joined: the client stalled. Unit: µs.
const STALL_US: u64 = 150_000;
/// Nobody moves farther in a frame without a teleport. Unit: world units.
const JUMP: f32 = 96.0;
/// Longest time between two known places of a player that is filled in.
const FILL_IN: Millis = Millis(500);

/// Where everybody was, by server time.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Shape: by slot, by rising time.
    stands: Vec<Vec<(ServerTime, Stand)>>,
}

impl Bodies {
    /// From what the clients were told of themselves.
    pub fn of_records(records: &[Record]) -> Self {
        let mut bodies = Self::default();
        for record in records {
            for snap in record.snapshots.iter().filter(|snap| snap.arrival_us.is_some()) {
                bodies.put(record.client, snap.time, snap.own);
            }
        }
        bodies
    }

    /// Adds where a player was; times must rise.
    pub fn put(&mut self, player: ClientNum, time: ServerTime, stand: Stand) {
        if self.stands.len() <= player.index() {
            self.stands.resize(player.index() + 1, Vec::new());
        }
        let own = &mut self.stands[player.index()];
        if own.last().is_none_or(|(last, _)| *last < time) {
            own.push((time, stand));
        }
    }

    /// Players of whom anything is known.
    pub fn players(&self) -> impl Iterator<Item = ClientNum> + '_ {
        (0..self.stands.len()).filter(|&slot| !self.stands[slot].is_empty()).filter_map(ClientNum::new)
    }

    /// How a player stood at a time; between two known moments of one life it went straight.
    pub fn at(&self, player: ClientNum, time: ServerTime) -> Option<Stand> {
        let own = self.stands.get(player.index())?;
        let after = own.partition_point(|(known, _)| *known < time);
        match (after.checked_sub(1).map(|before| own[before]), own.get(after)) {
            (_, Some(&(known, stand))) if known == time => Some(stand),
            (Some((t0, a)), Some(&(t1, b))) if a.life == b.life && t1 - t0 <= FILL_IN => {
                let share = (time - t0).0 as f32 / (t1 - t0).0 as f32;
                Some(Stand { origin: a.origin.mul_add(share, b.origin - a.origin), ..a })
            }
            _ => None,
        }
    }
}

/// What one client could see of one other player in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// One of the two was not in the game, died, was born, teleported; or the client stalled.
    Absent,
    /// No point of it was to be seen.
    Hidden,
    /// A point of it was to be seen.
    Seen,
}

/// A stretch of time in one state. Times by the viewer's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Which.
    pub state: State,
    /// Its first moment.
    pub from_us: u64,
    /// The first moment after it.
    pub to_us: u64,
    /// Where the eye was as it began.
    pub eye: Vec3,
    /// Where the other was as it began.
    pub place: Vec3,
}

/// The truth of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairTruth {
    /// In order and without gaps.
    pub stretches: Vec<Stretch>,
    /// Whether the other was to be seen in each of the viewer's frames.
    pub seen: Vec<bool>,
}

/// Finds the truth about pairs of one map.
pub struct Truth<'m> {
    oracle: Oracle<'m>,
}

impl<'m> Truth<'m> {
    /// For a map.
    pub fn new(clip: &'m ClipMap) -> Self {
        Self { oracle: Oracle::new(clip) }
    }

    /// Lines that were followed so far.
    pub fn rays(&self) -> u64 {
        self.oracle.rays
    }

    /// What the client of `record` could see of `target`.
    pub fn of_pair(&mut self, record: &Record, bodies: &Bodies, target: ClientNum) -> PairTruth {
        let mut truth = PairTruth { seen: vec![false; record.frames.len()], ..PairTruth::default() };
        let mut memory = PairMemory::default();
        let mut drawing = Drawing::new(record);
        let mut this = drawing.draw(bodies, target, 0);
        for index in 0..record.frames.len().saturating_sub(1) {
            let next = drawing.draw(bodies, target, index + 1);
            let frames = [record.frames[index], record.frames[index + 1]];
            match this.zip(next).filter(|(a, b)| goes_on(&frames, a, b)) {
                Some(drawn) => self.between(record, index, &drawn, &mut memory, &mut truth),
                None => push(&mut truth.stretches, State::Absent, &frames, [Vec3::ZERO; 2], None),
            }
            this = next;
        }
        truth
    }

    /// From one frame to the next, step by step.
    fn between(
        &mut self,
        record: &Record,
        index: usize,
        drawn: &(Stand, Stand),
        memory: &mut PairMemory,
        truth: &mut PairTruth,
    ) {
        let frames = [record.frames[index], record.frames[index + 1]];
        let doors = &record.doors[frames[0].doors];
        let span = (frames[1].real_us - frames[0].real_us).max(1);
        let mut at_us = frames[0].real_us;
        while at_us < frames[1].real_us {
            let share = (at_us - frames[0].real_us) as f32 / span as f32;
            let eye = frames[0].eye.mul_add(share, frames[1].eye - frames[0].eye);
            let way = drawn.1.origin - drawn.0.origin;
            let place = drawn.0.origin.mul_add(share, way);
            let body = body_of(&Stand { origin: place, ..drawn.0 });
            let is_seen = self.oracle.sees(eye, &body, doors, memory);
            if at_us == frames[0].real_us {
                truth.seen[index] = is_seen;
            }
            let to_us = (at_us + STEP_US).min(frames[1].real_us);
            let state = if is_seen { State::Seen } else { State::Hidden };
            push(&mut truth.stretches, state, &frames, [eye, place], Some([at_us, to_us]));
            at_us = to_us;
        }
    }
}

/// Whether what happens between the frames is one movement of two living players.
fn goes_on(frames: &[Shown; 2], a: &Stand, b: &Stand) -> bool {
    frames.iter().all(|frame| frame.is_alive)
        && frames[1].real_us - frames[0].real_us <= STALL_US
        && a.is_alive
        && b.is_alive
        && a.life == b.life
        && frames[0].eye.distance(frames[1].eye) <= JUMP
        && a.origin.distance(b.origin) <= JUMP
}

/// Adds a stretch, or makes the last one longer.
fn push(
    stretches: &mut Vec<Stretch>,
    state: State,
    frames: &[Shown; 2],
    [eye, place]: [Vec3; 2],
    span: Option<[u64; 2]>,
) {
    let [from_us, to_us] = span.unwrap_or([frames[0].real_us, frames[1].real_us]);
    match stretches.last_mut().filter(|last| last.state == state) {
        Some(last) => last.to_us = to_us,
        None => stretches.push(Stretch { state, from_us, to_us, eye, place }),
    }
}

/// Draws another player frame by frame as the client would if it were told of everybody.
struct Drawing<'r> {
    record: &'r Record,
    /// Snapshots that came, in order.
    came: Vec<&'r Received>,
    /// Index into those of the one drawn from.
    current: usize,
}

impl<'r> Drawing<'r> {
    fn new(record: &'r Record) -> Self {
        let came = record.snapshots.iter().filter(|snap| snap.arrival_us.is_some()).collect();
        Self { record, came, current: 0 }
    }

    /// The other player in a frame. Frames must be asked for in order.
    fn draw(&mut self, bodies: &Bodies, target: ClientNum, index: usize) -> Option<Stand> {
        let frame = self.record.frames.get(index)?;
        while self.came.get(self.current)?.message < frame.message {
            self.current += 1;
        }
        let current = self.came[self.current];
        if current.message != frame.message {
            return None;
        }
        let mut stand = snapped(bodies.at(target, current.time)?);
        let next = self
            .came
            .get(self.current + 1)
            .filter(|next| next.arrival_us.is_some_and(|arrival| arrival <= frame.real_us));
        if let Some(next) = next
            && let Some(to) = bodies.at(target, next.time).map(snapped).filter(|to| to.life == stand.life)
        {
            let share = (frame.drawn - current.time).0 as f32 / (next.time - current.time).0.max(1) as f32;
            stand.origin = stand.origin.mul_add(share.clamp(0.0, 1.0), to.origin - stand.origin);
        }
        Some(stand)
    }
}

/// Servers of the family send places of players in whole units. Source: `SnapVector` in `BG_PlayerStateToEntityState`.
fn snapped(stand: Stand) -> Stand {
    Stand { origin: stand.origin.truncated(), ..stand }
}
