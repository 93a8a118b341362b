//! What a victim is told: how late its killer saw it, and for how long it had been out of the killer's sight.

use super::Rewind;
use crate::game::EntityTable;
use crate::world::World;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3, vec3};
use fogline_common::proto::contents;
use fogline_common::time::Millis;

/// A shot as its victim is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// How old the picture was that the shooter fired at.
    pub delay: Millis,
    /// How far back the shot was judged.
    pub rewound: Millis,
    /// How long the victim had been behind cover by then, as the server knows it.
    pub behind_cover: Millis,
}

impl Rewind {
    /// The shot that `shooter` is firing now, as `victim` is told of it. `None` if it fires none, or none in the past.
    pub fn explain(
        &self,
        world: &World,
        shooter: ClientNum,
        entities: &dyn EntityTable,
        victim: ClientNum,
    ) -> Option<Explained> {
        let book = self.shots();
        let shot = book.newest_of(shooter).filter(|shot| shot.command == self.commands_of(shooter))?;
        let (moment, muzzle) = (shot.moment?, shot.rays.first()?.start);
        let present = entities.get(victim.entity()).link;
        let is_seen = |bounds: &Bounds| is_seen(world, muzzle, bounds);
        let behind_cover = if is_seen(&present.bounds.translated(present.origin)) {
            Millis(0)
        } else {
            self.hidden_since(victim, shot.rewound(), is_seen)
        };
        Some(Explained { delay: shot.delay(), rewound: moment.age(shot.now).max(Millis(0)), behind_cover })
    }

    /// Time since a player was last where it could be seen, at most `longest`.
    fn hidden_since(&self, victim: ClientNum, longest: Millis, is_seen: impl Fn(&Bounds) -> bool) -> Millis {
        let (Some(newest), Some(oldest)) = (self.history.newest(), self.history.oldest()) else {
            return longest;
        };
        let mut frame = newest;
        loop {
            let age = self.history.time_of(frame).map_or(longest, |time| self.now - time);
            let seen = self.history.pose(frame, victim).is_some_and(|pose| is_seen(&pose.world_box()));
            if seen || age >= longest || frame <= oldest {
                return age.min(longest);
            }
            frame.0 -= 1;
        }
    }
}

/// Whether any of nine points of a box can be seen from `eye`: its corners, a little inside, and its middle.
fn is_seen(world: &World, eye: Vec3, bounds: &Bounds) -> bool {
    let inner = bounds.grown(-1.0);
    let corner = |n: usize| {
        let pick = |bit: usize, low: f32, high: f32| if n >> bit & 1 == 0 { low } else { high };
        vec3(
            pick(0, inner.mins.x, inner.maxs.x),
            pick(1, inner.mins.y, inner.maxs.y),
            pick(2, inner.mins.z, inner.maxs.z),
        )
    };
    let points = (0..8).map(corner).chain([bounds.center()]);
    points.into_iter().any(|point| !world.clip_map().blocked(eye, point, contents::SOLID))
}
