//! Where players went: the input of the laboratory, the same for every rule.
//!
//! A path says where a player was on the server, by server time. It comes from walkers ([`walk`](super::walk)), from the records
//! of a swarm, or from a journal, which is run again for it.

use crate::audit::record::{Record, Stand};
use fogline_common::collision::ClipMap;
use fogline_common::ids::Sequence;
use fogline_common::math::{Vec3, vec3, vector_to_angles};
use fogline_common::proto::PlayerState;
use fogline_server::io::Observed;
use fogline_server::io::journal::Reader;
use fogline_server::io::replay::replay;
use fogline_server::program::open_recorded;
use fogline_server::server::Server;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path as FilePath;

/// Messages that a client may have been sent between two looks at it.
const LOOK_AHEAD: u32 = 40;
/// A record's snapshots farther apart than this do not say how fast a player was. Unit: ms.
const GAP_MAX: i32 = 500;

/// A player at one moment, as the server has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stance {
    /// Where it is, how it stands.
    pub stand: Stand,
    /// Unit: units/s.
    pub velocity: Vec3,
    /// Pitch, yaw, roll in degrees.
    pub view_angles: Vec3,
    /// It stands on something.
    pub on_ground: bool,
}

impl Stance {
    /// Of a player's own state.
    pub fn of(player: &PlayerState) -> Self {
        Self {
            stand: Stand::of(player),
            velocity: player.velocity,
            view_angles: player.view_angles,
            on_ground: player.ground().is_some(),
        }
    }
}

/// One player's way. Shape: by rising time, in ms of server time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    samples: Vec<(i32, Stance)>,
}

impl Path {
    /// Adds where it was; what is not later than the last is left out.
    pub fn push(&mut self, at: i32, stance: Stance) {
        if self.samples.last().is_none_or(|(last, _)| *last < at) {
            self.samples.push((at, stance));
        }
    }

    /// What the server has at a moment: the last that was before it.
    pub fn known(&self, at: i32) -> Option<&Stance> {
        let after = self.samples.partition_point(|(time, _)| *time <= at);
        Some(&self.samples[after.checked_sub(1)?].1)
    }

    /// Where it was between two samples of one life. Unit of `at`: ms.
    pub fn blended(&self, at: f64) -> Option<Stance> {
        let after = self.samples.partition_point(|(time, _)| f64::from(*time) <= at);
        let (t0, a) = self.samples[after.checked_sub(1)?];
        let Some(&(t1, b)) = self.samples.get(after) else { return Some(a) };
        if a.stand.life != b.stand.life {
            return Some(a);
        }
        let share = ((at - f64::from(t0)) / f64::from(t1 - t0)) as f32;
        let origin = a.stand.origin.mul_add(share, b.stand.origin - a.stand.origin);
        Some(Stance { stand: Stand { origin, ..a.stand }, ..a })
    }

    fn ends(&self) -> Option<[i32; 2]> {
        Some([self.samples.first()?.0, self.samples.last()?.0])
    }
}

/// Everybody's way on one map.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// What they are of, in words.
    pub source: String,
    /// Shape: by player.
    pub players: Vec<Path>,
}

impl Paths {
    /// First and last moment of all. Unit: ms of server time.
    pub fn ends(&self) -> Option<[i32; 2]> {
        let ends = self.players.iter().filter_map(Path::ends);
        ends.reduce(|all, own| [all[0].min(own[0]), all[1].max(own[1])])
    }

    /// From what clients were told of themselves. They say where they were, not how fast and which way they looked: both are
    /// taken from the way to the next place.
    pub fn from_records(records: &[Record]) -> Self {
        let path = |record: &Record| {
            let mut path = Path::default();
            let mut angles = Vec3::ZERO;
            for (n, snap) in record.snapshots.iter().enumerate() {
                let next = record.snapshots.get(n + 1);
                let goes_on = |next: &&crate::audit::record::Received| {
                    next.own.life == snap.own.life && (next.time - snap.time).0 <= GAP_MAX
                };
                let velocity = next.filter(goes_on).map_or(Vec3::ZERO, |next| {
                    let seconds = (next.time - snap.time).0.max(1) as f32 / 1000.0;
                    (next.own.origin - snap.own.origin) * (1.0 / seconds)
                });
                if velocity.length_squared() > 1.0 {
                    angles = vec3(0.0, vector_to_angles(velocity).y, 0.0);
                }
                let on_ground = velocity.z.abs() < 1.0;
                path.push(snap.time.0, Stance { stand: snap.own, velocity, view_angles: angles, on_ground });
            }
            path
        };
        Self { source: "records of clients".to_owned(), players: records.iter().map(path).collect() }
    }

    /// From a journal, and the name of its map: the run is fed again, and after each of its steps everybody is looked at.
    ///
    /// # Errors
    /// A sentence, if the journal or the game data cannot be read, or nobody played.
    pub fn from_journal(journal: &FilePath) -> Result<(Self, String), String> {
        let (server, mut reader) = open_recorded(journal)?;
        Self::from_run(server, &mut reader).map_err(|sentence| format!("{}: {sentence}", journal.display()))
    }

    /// From a server as it was when a recording began, and the recording after its header.
    ///
    /// # Errors
    /// A sentence, if the recording is damaged or nobody played.
    pub fn from_run(server: Server, journal: &mut Reader<impl Read>) -> Result<(Self, String), String> {
        let mut watched = Watched::default();
        let mut observed = Observed { server, look: |server: &Server| watched.look(server) };
        replay(journal, &mut observed, &mut |_| ()).map_err(|error| error.to_string())?;
        let players: Vec<Path> = watched.paths.into_values().map(|(_, path)| path).collect();
        if players.is_empty() {
            return Err("nobody played".to_owned());
        }
        Ok((Self { source: "a journal, run again".to_owned(), players }, watched.map))
    }

    /// Leaves out players that are outside the map all the time.
    pub fn keep_inside(&mut self, clip: &ClipMap) {
        self.players.retain(|path| {
            path.samples.iter().any(|(_, stance)| {
                clip.leaf_cluster(clip.leaf_at(stance.stand.origin)).is_some() && stance.stand.is_alive
            })
        });
    }
}

/// What was seen of a server frame by frame.
#[derive(Default)]
struct Watched {
    /// By slot: the newest message looked at, and the way so far.
    paths: BTreeMap<usize, (u32, Path)>,
    /// The first map that was played on; what comes after another has begun is left out.
    map: String,
}

impl Watched {
    fn look(&mut self, server: &Server) {
        let Some(map) = server.map() else { return };
        if self.map.is_empty() {
            map.clone_into(&mut self.map);
        } else if self.map != map {
            return;
        }
        for num in server.clients().iter().filter(|session| session.is_active()).map(|session| session.num) {
            let (seen, path) = self.paths.entry(num.index()).or_default();
            let from = *seen + 1;
            // A client that has just come may have been sent many messages already.
            let newest = (from..from + LOOK_AHEAD)
                .rev()
                .find_map(|message| Some((message, server.sent_snapshot(num, Sequence(message))?)));
            let Some((message, snapshot)) = newest else { continue };
            *seen = message;
            if snapshot.player.client_num == num.index() as i32 {
                path.push(snapshot.time.0, Stance::of(&snapshot.player));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(x: f32, life: i32) -> Stance {
        Stance { stand: Stand { origin: vec3(x, 0.0, 0.0), life, ..Stand::default() }, ..Stance::default() }
    }

    #[test]
    fn a_path_is_known_in_steps_and_blended_within_a_life() {
        let mut path = Path::default();
        for (at, x, life) in [(0, 0.0, 1), (8, 8.0, 1), (8, 99.0, 1), (16, 500.0, 2)] {
            path.push(at, stance(x, life));
        }
        let known = |at| path.known(at).map(|stance| stance.stand.origin.x);
        assert_eq!((known(-1), known(7), known(8), known(99)), (None, Some(0.0), Some(8.0), Some(500.0)));
        let blended = |at| path.blended(at).map(|stance| stance.stand.origin.x);
        assert_eq!((blended(2.0), blended(12.0), blended(16.0)), (Some(2.0), Some(8.0), Some(500.0)));
    }

    #[test]
    fn records_say_how_fast_by_where_to() {
        let text = "[\"client\",0,\"a\",\"m\",0]\n[\"s\",1,1000,1,0,1,1,0,0,24,26,50]\n[\"s\",2,1050,2,0,1,1,0,16,24,26,50]\n";
        let paths = Paths::from_records(&Record::read(text).unwrap());
        let first = paths.players[0].known(1000).unwrap();
        assert_eq!((first.velocity, first.view_angles.y), (vec3(0.0, 320.0, 0.0), 90.0));
        assert_eq!(paths.ends(), Some([1000, 1050]));
    }
}
