//! What of the map a player's box may touch somewhere in its reach, and what that does to its movement.

use super::around::{Around, Hull, NEAR, Side, body_in};
use super::clip::Walls;
use super::turn::MOST_FACES;
use super::{DUCKED, STANDING};
use crate::math::{Bounds, Vec3};
use crate::pmove::limits::{MIN_WALK_NORMAL, STEP_SIZE};

/// Tops that are remembered to climb on; with more, everything can be climbed.
pub(super) const MOST_STEPS: usize = 24;
/// Who slides along two faces and meets a third stops. Source: `PM_SlideMove`.
const STUCK_BY: usize = 3;
/// No plane turns more of a level velocity up or down than half of it; several one after the other, what is left of it.
const MOST_DEFLECTED: f32 = 0.7142;
/// Who swims is in the liquid from here up, ducked. Unit: world units above the origin. Source: `PM_SetWaterLevel`.
const WAIST: f32 = -6.0;
/// Most of a level speed that one projection turns up or down.
const MOST_TURNED: f32 = 0.5;
/// Faces whose normals have a larger cosine lie in one plane or do not meet.
const PARALLEL: f32 = 0.9999;
/// A part of a normal below this is rounding.
const STRAIGHT: f32 = 1.0e-4;
/// Who is stopped by a face is at most so far outside of the others, and of what would have stopped it before. Unit: world units.
const CONTACT: f32 = 0.25;
/// With more walls about none is tried as a cover of the others' faces.
const MOST_COVERING: usize = 32;
/// Cosine of the angle between planes that face one way.
const ALIKE: f32 = 0.7;
/// Who has come against something is at least so far outside of it: an eighth of a unit, but for rounding. Source: `CM_Trace`.
const APART: f32 = 0.1;

/// All that may be touched, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// Something to stand on.
    pub stands: bool,
    /// Something overhead.
    pub ceilings: bool,
    /// A liquid, deep enough to swim.
    pub water: bool,
    /// A liquid.
    pub wet: bool,
    /// Something ahead of a swimmer that it may leap onto.
    pub ledges: bool,
    /// Something that is known to be there, and no more.
    pub anything: bool,
    /// What carries leads up by at most so much a unit of way.
    pub climbs: f32,
    /// Of a run so much may be turned down and up by what does not carry.
    pub deflects: [f32; 2],
    /// Two faces meet, neither at a right angle nor in one plane.
    pub corners: bool,
    /// Ground and what is over it face each other.
    pinches: bool,
    /// Heights between which ceilings are.
    ceilings_at: [f32; 2],
    /// Faces that lead neither straight up nor straight down, each direction once.
    faces: [Vec3; MOST_FACES],
    face_count: usize,
    /// There are more.
    many: bool,
    steps: [f32; MOST_STEPS],
    step_count: usize,
}

impl Touch {
    /// Nothing is known, but perhaps that there is no liquid.
    pub(super) const fn anything(water: bool) -> Self {
        Self {
            stands: true,
            ceilings: true,
            anything: true,
            water,
            wet: water,
            ledges: water,
            ..Self::nothing()
        }
    }

    /// Nothing is touched.
    pub(super) const fn nothing() -> Self {
        Self {
            stands: false,
            ceilings: false,
            water: false,
            wet: false,
            ledges: false,
            anything: false,
            climbs: 0.0,
            deflects: [0.0; 2],
            corners: false,
            pinches: false,
            ceilings_at: [f32::INFINITY, f32::NEG_INFINITY],
            faces: [Vec3::ZERO; MOST_FACES],
            face_count: 0,
            many: false,
            steps: [0.0; MOST_STEPS],
            step_count: 0,
        }
    }

    /// These faces, wherever they are.
    #[cfg(test)]
    pub(super) fn of(faces: &[Vec3]) -> Self {
        let mut touch = Self::nothing();
        faces.iter().for_each(|&normal| touch.plane(normal));
        touch
    }

    /// Whether anything gives more hold than the air.
    pub(super) const fn grips(&self) -> bool {
        self.stands || self.water || self.anything
    }

    /// Whether there are slopes, of whatever kind.
    pub(super) fn slopes(&self) -> bool {
        self.anything || self.climbs > 0.0 || self.deflects != [0.0; 2]
    }

    /// Whether so much may be met at once that all velocity is lost.
    pub(super) fn sticks(&self) -> bool {
        self.anything || self.many || self.face_count >= STUCK_BY || self.pinched()
    }

    /// Whether a step upward may be tried between ground and ceiling. Both count in it; their crease is no direction at all, so
    /// nothing is left of the velocity.
    fn pinched(&self) -> bool {
        let [low, high] = self.ceilings_at;
        let (tight, fits) = (STANDING.size().z + STEP_SIZE + NEAR, DUCKED.size().z - NEAR);
        self.pinches || self.steps().iter().any(|&floor| low - floor <= tight && high - floor >= fits)
    }

    /// Whether two planes may be met in one slide.
    pub(super) fn meets_two(&self) -> bool {
        self.anything || self.face_count + usize::from(self.stands) + usize::from(self.ceilings) > 1
    }

    /// What a landing on slopes may turn along them beside the fall, as a side of a triangle with it. Unit: units/s.
    ///
    /// Ground keeps the speed: v becomes Pv |v|/|Pv|. Along d that is at most hypot(v·d, v·n) by Cauchy and Schwarz, for d in the
    /// plane and less for others. Of v·n a part is the fall f, another the level speed l into the slope (or off it):
    /// (l + f nz)² - f² is the square of what there is beside the fall. Of several slopes, or where something else may have led
    /// into one, all level speed.
    pub(super) fn slopes_take(&self, velocity: Vec3, push: f32, level: f32, fall: f32) -> f32 {
        let Some(faces) = self.faces() else { return 0.0 };
        let Some(&slope) = faces.iter().find(|normal| normal.z >= MIN_WALK_NORMAL) else {
            // What does not carry may turn the run down before it lands.
            let turns = self.stands && faces.iter().any(|normal| normal.z.abs() > STRAIGHT);
            return if turns { level } else { 0.0 };
        };
        let alone = |other: &Vec3| *other == slope || other.dot(slope).abs() < STRAIGHT;
        if !faces.iter().all(alone) {
            return level;
        }
        let (along, steep) = (velocity.x * slope.x + velocity.y * slope.y, 1.0 - slope.z * slope.z);
        let into = along.abs() + push;
        let falls = if along < push { fall.min(into * slope.z / steep) } else { 0.0 };
        (into * into + 2.0 * into * slope.z * falls - falls * falls * steep).sqrt().min(level)
    }

    /// Whether anything is in the way.
    pub(super) fn blocks(&self) -> bool {
        self.anything || self.face_count > 0
    }

    /// The faces, if they are known.
    pub(super) fn faces(&self) -> Option<&[Vec3]> {
        (!self.anything && !self.many).then(|| &self.faces[..self.face_count])
    }

    /// Ground and ceilings that lie level, which are no faces.
    pub(super) fn level_faces(&self) -> impl Iterator<Item = Vec3> {
        let up = Vec3::new(0.0, 0.0, 1.0);
        [self.stands.then_some(up), self.ceilings.then_some(-up)].into_iter().flatten()
    }

    /// Tops that may be stepped on, rising.
    pub(super) fn steps(&self) -> &[f32] {
        &self.steps[..self.step_count]
    }

    /// Whether a face would add nothing.
    fn knows(&self, normal: Vec3, bounds: &Bounds) -> bool {
        if normal.z >= MIN_WALK_NORMAL && !self.steps().contains(&bounds.maxs.z) {
            return false;
        }
        match normal.z {
            z if z > 1.0 - STRAIGHT => self.stands,
            z if z < STRAIGHT - 1.0 => {
                let at = bounds.mins.z;
                self.ceilings && self.ceilings_at[0] <= at && at <= self.ceilings_at[1]
            }
            _ => self.faces[..self.face_count].iter().any(|known| known.distance(normal) < STRAIGHT),
        }
    }

    fn step(&mut self, top: f32) {
        let at = self.steps().partition_point(|&other| other < top);
        if self.steps().get(at) == Some(&top) {
            return;
        }
        if self.step_count == MOST_STEPS {
            self.anything = true;
            return;
        }
        self.steps[at..=self.step_count].rotate_right(1);
        self.steps[at] = top;
        self.step_count += 1;
    }

    fn ceiling(&mut self, at: f32) {
        self.ceilings_at = [self.ceilings_at[0].min(at), self.ceilings_at[1].max(at)];
    }

    fn turns_all(&mut self) {
        (self.stands, self.ceilings, self.anything) = (true, true, true);
    }

    fn plane(&mut self, normal: Vec3) {
        if normal.z > 1.0 - STRAIGHT {
            self.stands = true;
            return;
        }
        if normal.z < STRAIGHT - 1.0 {
            self.ceilings = true;
            return;
        }
        if self.faces[..self.face_count].iter().any(|known| known.distance(normal) < STRAIGHT) {
            return;
        }
        let level = normal.x.hypot(normal.y);
        if normal.z >= MIN_WALK_NORMAL {
            self.stands = true;
            self.climbs = self.climbs.max(level / normal.z);
        } else if normal.z.abs() > STRAIGHT {
            let turns = normal.z.abs() * level;
            // What is below takes what leads off it as well, and that turns a run down.
            self.deflects[0] = (self.deflects[0] + turns).min(MOST_DEFLECTED);
            if normal.z > 0.0 {
                self.deflects[1] = (self.deflects[1] + turns).min(MOST_DEFLECTED);
            }
            self.ceilings |= normal.z < 0.0;
        }
        for known in &self.faces[..self.face_count] {
            let crease = known.cross(normal);
            // Two walls that both stand upright lead nowhere but up and down.
            self.pinches |= known.dot(normal) < -PARALLEL && known.z.max(normal.z) >= MIN_WALK_NORMAL;
            if (STRAIGHT..PARALLEL).contains(&known.dot(normal).abs()) {
                // Such a corner may turn a slide against where it began, which counts as a plane too: the crease of that and a wall
                // may lead anywhere along the wall.
                self.corners = true;
                self.deflects = self.deflects.map(|side| side.max(MOST_TURNED));
            }
            let leads_on = known.dot(normal) < 0.0 && crease.length_squared() > 1.0e-6;
            if leads_on && (normal.z.abs() > STRAIGHT || known.z.abs() > STRAIGHT) {
                let steep = crease.normalized().z.abs();
                let turns = steep * (1.0 - steep * steep).max(0.0).sqrt();
                self.deflects = self.deflects.map(|side| side.max(turns));
            }
        }
        if self.face_count == MOST_FACES {
            self.many = true;
            return;
        }
        self.faces[self.face_count] = normal;
        self.face_count += 1;
    }
}

/// What is near, to be summed up for one box of origins after another.
pub(super) struct Near<'m> {
    around: &'m Around,
    movers: &'m [(Bounds, f32)],
    /// The brushes, which may also end a reach.
    pub walls: Walls<'m>,
    /// Facets of curved surfaces.
    facets: [u32; MOST_FACETS],
    facet_count: usize,
    /// Boxes around what turns any velocity: bodies, brush models.
    others: [Bounds; MOST_OTHERS],
    other_count: usize,
    /// Box around each liquid, all of them together.
    water: Bounds,
    /// Who looks flies, and may push into the ground.
    flies: bool,
}

/// Facets that are looked at one by one.
const MOST_FACETS: usize = 32;
/// Things that are no brushes; with more, one may be anywhere.
const MOST_OTHERS: usize = 24;

impl<'m> Near<'m> {
    /// Looks at all that a player with its origin in `origins` may touch, which `around` knows.
    pub(super) fn look(
        around: &'m Around,
        origins: &Bounds,
        movers: &'m [(Bounds, f32)],
        flies: bool,
    ) -> Self {
        let mut near = Self {
            around,
            movers,
            walls: Walls::of(around),
            facets: [0; MOST_FACETS],
            facet_count: 0,
            others: [Bounds::EMPTY; MOST_OTHERS],
            other_count: 0,
            water: Bounds::EMPTY,
            flies,
        };
        let body = body_in(origins);
        for at in around.near(origins) {
            let hull = around.hull(at);
            let fits = if hull.is_brush() { near.walls.push(at) } else { near.facet(at) };
            if !fits {
                near.other(hull.bounds);
            }
        }
        let boxes = around.others.iter().chain(movers.iter().map(|(bounds, _)| bounds));
        for bounds in boxes.filter(|bounds| bounds.touches(&body)) {
            near.other(*bounds);
        }
        for bounds in around.waters.iter().filter(|bounds| bounds.touches(&body)) {
            near.water = near.water.union(*bounds);
        }
        near
    }

    fn facet(&mut self, hull: u32) -> bool {
        let fits = self.facet_count < MOST_FACETS;
        if fits {
            self.facets[self.facet_count] = hull;
            self.facet_count += 1;
        }
        fits
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

    /// Whether there is any liquid.
    pub(super) fn has_water(&self) -> bool {
        self.water.mins.z <= self.water.maxs.z
    }

    /// Whether a player would stand in a wall there: then it is held by what it does not come against.
    pub(super) fn holds(&self, origin: Vec3) -> bool {
        let place = Bounds::new(origin, origin);
        self.walls
            .all()
            .any(|(hull, sides)| hull.may_meet(&place) && sides.iter().all(|side| side.least(&place) < 0.0))
    }

    /// What of it a player with its origin in this smaller box may touch, besides what is known to be touched.
    pub(super) fn touched(&self, origins: &Bounds, known: &Touch) -> Touch {
        let mut touch = *known;
        for (hull, sides) in self.walls.all() {
            self.faces(&mut touch, hull, sides, origins);
        }
        for &at in &self.facets[..self.facet_count] {
            let hull = self.around.hull(at);
            self.faces(&mut touch, hull, self.around.sides(hull), origins);
        }
        let body = body_in(origins);
        touch.wet |= self.water.touches(&body);
        touch.water |= touch.wet && self.water.maxs.z > origins.mins.z + WAIST - NEAR;
        touch.ledges |= touch.water && self.around.has_ledge(origins, self.movers);
        if self.others[..self.other_count].iter().any(|bounds| bounds.touches(&body)) {
            touch.turns_all();
        }
        touch
    }

    /// Notes the faces of a volume that a player may come against. Where it does all others are behind it, and no other volume is
    /// in the way everywhere.
    fn faces(&self, touch: &mut Touch, hull: &Hull, sides: &[Side], origins: &Bounds) {
        let Some(region) = hull.meets(sides, origins, CONTACT) else { return };
        for side in sides {
            let (normal, ahead) = (side.normal, side.greatest(&region));
            if ahead < -CONTACT || touch.knows(normal, &hull.bounds) {
                continue;
            }
            let mut at = region;
            side.narrow_back(&mut at, ahead + CONTACT);
            // What faces the same way must stand out, or two that lie in one plane would hide each other. Of two walls that are flush
            // the seam is met: an eighth of a unit before both, each is as near as the other, and rounding decides. Not so
            // on the ground: who is on it and does not fly has a velocity that leads off it.
            let within = |wall: &[Side]| {
                wall.iter().all(|side| {
                    let inside = if side.normal.dot(normal) > ALIKE {
                        -2.0 * CONTACT
                    } else if side.normal.z >= MIN_WALK_NORMAL && !self.flies {
                        CONTACT
                    } else {
                        APART
                    };
                    side.greatest(&at) <= inside
                })
            };
            let covers = |(wall, sides): (&Hull, &[Side])| {
                !std::ptr::eq(wall, hull) && wall.spans(&at, CONTACT) && within(sides)
            };
            if self.walls.count() <= MOST_COVERING && self.walls.all().any(covers) {
                continue;
            }
            touch.plane(normal);
            if normal.z < STRAIGHT - 1.0 {
                touch.ceiling(hull.bounds.mins.z);
            }
            if normal.z >= MIN_WALK_NORMAL {
                touch.step(hull.bounds.maxs.z);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec3;

    #[test]
    fn no_landing_on_a_slope_turns_more_than_is_told() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut closest = f32::INFINITY;
        for _ in 0..20_000 {
            let mut any = || rng.f32() * 2.0 - 1.0;
            let slope = vec3(any() * 0.7, any() * 0.7, 1.0).normalized();
            let (level, fall) = (vec3(any() * 400.0, any() * 400.0, 0.0), any().abs() * 400.0);
            if slope.z < MIN_WALK_NORMAL || slope.z > 1.0 - STRAIGHT {
                continue;
            }
            let falls = level - vec3(0.0, 0.0, fall);
            let along = falls - slope * falls.dot(slope);
            let lands = along.normalized() * falls.length();
            let aside = Touch::of(&[slope]).slopes_take(level, 0.0, level.length(), fall);
            // In the plane and level, which leads across the slope.
            let across = vec3(-slope.y, slope.x, 0.0).normalized();
            let turned = lands.dot(across).abs();
            let told = level.dot(across).abs().hypot(fall).hypot(aside);
            closest = closest.min(told / turned);
            assert!(turned <= told + 0.1, "{slope:?} {falls:?}: {turned}, {told}");
        }
        assert!(closest < 1.05, "{closest}");
    }

    #[test]
    fn ground_and_a_low_ceiling_pinch_and_a_high_one_does_not() {
        let pinched = |ceiling: f32| {
            let mut touch = Touch::of(&[vec3(0.0, 0.0, 1.0), vec3(0.0, 0.0, -1.0)]);
            touch.step(0.0);
            touch.ceiling(ceiling);
            touch.sticks()
        };
        assert_eq!([30.0, 60.0, 74.0, 80.0].map(pinched), [false, true, true, false]);
    }
}
