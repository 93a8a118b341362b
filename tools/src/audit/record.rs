//! What one client lived through: which snapshots came when and whom they told of, and what it drew in each frame.
//!
//! In: a [`Client`] after each of its steps. Out: a [`Record`], or lines of JSON that one is read from again. A record holds what
//! an auditor cannot know otherwise: the client's clock, its eye by its own reckoning, the doors as they were drawn. Its times are
//! the client's own; only message numbers and server times are compared with the server's trace.
//!
//! ```text
//! ["client", slot, "name", "map", one-way delay in µs or null]     begins a client; the lines below are its own
//! ["s", message, server time, arrival µs, told, alive, life, x, y, z, view height, ping]     a snapshot came
//! ["d", [[model, x, y, z, pitch, yaw, roll], ...]]                  inline models from here on, as drawn
//! ["f", real µs, drawn time, message drawn from, eye x, y, z, alive]     a frame was drawn
//! ```

use crate::client::{Client, ClientState};
use fogline_common::collision::Placement;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_flag, pers, pm_type, stat, team};
use fogline_common::proto::PlayerState;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Arrival, ServerTime};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How a player stands, as far as others may see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stand {
    /// Where.
    pub origin: Vec3,
    /// Height of the eye above that.
    pub view_height: i32,
    /// It plays and lives.
    pub is_alive: bool,
    /// Changes with every birth and every teleport: between two lives nothing is blended and nothing is a crossing.
    pub life: i32,
}

impl Stand {
    /// Of a player's own state.
    pub fn of(player: &PlayerState) -> Self {
        let plays = matches!(player.pm_type, pm_type::NORMAL | pm_type::DEAD)
            && player.persistant[pers::TEAM as usize] != team::SPECTATOR;
        let births = player.persistant[pers::SPAWN_COUNT as usize];
        Self {
            origin: player.origin,
            view_height: player.view_height,
            is_alive: plays && player.stats[stat::HEALTH as usize] > 0,
            life: births.wrapping_mul(2) + i32::from(player.flags & entity_flag::TELEPORT_BIT != 0),
        }
    }

    /// Where it looks from.
    pub fn eye(&self) -> Vec3 {
        self.origin + vec3(0.0, 0.0, self.view_height as f32)
    }
}

/// A snapshot, from the server's hand to the client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Received {
    /// Number of the message that carried it.
    pub message: u32,
    /// The moment that it shows.
    pub time: ServerTime,
    /// When it came, by the client's clock. `None` if it never did.
    pub arrival_us: Option<u64>,
    /// Players in it, a bit for each slot.
    pub told: u64,
    /// The client's own player in it.
    pub own: Stand,
}

/// One drawn frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// When, by the client's clock.
    pub real_us: u64,
    /// The server time that was drawn.
    pub drawn: ServerTime,
    /// Message of the snapshot that was drawn from.
    pub message: u32,
    /// Where it was drawn from, by the client's own reckoning.
    pub eye: Vec3,
    /// The player lived.
    pub is_alive: bool,
    /// Which of the record's [`doors`](Record::doors) were drawn.
    pub doors: usize,
}

/// What one client lived through on one map.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its slot.
    pub client: ClientNum,
    /// Its name.
    pub name: String,
    /// The map.
    pub map: String,
    /// Time on the way from the server, where whoever ran the client knows it; else half of the shortest round trip is taken.
    pub delay_us: Option<u64>,
    /// Shortest round trip that the client has reckoned. Unit: ms.
    pub shortest_ping: i32,
    /// By rising message number.
    pub snapshots: Vec<Received>,
    /// In order.
    pub frames: Vec<Shown>,
    /// States of the map's inline models. Shape: the first is the empty one.
    pub doors: Vec<Vec<Placement>>,
}

impl Record {
    /// A client that has lived through nothing yet.
    pub fn new(client: ClientNum, name: &str, map: &str, delay_us: Option<u64>) -> Self {
        Self {
            client,
            name: name.to_owned(),
            map: map.to_owned(),
            delay_us,
            shortest_ping: 999,
            snapshots: Vec::new(),
            frames: Vec::new(),
            doors: vec![Vec::new()],
        }
    }

    /// The client's clock at server time zero. Unit: µs.
    ///
    /// The snapshot that came soonest was on its way as long as none can be faster: the known delay, or half of the shortest ping.
    pub fn zero_us(&self) -> i64 {
        let soonest = self.snapshots.iter().filter_map(|snap| {
            Some(i64::try_from(snap.arrival_us?).unwrap_or(i64::MAX) - i64::from(snap.time.0) * 1000)
        });
        let delay = self.delay_us.map_or(i64::from(self.shortest_ping) * 500, |delay| delay as i64);
        soonest.min().unwrap_or(0) - delay
    }

    /// The record as lines.
    pub fn write(&self, out: &mut String) {
        let head = json!(["client", self.client.index(), self.name, self.map, self.delay_us]);
        let _ = writeln!(out, "{head}");
        for snap in &self.snapshots {
            let Some(arrival) = snap.arrival_us else { continue };
            let Stand { origin, view_height, is_alive, life } = snap.own;
            let _ = writeln!(
                out,
                "[\"s\",{},{},{arrival},{},{},{life},{},{},{},{view_height},{}]",
                snap.message,
                snap.time.0,
                snap.told,
                u8::from(is_alive),
                origin.x,
                origin.y,
                origin.z,
                self.shortest_ping
            );
        }
        let mut doors = 0;
        for frame in &self.frames {
            if frame.doors != doors {
                doors = frame.doors;
                let rows: Vec<Value> = self.doors[doors].iter().map(door_row).collect();
                let _ = writeln!(out, "{}", json!(["d", rows]));
            }
            let Shown { real_us, drawn, message, eye, is_alive, .. } = *frame;
            let _ = writeln!(
                out,
                "[\"f\",{real_us},{},{message},{},{},{},{}]",
                drawn.0,
                eye.x,
                eye.y,
                eye.z,
                u8::from(is_alive)
            );
        }
    }

    /// All records of a file.
    ///
    /// # Errors
    /// A sentence with the number of the first line that is none of ours.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
        let mut records: Vec<Self> = Vec::new();
        for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value = serde_json::from_str::<Value>(line).ok();
            let taken = value.and_then(|value| take_line(&value, &mut records));
            taken.ok_or_else(|| format!("line {} is no line of a client's record", n + 1))?;
        }
        Ok(records)
    }
}

fn door_row(door: &Placement) -> Value {
    let Placement { model, origin, angles } = door;
    json!([model, origin.x, origin.y, origin.z, angles.x, angles.y, angles.z])
}

/// Takes one line in. `None` if it is not as it must be.
fn take_line(line: &Value, records: &mut Vec<Record>) -> Option<()> {
    let int = |n: usize| line.get(n)?.as_i64();
    let small = |n: usize| i32::try_from(int(n)?).ok();
    let at = |n: usize| point(line, n);
    match line.get(0)?.as_str()? {
        "client" => {
            let slot = ClientNum::new(usize::try_from(int(1)?).ok()?)?;
            let delay = line.get(4)?.as_u64();
            records.push(Record::new(slot, line.get(2)?.as_str()?, line.get(3)?.as_str()?, delay));
        }
        "s" => {
            let record = records.last_mut()?;
            let own =
                Stand { origin: at(7)?, view_height: small(10)?, is_alive: int(5)? != 0, life: small(6)? };
            record.shortest_ping = record.shortest_ping.min(small(11)?);
            record.snapshots.push(Received {
                message: u32::try_from(int(1)?).ok()?,
                time: ServerTime(small(2)?),
                arrival_us: Some(line.get(3)?.as_u64()?),
                told: line.get(4)?.as_u64()?,
                own,
            });
        }
        "d" => {
            let rows = line.get(1)?.as_array()?.iter();
            let doors = rows.map(|row| {
                let model = usize::try_from(row.get(0)?.as_u64()?).ok()?;
                Some(Placement { model, origin: point(row, 1)?, angles: point(row, 4)? })
            });
            records.last_mut()?.doors.push(doors.collect::<Option<_>>()?);
        }
        "f" => {
            let record = records.last_mut()?;
            record.frames.push(Shown {
                real_us: line.get(1)?.as_u64()?,
                drawn: ServerTime(small(2)?),
                message: u32::try_from(int(3)?).ok()?,
                eye: at(4)?,
                is_alive: int(7)? != 0,
                doors: record.doors.len() - 1,
            });
        }
        _ => return None,
    }
    Some(())
}

fn point(row: &Value, n: usize) -> Option<Vec3> {
    let part = |n: usize| row.get(n)?.as_f64().map(|part| part as f32).filter(|part| part.is_finite());
    Some(vec3(part(n)?, part(n + 1)?, part(n + 2)?))
}

/// Makes the record of a client: looks at it after each of its steps.
#[derive(Debug, Default)]
pub struct Recorder {
    record: Option<Record>,
    /// The map's server id: what comes after it is of another map or another round, and left out.
    server_id: i32,
    frames: u64,
    /// Newest message that was looked at.
    seen: u32,
    delay_us: Option<u64>,
}

impl Recorder {
    /// One for a client whose snapshots are known to be this long on their way.
    pub fn new(delay_us: Option<u64>) -> Self {
        Self { delay_us, ..Self::default() }
    }

    /// The client has received or drawn something.
    pub fn note(&mut self, now: Arrival, client: &Client) {
        if *client.state() != ClientState::Active {
            return;
        }
        let Some(slot) = client.client_num() else { return };
        if self.record.is_none() {
            let map = client.configstrings().serverinfo("mapname");
            self.record = Some(Record::new(slot, &client.config().name, map, self.delay_us));
            self.server_id = client.server_id();
            self.frames = client.counts().frames;
            // What came before is nothing that it received while it was looked at.
            self.seen = client.snapshots().newest().map_or(0, |newest| newest.message);
        }
        let Some(record) = &mut self.record else { return };
        if client.server_id() != self.server_id {
            return;
        }
        if let Some(newest) = client.snapshots().newest()
            && newest.message > self.seen
        {
            self.seen = newest.message;
            // Of whatever kind: one that was torn apart is told of as invisible.
            let players =
                newest.entities.iter().filter(|state| (0..MAX_CLIENTS as i32).contains(&state.number));
            let own = Stand::of(&newest.player);
            let is_own = newest.player.client_num == slot.index() as i32;
            record.shortest_ping = record.shortest_ping.min(newest.ping.0);
            record.snapshots.push(Received {
                message: newest.message,
                time: newest.time,
                arrival_us: Some(now.0),
                told: players.fold(0, |told, state| told | 1u64 << state.number),
                own: Stand { is_alive: own.is_alive && is_own, ..own },
            });
        }
        let drawn = client.counts().frames;
        if drawn != std::mem::replace(&mut self.frames, drawn) {
            note_frame(record, now, client);
        }
    }

    /// What it saw, once the client was in the game.
    pub fn into_record(self) -> Option<Record> {
        self.record
    }
}

fn note_frame(record: &mut Record, now: Arrival, client: &Client) {
    let (Some(me), Some(current)) = (client.predicted(), client.scene().current()) else { return };
    let doors: Vec<Placement> =
        client.drawn_models().map(|(model, origin, angles)| Placement { model, origin, angles }).collect();
    if record.doors.last() != Some(&doors) {
        record.doors.push(doors);
    }
    let is_own = me.client_num == record.client.index() as i32;
    record.frames.push(Shown {
        real_us: now.0,
        drawn: client.drawn(),
        message: current.message,
        eye: me.eye(),
        is_alive: Stand::of(me).is_alive && is_own,
        doors: record.doors.len() - 1,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let mut record = Record::new(ClientNum::new(5).unwrap(), "a \"b\"", "oa_dm5", Some(30_000));
        record.shortest_ping = 61;
        record.doors.push(vec![Placement { model: 3, origin: vec3(1.0, -2.5, 0.125), angles: Vec3::ZERO }]);
        let own = Stand { origin: vec3(0.1, 2.0, 3.0), view_height: 26, is_alive: true, life: 7 };
        for n in 0..3u32 {
            let time = ServerTime(1000 + n as i32 * 50);
            let arrival_us = Some(5_000_000 + u64::from(n) * 50_000 + u64::from(n == 1) * 9000);
            record.snapshots.push(Received { message: 10 + n, time, arrival_us, told: 1 << 63 | 2, own });
            record.frames.push(Shown {
                real_us: 5_000_100,
                drawn: ServerTime(945),
                message: 9,
                eye: vec3(0.3, 0.0, -1.0),
                is_alive: n > 0,
                doors: usize::from(n > 0),
            });
        }
        record
    }

    #[test]
    fn what_was_written_is_read_again_bit_for_bit() {
        let mut text = String::new();
        record().write(&mut text);
        record().write(&mut text);
        assert_eq!(Record::read(&text), Ok(vec![record(), record()]));
    }

    #[test]
    fn lines_that_are_none_of_ours_are_told_by_number() {
        for line in ["", "no json", "[]", "[\"f\",1]", "[\"s\",1,2,3,4,1,1,1,1,1,1,1]", "{\"a\":1}"] {
            let text = format!("\n{line}\n");
            assert_eq!(Record::read(&text).is_err(), !line.is_empty(), "{line}");
        }
        assert!(Record::read("x").unwrap_err().contains("line 1"));
    }

    #[test]
    fn the_soonest_snapshot_sets_the_clock() {
        let mut record = record();
        assert_eq!(record.zero_us(), 5_000_000 - 1_000_000 - 30_000);
        record.delay_us = None;
        assert_eq!(record.zero_us(), 5_000_000 - 1_000_000 - 30_500, "half of the ping");
    }
}
