//! The broad phase of a shot: which players' boxes it can meet at all, asked of all 64 at once.
//!
//! In: the box around each player's last moments, and a way or a cone of ways. Out: a bit for each player that is near. It errs on
//! the side of more. Boxes lie axis by axis, so that one pass of vector instructions asks four or eight of them.

use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::trace::TraceRequest;

/// What is this near counts as met. Unit: world units.
const NEAR: f32 = 1.0;
/// Rays that part further than this (cosine to their mean) make no cone.
const WIDEST_COSINE: f32 = 0.5;
/// Less of a way along an axis than this counts as this much, so that it can be divided by.
const LEAST_WAY: f32 = 1e-6;

/// A box for each player.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// Shape: by axis, then by client. Unit: world units.
    low: [[f32; MAX_CLIENTS]; 3],
    high: [[f32; MAX_CLIENTS]; 3],
}

impl Boxes {
    /// Nobody is anywhere.
    pub const EMPTY: Self =
        Self { low: [[f32::INFINITY; MAX_CLIENTS]; 3], high: [[f32::NEG_INFINITY; MAX_CLIENTS]; 3] };

    /// A player's box.
    pub fn get(&self, client: ClientNum) -> Bounds {
        let n = client.index();
        let corner = |side: &[[f32; MAX_CLIENTS]; 3]| Vec3::new(side[0][n], side[1][n], side[2][n]);
        Bounds { mins: corner(&self.low), maxs: corner(&self.high) }
    }

    /// Makes a player's box so large that it holds `bounds` too.
    pub fn include(&mut self, client: ClientNum, bounds: &Bounds) {
        let n = client.index();
        for axis in 0..3 {
            self.low[axis][n] = self.low[axis][n].min(bounds.mins[axis]);
            self.high[axis][n] = self.high[axis][n].max(bounds.maxs[axis]);
        }
    }

    /// Players whose box a sweep comes near, a bit each.
    pub fn met_by(&self, way: &Way) -> u64 {
        let (mut enter, mut leave) = ([0.0f32; MAX_CLIENTS], [1.0f32; MAX_CLIENTS]);
        for axis in 0..3 {
            let inverse = way.inverse[axis];
            let (low_from, high_from) =
                (way.start[axis] + way.grown_low[axis], way.start[axis] - way.grown_high[axis]);
            let (near, near_from, far, far_from) = if inverse > 0.0 {
                (&self.low[axis], low_from, &self.high[axis], high_from)
            } else {
                (&self.high[axis], high_from, &self.low[axis], low_from)
            };
            for n in 0..MAX_CLIENTS {
                let (a, b) = ((near[n] - near_from) * inverse, (far[n] - far_from) * inverse);
                enter[n] = if a > enter[n] { a } else { enter[n] };
                leave[n] = if b < leave[n] { b } else { leave[n] };
            }
        }
        bits(|n| enter[n] <= leave[n])
    }

    /// Players whose box comes near a cone, a bit each.
    pub fn in_cone(&self, cone: &Cone) -> u64 {
        let mut spare = [0.0f32; MAX_CLIENTS];
        for (n, spare) in spare.iter_mut().enumerate() {
            let (mut along, mut square, mut size) = (0.0f32, 0.0f32, 0.0f32);
            for axis in 0..3 {
                let (low, high) = (self.low[axis][n], self.high[axis][n]);
                let (middle, extent) = ((low + high) * 0.5 - cone.start[axis], high - low);
                along += middle * cone.axis[axis];
                square += middle * middle;
                size += extent * extent;
            }
            let radius = size.sqrt() * 0.5 + NEAR;
            let aside = (square - along * along).max(0.0).sqrt();
            // A point of the cone that is within the radius lies at most `along + radius` down the axis.
            let room = (along + radius) * cone.tangent + radius - aside;
            *spare = room.min(along + radius).min(cone.length + radius - along);
        }
        // An empty box makes no number, which is not more than anything.
        bits(|n| spare[n] >= 0.0)
    }
}

/// A set of those that `is` says yes to.
fn bits(is: impl Fn(usize) -> bool) -> u64 {
    let mut set = 0;
    for group in 0..MAX_CLIENTS / 8 {
        let mut byte = 0u8;
        for n in 0..8 {
            byte |= u8::from(is(group * 8 + n)) << n;
        }
        set |= u64::from(byte) << (group * 8);
    }
    set
}

const _: () = assert!(MAX_CLIENTS == 64, "a set of players is a word of 64 bits");

/// The players of a set, ascending.
pub fn players(mut set: u64) -> impl Iterator<Item = ClientNum> {
    std::iter::from_fn(move || {
        let first = ClientNum::new(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// A sweep as the broad phase sees it: a line that is tested against boxes.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    start: Vec3,
    /// One over the way along each axis.
    inverse: Vec3,
    /// What the swept box adds to each side.
    grown_low: Vec3,
    grown_high: Vec3,
}

impl Way {
    /// A sweep that comes as far as `end`.
    pub fn new(request: &TraceRequest, end: Vec3) -> Self {
        let inverse = |axis: usize| {
            let way = end[axis] - request.start[axis];
            1.0 / if way.abs() < LEAST_WAY { LEAST_WAY } else { way }
        };
        Self {
            start: request.start,
            inverse: Vec3::new(inverse(0), inverse(1), inverse(2)),
            grown_low: request.bounds.maxs + Vec3::splat(NEAR),
            grown_high: Vec3::splat(NEAR) - request.bounds.mins,
        }
    }

    /// Whether it comes near a box.
    pub fn meets(&self, bounds: &Bounds) -> bool {
        let (mut enter, mut leave) = (0.0f32, 1.0f32);
        for axis in 0..3 {
            let low = (bounds.mins[axis] - self.grown_low[axis] - self.start[axis]) * self.inverse[axis];
            let high = (bounds.maxs[axis] + self.grown_high[axis] - self.start[axis]) * self.inverse[axis];
            enter = enter.max(low.min(high));
            leave = leave.min(low.max(high));
        }
        enter <= leave
    }
}

/// All rays of one shot at once.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    start: Vec3,
    axis: Vec3,
    /// Of half its angle.
    tangent: f32,
    length: f32,
}

impl Cone {
    /// The cone that holds all of `rays`. `None` if they are no rays, do not begin together, or part too far.
    pub fn around(rays: &[TraceRequest]) -> Option<Self> {
        let start = rays.first()?.start;
        let together = rays.iter().all(|ray| ray.start == start && ray.bounds == Bounds::POINT);
        let axis = rays.iter().fold(Vec3::ZERO, |sum, ray| sum + (ray.end - start).normalized()).normalized();
        let (mut cosine, mut length) = (1.0f32, 0.0f32);
        for ray in rays {
            cosine = cosine.min((ray.end - start).normalized().dot(axis));
            length = length.max((ray.end - start).length());
        }
        (together && cosine > WIDEST_COSINE).then(|| {
            let tangent = (1.0 - cosine * cosine).max(0.0).sqrt() / cosine;
            Self { start, axis, tangent, length }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::collision::trace_box;
    use fogline_common::math::vec3;
    use fogline_common::proto::contents;

    fn scattered(rng: &mut fastrand::Rng) -> Boxes {
        let mut boxes = Boxes::EMPTY;
        for client in ClientNum::all(MAX_CLIENTS).filter(|client| client.index() % 7 != 3) {
            let at = vec3(rng.f32() * 2000.0, rng.f32() * 2000.0, rng.f32() * 300.0);
            let size = vec3(30.0 + rng.f32() * 200.0, 30.0 + rng.f32() * 200.0, 56.0);
            boxes.include(client, &Bounds { mins: at, maxs: at + size });
        }
        boxes
    }

    fn ray(rng: &mut fastrand::Rng) -> TraceRequest {
        let mut point = || vec3(rng.f32() * 2000.0, rng.f32() * 2000.0, rng.f32() * 300.0);
        TraceRequest::ray(point(), point(), contents::BODY, None)
    }

    fn touched(boxes: &Boxes, ray: &TraceRequest) -> u64 {
        let hit = |client: &ClientNum| trace_box(&boxes.get(*client), Vec3::ZERO, contents::BODY, ray).hit();
        ClientNum::all(MAX_CLIENTS).filter(hit).fold(0, |set, client| set | 1 << client.index())
    }

    #[test]
    fn the_broad_phase_lets_no_touched_box_go_and_few_others_stay() {
        let mut rng = fastrand::Rng::with_seed(4);
        let (mut met, mut hit) = (0, 0);
        for _ in 0..500 {
            let boxes = scattered(&mut rng);
            let mut ray = ray(&mut rng);
            if rng.bool() {
                ray.end.z = ray.start.z;
            }
            let near = boxes.met_by(&Way::new(&ray, ray.end));
            let touched = touched(&boxes, &ray);
            assert_eq!(touched & !near, 0, "seed 4: {ray:?}");
            for client in ClientNum::all(MAX_CLIENTS).filter(|client| client.index() % 7 != 3) {
                let alone = Way::new(&ray, ray.end).meets(&boxes.get(client));
                assert_eq!(alone, near >> client.index() & 1 != 0, "seed 4: {ray:?} {client}");
            }
            (met, hit) = (met + near.count_ones(), hit + touched.count_ones());
        }
        assert!(hit > 200 && met < hit * 12 / 10, "{met} met, {hit} hit");
    }

    #[test]
    fn a_cone_holds_whoever_one_of_its_rays_touches() {
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut met, mut hit) = (0, 0);
        for _ in 0..500 {
            let boxes = scattered(&mut rng);
            let middle = ray(&mut rng);
            let spread = (middle.end - middle.start).length() * 0.08;
            let mut aside = || (rng.f32() - 0.5) * 2.0 * spread;
            let rays: Vec<TraceRequest> = (0..11)
                .map(|_| TraceRequest { end: middle.end + vec3(aside(), aside(), aside()), ..middle })
                .collect();
            let near = boxes.in_cone(&Cone::around(&rays).expect("they are near one another"));
            let touched = rays.iter().fold(0, |set, ray| set | touched(&boxes, ray));
            assert_eq!(touched & !near, 0, "seed 5: {rays:?}");
            (met, hit) = (met + near.count_ones(), hit + touched.count_ones());
        }
        assert!(hit > 500 && met < hit * 4, "{met} met, {hit} hit");
    }

    #[test]
    fn nobody_is_met_where_nobody_is_and_rays_that_part_make_no_cone() {
        let ray = TraceRequest::ray(Vec3::ZERO, vec3(100.0, 0.0, 0.0), contents::BODY, None);
        let back = TraceRequest { end: vec3(-100.0, 1.0, 0.0), ..ray };
        assert_eq!(Boxes::EMPTY.met_by(&Way::new(&ray, ray.end)), 0);
        assert_eq!(Boxes::EMPTY.in_cone(&Cone::around(&[ray]).unwrap()), 0);
        assert!(Cone::around(&[ray, back]).is_none() && Cone::around(&[]).is_none());
        assert_eq!(players(1 << 63 | 0b101).map(ClientNum::index).collect::<Vec<_>>(), [0, 2, 63]);
    }
}
