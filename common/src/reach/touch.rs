//! What of the map a player's box may touch somewhere in its reach, and what that does to its movement.

use super::clip::Walls;
use super::{DUCKED, STANDING};
use crate::collision::{ClipMap, Obstacle, Volume};
use crate::math::{Bounds, Plane, Vec3};
use crate::pmove::limits::MIN_WALK_NORMAL;
use crate::proto::mask;

/// What touching something may do to the velocity along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Nothing.
    #[default]
    Free,
    /// End it.
    Stops,
    /// Turn any other velocity into it.
    Turns,
}

/// Tops that are remembered to climb on; with more, everything can be climbed.
pub(super) const MOST_STEPS: usize = 24;
/// Who slides along two faces and meets a third stops. Source: `PM_SlideMove`.
const STUCK_BY: u8 = 3;
/// A part of a normal below this is rounding.
const STRAIGHT: f32 = 1.0e-4;
/// Boxes are looked up so much larger, and planes count as touched from this far. Unit: world units.
const NEAR: f32 = 1.0;

/// All that may be touched, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// By level axis, toward lower and higher.
    sides: [[Side; 2]; 2],
    /// Something to stand on.
    pub stands: bool,
    /// Something oblique that leads up or down.
    pub slopes: bool,
    /// Something overhead.
    pub ceilings: bool,
    /// Something oblique overhead, which turns what goes up to a side.
    pub overhangs: bool,
    /// A liquid.
    pub water: bool,
    /// Faces that lead neither straight up nor straight down, up to [`STUCK_BY`].
    faces: u8,
    steps: [f32; MOST_STEPS],
    step_count: usize,
}

impl Touch {
    /// Nothing is known.
    pub(super) const fn anything() -> Self {
        Self {
            sides: [[Side::Turns; 2]; 2],
            stands: true,
            slopes: true,
            ceilings: true,
            overhangs: true,
            water: false,
            faces: STUCK_BY,
            steps: [0.0; MOST_STEPS],
            step_count: 0,
        }
    }

    /// Nothing is touched.
    pub(super) const fn nothing() -> Self {
        Self {
            sides: [[Side::Free; 2]; 2],
            stands: false,
            slopes: false,
            ceilings: false,
            overhangs: false,
            water: false,
            faces: 0,
            steps: [0.0; MOST_STEPS],
            step_count: 0,
        }
    }

    /// Whether anything gives more hold than the air.
    pub(super) const fn grips(&self) -> bool {
        self.stands || self.slopes || self.water
    }

    /// What may happen to the velocity along a level axis, in the direction of `sign`.
    pub(super) fn side(&self, axis: usize, sign: f32) -> Side {
        let found = self.sides[axis][usize::from(sign > 0.0)];
        if self.sticks() { found.max(Side::Stops) } else { found }
    }

    /// Whether so much may be met at once that all velocity is lost.
    pub(super) const fn sticks(&self) -> bool {
        self.faces >= STUCK_BY
    }

    /// Whether anything is in the way.
    pub(super) fn blocks(&self) -> bool {
        self.slopes || self.sides.iter().flatten().any(|side| *side != Side::Free)
    }

    /// Tops that may be stepped on, rising.
    pub(super) fn steps(&self) -> &[f32] {
        &self.steps[..self.step_count]
    }

    fn step(&mut self, top: f32) {
        let at = self.steps().partition_point(|&other| other < top);
        if self.steps().get(at) == Some(&top) {
            return;
        }
        if self.step_count == MOST_STEPS {
            self.slopes = true;
            return;
        }
        self.steps[at..=self.step_count].rotate_right(1);
        self.steps[at] = top;
        self.step_count += 1;
    }

    fn turns_all(&mut self) {
        self.sides = [[Side::Turns; 2]; 2];
        (self.stands, self.slopes, self.ceilings, self.overhangs) = (true, true, true, true);
        self.faces = STUCK_BY;
    }

    fn plane(&mut self, normal: Vec3) {
        if normal.z > 1.0 - STRAIGHT {
            self.stands = true;
        } else if normal.z < STRAIGHT - 1.0 {
            self.ceilings = true;
        } else if normal.z.abs() > STRAIGHT {
            // Speed is kept along a slope, so whatever it loses one way it gains another.
            self.sides = [[Side::Turns; 2]; 2];
            self.slopes = true;
            self.stands |= normal.z >= MIN_WALK_NORMAL;
            self.ceilings |= normal.z < 0.0;
            self.overhangs |= normal.z < 0.0;
            self.faces = (self.faces + 1).min(STUCK_BY);
        } else {
            self.faces = (self.faces + 1).min(STUCK_BY);
            for axis in 0..2 {
                let part = normal[axis];
                if part.abs() <= STRAIGHT {
                    continue;
                }
                let found = if part.abs() >= 1.0 - STRAIGHT { Side::Stops } else { Side::Turns };
                let side = &mut self.sides[axis][usize::from(part > 0.0)];
                *side = found.max(*side);
            }
        }
    }
}

/// What is near, to be summed up for one box of origins after another.
pub(super) struct Near<'m> {
    /// The brushes, which may also end a reach.
    pub walls: Walls<'m>,
    /// Boxes around what turns any velocity: curved surfaces, bodies, brush models.
    others: [Bounds; MOST_OTHERS],
    other_count: usize,
    /// Box around each liquid, all of them together.
    water: Bounds,
}

/// Things that are no brushes; with more, one may be anywhere.
const MOST_OTHERS: usize = 24;

impl<'m> Near<'m> {
    /// Looks at all that a player with its origin in `origins` may touch.
    pub(super) fn look(clip: &'m ClipMap, origins: &Bounds, movers: &[(Bounds, f32)]) -> Self {
        let mut near = Self {
            walls: Walls::default(),
            others: [Bounds::EMPTY; MOST_OTHERS],
            other_count: 0,
            water: Bounds::EMPTY,
        };
        let body = body_in(origins);
        clip.each_obstacle(&body, mask::PLAYERSOLID | mask::WATER, &mut |obstacle| match obstacle {
            Obstacle::Brush(volume) if volume.contents() & mask::PLAYERSOLID != 0 => {
                if !near.walls.push(volume) {
                    near.other(volume.bounds());
                }
            }
            Obstacle::Brush(volume) => near.water = near.water.union(volume.bounds()),
            Obstacle::Other(bounds) => near.other(bounds),
        });
        for (bounds, _) in movers.iter().filter(|(bounds, _)| bounds.touches(&body)) {
            near.other(*bounds);
        }
        near
    }

    fn other(&mut self, bounds: Bounds) {
        if self.other_count < MOST_OTHERS {
            self.others[self.other_count] = bounds;
            self.other_count += 1;
        } else {
            let last = &mut self.others[MOST_OTHERS - 1];
            *last = last.union(bounds);
        }
    }

    /// What of it a player with its origin in this smaller box may touch.
    pub(super) fn touched(&self, origins: &Bounds) -> Touch {
        let mut touch = Touch::nothing();
        let body = body_in(origins);
        for volume in self.walls.all().filter(|volume| volume.bounds().touches(&body)) {
            brush(&mut touch, volume, origins);
        }
        touch.water = self.water.touches(&body);
        if self.others[..self.other_count].iter().any(|bounds| bounds.touches(&body)) {
            touch.turns_all();
        }
        touch
    }
}

/// All that a player's box may cover, and a little more.
fn body_in(origins: &Bounds) -> Bounds {
    Bounds { mins: origins.mins + STANDING.mins, maxs: origins.maxs + STANDING.maxs }.grown(NEAR)
}

fn brush(touch: &mut Touch, volume: Volume<'_>, origins: &Bounds) {
    let mut is_met = false;
    for plane in volume.planes() {
        let [low, high] = distances(&plane, origins);
        // All of the player stays in front of it: so the brush is never met.
        if low > NEAR {
            return;
        }
        is_met |= high >= -NEAR;
    }
    if !is_met {
        return;
    }
    for plane in volume.planes() {
        if distances(&plane, origins)[1] >= -NEAR {
            touch.plane(plane.normal);
            if plane.normal.z >= MIN_WALK_NORMAL {
                touch.step(volume.bounds().maxs.z);
            }
        }
    }
}

/// Least and greatest distance of a player's box from a plane, with its origin anywhere in a box and in either stance.
fn distances(plane: &Plane, origins: &Bounds) -> [f32; 2] {
    let normal = plane.normal;
    let (mut low, mut high) = (-plane.dist, -plane.dist);
    for axis in 0..3 {
        let (a, b) = (origins.mins[axis] * normal[axis], origins.maxs[axis] * normal[axis]);
        low += a.min(b);
        high += a.max(b);
        // The corner of the box that comes nearest.
        let corner =
            |body: &Bounds| normal[axis] * if normal[axis] < 0.0 { body.maxs[axis] } else { body.mins[axis] };
        low += corner(&STANDING);
        high += corner(&DUCKED);
    }
    [low, high]
}
