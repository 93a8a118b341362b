//! Where doors, lifts and everything else that is part of the map stood when a shooter drew them.
//!
//! A mover is a function of time, so its past is its trajectories: a few for each, each with the frame from which clients were
//! told of it.

use super::history::FrameNum;
use crate::game::SharedEntity;
use fogline_common::ids::EntityNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::trajectory;
use fogline_common::proto::Trajectory;
use fogline_common::time::ServerTime;

/// Trajectories kept of one mover: a door that opens and closes again changes four times.
const KEPT: usize = 8;

/// A mover as one snapshot told of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Told {
    from: FrameNum,
    pos: Trajectory,
    apos: Trajectory,
}

#[derive(Clone, Debug)]
struct Track {
    num: EntityNum,
    /// Its model's box, as it stands at no place and turned no way.
    bounds: Bounds,
    /// Shape: ring.
    told: [Told; KEPT],
    count: usize,
}

/// The past of all movers that have moved.
#[derive(Debug, Default)]
pub struct Movers {
    /// Ascending by number.
    tracks: Vec<Track>,
}

/// A place and a way of being turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Where.
    pub origin: Vec3,
    /// Turned how.
    pub angles: Vec3,
}

impl Movers {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.tracks.clear();
    }

    /// What clients are told of a brush model at a frame.
    pub fn record(&mut self, frame: FrameNum, num: EntityNum, entity: &SharedEntity) {
        let told = Told { from: frame, pos: entity.state.pos, apos: entity.state.apos };
        let at = match self.tracks.binary_search_by_key(&num, |track| track.num) {
            Ok(at) => at,
            Err(at) => {
                self.tracks
                    .insert(at, Track { num, bounds: entity.link.bounds, told: [told; KEPT], count: 1 });
                return;
            }
        };
        let track = &mut self.tracks[at];
        let last = &track.told[(track.count - 1) % KEPT];
        if (last.pos, last.apos) != (told.pos, told.apos) {
            track.told[track.count % KEPT] = told;
            track.count += 1;
        }
    }

    /// Whether a number is a mover whose past may differ from its present: it moves, or did.
    pub fn has_moved(&self, num: EntityNum) -> bool {
        self.track(num).is_some_and(Track::has_moved)
    }

    /// Those whose past may differ from their present, ascending, each with the box around it as a client drew it at `at` from
    /// the snapshot of `frame`.
    pub fn moved(&self, frame: FrameNum, at: ServerTime) -> impl Iterator<Item = (EntityNum, Bounds)> {
        self.tracks
            .iter()
            .filter(|track| track.has_moved())
            .map(move |track| (track.num, box_of(&track.bounds, &track.told_at(frame).stand(at))))
    }

    /// Where a client drew a mover at `at` from the snapshot of `frame`.
    pub fn stand(&self, num: EntityNum, frame: FrameNum, at: ServerTime) -> Option<Stand> {
        Some(self.track(num)?.told_at(frame).stand(at))
    }

    /// Bytes that it holds.
    pub fn memory_bytes(&self) -> usize {
        self.tracks.capacity() * size_of::<Track>()
    }

    fn track(&self, num: EntityNum) -> Option<&Track> {
        let at = self.tracks.binary_search_by_key(&num, |track| track.num).ok()?;
        Some(&self.tracks[at])
    }
}

impl Told {
    fn stand(&self, at: ServerTime) -> Stand {
        Stand { origin: self.pos.at(at), angles: self.apos.at(at) }
    }
}

impl Track {
    fn has_moved(&self) -> bool {
        let moves = |trajectory: &Trajectory| trajectory.kind != trajectory::STATIONARY;
        self.count > 1 || moves(&self.told[0].pos) || moves(&self.told[0].apos)
    }

    /// The newest that was told at or before `frame`; the oldest kept if none was.
    fn told_at(&self, frame: FrameNum) -> &Told {
        let oldest = self.count.saturating_sub(KEPT);
        let mut newest_first = (oldest..self.count).rev().map(|n| &self.told[n % KEPT]);
        newest_first.find(|told| told.from <= frame).unwrap_or(&self.told[oldest % KEPT])
    }
}

/// Box around a brush model that stands so, whichever way it may be turned.
fn box_of(bounds: &Bounds, stand: &Stand) -> Bounds {
    if stand.angles == Vec3::ZERO {
        return bounds.translated(stand.origin);
    }
    let farthest = bounds.mins.abs().max(bounds.maxs.abs());
    Bounds::POINT.grown(farthest.length()).translated(stand.origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;

    fn door(kind: i32, time: i32, x: f32, speed: f32) -> SharedEntity {
        let mut entity = SharedEntity::default();
        entity.state.pos =
            Trajectory { kind, time, duration: 1000, base: vec3(x, 0.0, 0.0), delta: vec3(speed, 0.0, 0.0) };
        entity
    }

    #[test]
    fn a_door_is_drawn_by_the_trajectory_that_was_told_then() {
        let num = EntityNum::new(80).unwrap();
        let mut movers = Movers::default();
        movers.record(FrameNum(1), num, &door(trajectory::STATIONARY, 0, 0.0, 0.0));
        assert!(!movers.has_moved(num));
        movers.record(FrameNum(2), num, &door(trajectory::STATIONARY, 0, 0.0, 0.0));
        movers.record(FrameNum(3), num, &door(trajectory::LINEAR_STOP, 100, 0.0, 50.0));
        movers.record(FrameNum(9), num, &door(trajectory::STATIONARY, 0, 50.0, 0.0));
        let x = |frame, at| movers.stand(num, FrameNum(frame), ServerTime(at)).unwrap().origin.x;
        assert_eq!((x(2, 130), x(3, 140), x(8, 1100), x(9, 1300)), (0.0, 2.0, 50.0, 50.0));
        assert!(movers.has_moved(num));
        let moved: Vec<_> =
            movers.moved(FrameNum(9), ServerTime(1300)).map(|(num, at)| (num, at.mins.x)).collect();
        assert_eq!(moved, [(num, 50.0)]);
    }
}
