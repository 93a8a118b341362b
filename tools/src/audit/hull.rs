//! The oracle: whether any point of a drawn body can be seen from a drawn eye.
//!
//! A body is the box that its player collides with. Its faces that look at the eye carry a lattice of at least
//! [`FACE_POINTS_MIN`] points each, corners and edges among them. A line to each point is followed through the map and its doors.
//! Two shortcuts change no answer: a convex brush that hides the corners of a part of a face hides the part, and a point that was
//! seen a moment ago is tried first. What the map's own potentially visible set rules out counts as hidden, since no server of the
//! family would send it; a map whose set is wrong is wrong with and without a filter.

use crate::audit::record::Stand;
use fogline_common::collision::{ClipMap, Light, Occluder, Placement};
use fogline_common::ids::LeafNum;
use fogline_common::math::{Bounds, Vec3, vec3};

/// Points of a face, at least.
pub const FACE_POINTS_MIN: usize = 256;
/// Points of a face across and up, for sides and for top and bottom.
const LATTICE: [[usize; 2]; 2] = [[12, 22], [16, 16]];
const _: () = assert!(LATTICE[0][0] * LATTICE[0][1] >= FACE_POINTS_MIN);
const _: () = assert!(LATTICE[1][0] * LATTICE[1][1] >= FACE_POINTS_MIN);
/// A view height below this is a crouched player's. Source: `CROUCH_VIEWHEIGHT` 12, `DEFAULT_VIEWHEIGHT` 26.
const CROUCHED_BELOW: i32 = 20;
/// Half the width of a player. Source: `playerMins`.
const HALF_WIDTH: f32 = 15.0;
/// Its feet, from the origin.
const FEET: f32 = -24.0;
/// Its head, standing and crouched. Source: `PM_CheckDuck`.
const HEAD: [f32; 2] = [32.0, 16.0];
/// Brushes kept at hand for a pair.
const KEPT: usize = 6;
/// Leafs that a body may touch before the potentially visible set is not asked.
const LEAFS_MAX: usize = 64;

/// The box of a player who stands so.
pub fn body_of(stand: &Stand) -> Bounds {
    let crouches = stand.view_height < CROUCHED_BELOW;
    let head = HEAD[usize::from(crouches)];
    Bounds::new(vec3(-HALF_WIDTH, -HALF_WIDTH, FEET), vec3(HALF_WIDTH, HALF_WIDTH, head))
        .translated(stand.origin)
}

/// A face of a body: its lowest corner, and its two sides.
#[derive(Clone, Copy)]
struct Face {
    corner: Vec3,
    sides: [Vec3; 2],
    counts: [usize; 2],
}

impl Face {
    fn point(&self, at: [usize; 2]) -> Vec3 {
        let share = |n: usize| at[n] as f32 / (self.counts[n] - 1) as f32;
        self.corner.mul_add(share(0), self.sides[0]).mul_add(share(1), self.sides[1])
    }
}

/// What is remembered of one pair from look to look. It changes no answer, only its cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairMemory {
    blockers: [Option<Occluder>; KEPT],
    next: usize,
    /// Axis of the face and lattice place of the point seen last.
    seen: Option<(usize, [usize; 2])>,
}

/// The oracle of one map.
pub struct Oracle<'m> {
    clip: &'m ClipMap,
    leafs: Vec<LeafNum>,
    /// Lines followed through the map so far.
    pub rays: u64,
}

/// One look of an eye at a body.
struct Gaze<'a> {
    eye: Vec3,
    doors: &'a [Placement],
    memory: &'a mut PairMemory,
}

impl<'m> Oracle<'m> {
    /// For a map.
    pub fn new(clip: &'m ClipMap) -> Self {
        Self { clip, leafs: Vec::new(), rays: 0 }
    }

    /// Whether any point of the body can be seen from the eye, past doors as they are drawn.
    pub fn sees(&mut self, eye: Vec3, body: &Bounds, doors: &[Placement], memory: &mut PairMemory) -> bool {
        if body.contains(eye) {
            return true;
        }
        let mut gaze = Gaze { eye, doors, memory };
        if let Some((axis, at)) = gaze.memory.seen
            && let Some(face) = face_towards(eye, body, axis)
            && self.reaches(&mut gaze, face.point(at))
        {
            return true;
        }
        if self.is_hidden_by_one(&gaze, body) || self.is_ruled_out(eye, body) {
            return false;
        }
        for axis in 0..3 {
            let Some(face) = face_towards(eye, body, axis) else { continue };
            let all = [[0, face.counts[0] - 1], [0, face.counts[1] - 1]];
            if let Some(at) = self.seen_part(&mut gaze, &face, all) {
                gaze.memory.seen = Some((axis, at));
                return true;
            }
        }
        false
    }

    /// One brush at hand hides the whole box.
    fn is_hidden_by_one(&self, gaze: &Gaze<'_>, body: &Bounds) -> bool {
        let hides = |&blocker: &Occluder| {
            (0..8).all(|n| {
                let pick = |axis: usize| if n >> axis & 1 == 0 { body.mins[axis] } else { body.maxs[axis] };
                self.clip.occludes(blocker, gaze.eye, vec3(pick(0), pick(1), pick(2)))
            })
        };
        gaze.memory.blockers.iter().flatten().any(hides)
    }

    /// No cluster that the body touches is in the potentially visible set of the eye's.
    fn is_ruled_out(&mut self, eye: Vec3, body: &Bounds) -> bool {
        let clip = self.clip;
        let Some(cluster) = clip.leaf_cluster(clip.leaf_at(eye)) else { return false };
        self.leafs.clear();
        clip.leafs_in_box(&body.grown(1.0), LEAFS_MAX, &mut self.leafs);
        if self.leafs.len() >= LEAFS_MAX {
            return false;
        }
        let row = clip.pvs(Some(cluster));
        let is_in = |leaf: &LeafNum| {
            clip.leaf_cluster(*leaf).is_some_and(|there| row.get(there.index()).is_none_or(|bit| *bit))
        };
        !self.leafs.iter().any(is_in)
    }

    /// The place of a point of this part of the face that is seen: lattice places from first to last, both included.
    fn seen_part(
        &mut self,
        gaze: &mut Gaze<'_>,
        face: &Face,
        [across, up]: [[usize; 2]; 2],
    ) -> Option<[usize; 2]> {
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[a, b]| [across[a], up[b]]);
        let mut blockers = [None; 4];
        for (blocker, at) in blockers.iter_mut().zip(corners) {
            match self.blocker(gaze, face.point(at)) {
                Blocked::No => return Some(at),
                Blocked::ByBrush(occluder) => *blocker = Some(occluder),
                Blocked::Otherwise => (),
            }
        }
        let (wide, high) = (across[1] - across[0], up[1] - up[0]);
        if wide <= 1 && high <= 1 {
            return None;
        }
        let hides_all = |&blocker: &Occluder| {
            corners.iter().all(|&at| self.clip.occludes(blocker, gaze.eye, face.point(at)))
        };
        if blockers.iter().flatten().any(hides_all) {
            return None;
        }
        let halves = if wide >= high {
            let middle = across[0] + wide / 2;
            [[[across[0], middle], up], [[middle + 1, across[1]], up]]
        } else {
            let middle = up[0] + high / 2;
            [[across, [up[0], middle]], [across, [middle + 1, up[1]]]]
        };
        let [first, second] = halves;
        self.seen_part(gaze, face, first).or_else(|| self.seen_part(gaze, face, second))
    }

    fn reaches(&mut self, gaze: &mut Gaze<'_>, point: Vec3) -> bool {
        matches!(self.blocker(gaze, point), Blocked::No)
    }

    fn blocker(&mut self, gaze: &mut Gaze<'_>, point: Vec3) -> Blocked {
        for blocker in gaze.memory.blockers.iter().flatten() {
            if self.clip.occludes(*blocker, gaze.eye, point) {
                return Blocked::ByBrush(*blocker);
            }
        }
        self.rays += 1;
        match self.clip.light(gaze.eye, point) {
            Light::StoppedBy(occluder) => {
                gaze.memory.blockers[gaze.memory.next % KEPT] = Some(occluder);
                gaze.memory.next += 1;
                Blocked::ByBrush(occluder)
            }
            Light::StoppedByPatch => Blocked::Otherwise,
            Light::Passes if gaze.doors.iter().any(|door| self.door_stops(door, gaze.eye, point)) => {
                Blocked::Otherwise
            }
            Light::Passes => Blocked::No,
        }
    }

    fn door_stops(&self, door: &Placement, from: Vec3, to: Vec3) -> bool {
        let (from, to) = (door.to_model(from), door.to_model(to));
        self.clip.light_through_model(door.model, from, to) != Light::Passes
    }
}

/// What is in the way of a line.
enum Blocked {
    No,
    ByBrush(Occluder),
    /// A curved surface or a door.
    Otherwise,
}

/// The face of the body across `axis` that looks at the eye, if either does.
fn face_towards(eye: Vec3, body: &Bounds, axis: usize) -> Option<Face> {
    let at = if eye[axis] < body.mins[axis] {
        body.mins[axis]
    } else if eye[axis] > body.maxs[axis] {
        body.maxs[axis]
    } else {
        return None;
    };
    // The second side is up, except on top and bottom.
    let others = [[1, 2], [0, 2], [0, 1]][axis];
    let mut corner = body.mins;
    corner[axis] = at;
    let sides = others.map(|other| {
        let mut side = Vec3::ZERO;
        side[other] = body.maxs[other] - body.mins[other];
        side
    });
    Some(Face { corner, sides, counts: LATTICE[usize::from(axis == 2)] })
}
