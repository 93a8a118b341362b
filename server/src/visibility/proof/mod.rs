//! Proofs that something is hidden: for *every* line from one box to another, not for some.
//!
//! In: two boxes, where eyes may be and where bodies may be. Out: how it was proved that light comes from no point of the one to
//! any point of the other, or nothing. "Nothing" says nothing: it may be hidden all the same. Nothing here knows players, time
//! or doors; only the map's own brushes hide. Curved surfaces do not, as far as proofs go. Of a box of eyes it speaks of those
//! that light comes to ([`Prover::is_lit`]): the rest of the box may lie in a wall.
//!
//! Three kinds of proof complete each other. *One volume* ([`Solid`]): a brush, a leaf that is dark or a box grown over the seams
//! of brushes meets every segment between the corners, so every line. *Sealed*: no chain of portals within the hull of both
//! boxes joins them. *Crooked*: chains do, but no one line passes any ([`Flow`]); that takes much longer to find, so it may be
//! looked for bit by bit. All of it is made of the map at load; no file is needed. `server/docs/proofs.md` has the theorems.

mod cleave;
mod cracks;
mod dark;
mod flood;
mod flow;
mod grown;
mod solids;
mod tree;
#[cfg(test)]
pub(in crate::visibility) mod walls;
mod winding;

pub use flood::Space;
pub use flow::{Flow, Flowing};
pub use solids::Solid;

use dark::{Media, Medium};
use flood::{Cells, Shaft};
use fogline_common::collision::{ClipMap, Occluder};
use fogline_common::math::{Bounds, Plane, Vec3};
use solids::{Corners, Solids};
use std::sync::Arc;
use tree::Openings;

/// How something was proved to be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// One volume hides all of it.
    By(Solid),
    /// No chain of portals leads there.
    Sealed,
    /// No line passes any chain of portals that leads there.
    Crooked,
}

/// What was made of a map, for logs and tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Cells that light can be in.
    pub cells: usize,
    /// Portals between them.
    pub portals: usize,
    /// Those of them that are cracks: where solids touch by no more than their edges.
    pub cracks: usize,
    /// Leafs that light cannot come to.
    pub dark_leafs: usize,
    /// Leafs without a cluster that light comes to.
    pub lit_leafs: usize,
    /// Brushes that hide.
    pub brushes: usize,
    /// Boxes grown over seams.
    pub boxes: usize,
}

/// Proves that boxes of a map are hidden from each other. Made once a map; asked by any number of threads.
pub struct Prover {
    clip: Arc<ClipMap>,
    /// Nothing is claimed outside of this.
    world: Bounds,
    /// Shape: by leaf.
    media: Vec<Medium>,
    cells: Cells,
    cell_count: usize,
    solids: Solids,
    /// Shape: by brush.
    of_brush: Vec<Option<Solid>>,
    /// Volumes that reach into a leaf, in spans, brushes first. Shape: by leaf, and one more for the end.
    first_of_leaf: Vec<u32>,
    of_leafs: Vec<Solid>,
    inventory: Inventory,
}

/// Bullets pass through what they enter by less than 1/8. Moved aside by so much at each such place they pass through none, and never
/// leave the hull of two boxes that are larger by it. Unit: world units.
const SKIN: f32 = 0.25;
/// Boxes are looked up a little larger, so that no leaf is missed that they border on. Unit: world units.
const LOOK_UP: f32 = 0.1;
/// Proofs may be asked for this far outside the map. Unit: world units.
const MARGIN: f32 = 256.0;
/// Volumes that one question tries; the line between the middles meets few more.
const MOST_TRIED: usize = 48;

impl Prover {
    /// Makes it from the map. Takes no more than about a second for the largest maps.
    pub fn build(clip: Arc<ClipMap>) -> Self {
        let world = clip.model_bounds(0).unwrap_or(Bounds::POINT).grown(MARGIN);
        let openings = tree::openings(&clip, &world);
        let sound = openings.is_some();
        let openings = openings.unwrap_or_default();
        let media = Media::of(&clip, &openings);
        let mut solids = Solids::default();
        let mut of_brush = vec![None; clip.brush_count()];
        for occluder in openings.leafs.iter().flat_map(|&leaf| clip.occluders_in(leaf)) {
            if of_brush[occluder.index()].is_none() {
                of_brush[occluder.index()] = solids.add_brush(&clip, occluder);
            }
        }
        let brushes = solids.len();
        let mut in_leafs = dark_cells(&media, &openings, &mut solids);
        for &leaf in &openings.leafs {
            let brushes = clip.occluders_in(leaf).filter_map(|occluder| of_brush[occluder.index()]);
            in_leafs.extend(brushes.map(|solid| (leaf.index() as u32, solid)));
        }
        let boxes = if sound { grown::boxes(&clip, &media, &openings) } else { Vec::new() };
        for bounds in &boxes {
            let Some(solid) = solids.add_box(bounds) else { continue };
            clip.each_leaf_touched(bounds, &mut |leaf| {
                in_leafs.push((leaf.index() as u32, solid));
                true
            });
        }
        in_leafs.sort_unstable();
        in_leafs.dedup();
        let first_of_leaf = (0..=clip.leaf_count() as u32)
            .map(|leaf| in_leafs.partition_point(|&(of, _)| of < leaf) as u32)
            .collect();
        let cells = Cells::new(&clip, &media, &openings);
        let inventory = Inventory {
            cells: media.cell_count,
            portals: cells.gap_count(),
            cracks: cells.crack_count,
            dark_leafs: media.of_leaf.iter().filter(|&&medium| medium == Medium::Dark).count(),
            lit_leafs: media.cell_count - clip.cluster_count(),
            brushes,
            boxes: boxes.len(),
        };
        Self {
            world: if sound { world } else { Bounds::EMPTY },
            cells,
            cell_count: media.cell_count,
            media: media.of_leaf,
            solids,
            of_brush,
            first_of_leaf,
            of_leafs: in_leafs.into_iter().map(|(_, solid)| solid).collect(),
            inventory,
            clip,
        }
    }

    /// What was made of the map.
    pub fn inventory(&self) -> Inventory {
        self.inventory
    }

    /// Whether light comes to this place: proofs speak of eyes in such places alone.
    pub fn is_lit(&self, eye: Vec3) -> bool {
        matches!(self.media[self.clip.leaf_at(eye).index()], Medium::Open(_))
    }

    /// The volume of a brush, if it takes part in proofs.
    pub fn solid_of(&self, occluder: Occluder) -> Option<Solid> {
        self.of_brush.get(occluder.index()).copied().flatten()
    }

    /// Whether this one volume hides all of `bodies` from all of `eyes`.
    pub fn hides(&self, solid: Solid, eyes: &Bounds, bodies: &Bounds) -> bool {
        self.is_asked_within(eyes, bodies)
            && self.solids.hides(solid, &Corners::of(eyes), &Corners::of(bodies))
    }

    /// A proof that all of `bodies` is hidden from all of `eyes`.
    pub fn prove(&self, eyes: &Bounds, bodies: &Bounds, space: &mut Space) -> Option<Proof> {
        self.find_solid(eyes, bodies)
            .map(Proof::By)
            .or_else(|| self.is_sealed(eyes, bodies, space).then_some(Proof::Sealed))
    }

    /// One volume that hides all of `bodies` from all of `eyes`. It must stop the line between their middles, so those that do
    /// are tried.
    pub fn find_solid(&self, eyes: &Bounds, bodies: &Bounds) -> Option<Solid> {
        if !self.is_asked_within(eyes, bodies) {
            return None;
        }
        let (near, far) = (Corners::of(eyes), Corners::of(bodies));
        let (from, to) = (eyes.center(), bodies.center());
        let mut tried = [None; MOST_TRIED];
        let mut count = 0;
        let mut found = None;
        let mut attempt = |solid: Solid| {
            if self.solids.is_beside(solid, from, to) || tried[..count].contains(&Some(solid)) {
                return true;
            }
            if self.solids.hides(solid, &near, &far) {
                found = Some(solid);
                return false;
            }
            if count == MOST_TRIED {
                return false;
            }
            tried[count] = Some(solid);
            count += 1;
            true
        };
        self.clip.each_leaf_on_way(from, to, &mut |leaf| {
            let span =
                self.first_of_leaf[leaf.index()] as usize..self.first_of_leaf[leaf.index() + 1] as usize;
            self.of_leafs[span].iter().copied().all(&mut attempt)
        });
        found
    }

    /// Whether no chain of portals within the hull of both joins them, where both are larger by [`SKIN`].
    pub fn is_sealed(&self, eyes: &Bounds, bodies: &Bounds, space: &mut Space) -> bool {
        let (eyes, bodies) = (&eyes.grown(SKIN), &bodies.grown(SKIN));
        if !self.is_asked_within(eyes, bodies) {
            return false;
        }
        space.begin(self.cell_count);
        let mut apart = true;
        self.each_cell(eyes, |cell| {
            space.start(cell);
            true
        });
        self.each_cell(bodies, |cell| {
            apart = space.forbid(cell);
            apart
        });
        apart && self.cells.keeps_apart(&Shaft::new(eyes, bodies), space)
    }

    /// Begins to follow the lines from one box to the other. False if it is clear that nothing will be proved.
    pub fn begin_flow(&self, eyes: &Bounds, bodies: &Bounds, flow: &mut Flow) -> bool {
        if !self.is_asked_within(eyes, bodies) {
            return false;
        }
        flow.begin(&self.cells, self.cell_count, eyes, bodies);
        self.each_cell(&eyes.grown(SKIN), |cell| {
            flow.start(cell);
            true
        });
        self.each_cell(&bodies.grown(SKIN), |cell| flow.end(cell))
    }

    /// Goes on with a flow that was begun, for so many steps. In all it makes no more than a certain number.
    pub fn run_flow(&self, flow: &mut Flow, steps: u32) -> Flowing {
        flow.run(&self.cells, steps)
    }

    /// Whether no line passes any chain of portals that joins the boxes: a whole flow.
    pub fn is_crooked(&self, eyes: &Bounds, bodies: &Bounds, flow: &mut Flow) -> bool {
        self.begin_flow(eyes, bodies, flow) && self.run_flow(flow, u32::MAX) == Flowing::Apart
    }

    /// Calls with each cell that a box touches, and some more than once, until it says false. False if it did.
    fn each_cell(&self, bounds: &Bounds, mut visit: impl FnMut(u32) -> bool) -> bool {
        self.clip.each_leaf_touched(&bounds.grown(LOOK_UP), &mut |leaf| match self.media[leaf.index()] {
            Medium::Open(cell) => visit(cell),
            Medium::Dark => true,
        })
    }

    /// Nothing is claimed of places outside the map, nor of those that are no places.
    fn is_asked_within(&self, eyes: &Bounds, bodies: &Bounds) -> bool {
        let within = |bounds: &Bounds| self.world.contains(bounds.mins) && self.world.contains(bounds.maxs);
        within(eyes) && within(bodies)
    }
}

impl std::fmt::Debug for Prover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inventory.fmt(f)
    }
}

/// Adds the dark leafs as volumes; in which leaf each is.
fn dark_cells(media: &Media, openings: &Openings, solids: &mut Solids) -> Vec<(u32, Solid)> {
    let mut sides: Vec<Vec<Plane>> = vec![Vec::new(); media.of_leaf.len()];
    let is_dark = |leaf: u32| media.of_leaf[leaf as usize] == Medium::Dark;
    for opening in &openings.all {
        for (side, leaf) in opening.leafs.into_iter().enumerate().filter(|&(_, leaf)| is_dark(leaf)) {
            let (normal, dist) =
                (Vec3::from(opening.plane.normal.map(|part| part as f32)), opening.plane.dist as f32);
            // The leaf in front of the plane lies behind the plane turned round.
            let plane =
                if side == 0 { Plane { normal: -normal, dist: -dist } } else { Plane { normal, dist } };
            if !sides[leaf as usize].contains(&plane) {
                sides[leaf as usize].push(plane);
            }
        }
    }
    let cells = sides.iter().enumerate().filter(|(_, planes)| !planes.is_empty());
    cells.filter_map(|(leaf, planes)| Some((leaf as u32, solids.add(planes)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::walls::{Wall, map, wedges};
    use super::*;
    use fogline_common::collision::Light;
    use fogline_common::math::vec3;
    use fogline_common::proto::{contents, mask, surface};
    use fogline_common::trace::TraceRequest;

    const STONE: Wall = Wall { contents: contents::SOLID, surface_flags: 0, until_y: 600.0, cluster: None };

    /// Whether one volume hides hall 1 from hall 0, and whether they are sealed from each other, about this y.
    fn claims(wall: Wall, y: f32) -> (bool, bool) {
        let clip = map(wall);
        let prover = Prover::build(clip.clone());
        let [eyes, bodies] = [-100.0, 100.0].map(|x| Bounds::POINT.grown(20.0).translated(vec3(x, y, 0.0)));
        let found = prover.find_solid(&eyes, &bodies);
        let open = clip.light(eyes.center(), bodies.center()) == Light::Passes;
        assert!(!open || found.is_none());
        (found.is_some(), prover.is_sealed(&eyes, &bodies, &mut Space::default()))
    }

    #[test]
    fn a_wall_between_two_halls_hides_and_seals() {
        assert_eq!(claims(STONE, 0.0), (true, true));
    }

    #[test]
    fn a_leaf_without_a_cluster_is_no_wall_by_that_alone() {
        for contents in [contents::PLAYERCLIP, contents::WATER, contents::SOLID | contents::TRANSLUCENT] {
            assert_eq!(claims(Wall { contents, ..STONE }, 0.0), (false, false), "{contents:#x}");
        }
        assert_eq!(claims(Wall { surface_flags: surface::NODRAW, ..STONE }, 0.0), (false, false));
    }

    #[test]
    fn the_sky_hides_nothing() {
        assert_eq!(claims(Wall { surface_flags: surface::SKY, ..STONE }, 0.0), (false, false));
    }

    #[test]
    fn a_wall_that_fills_half_its_leaf_hides_behind_that_half() {
        let half = Wall { until_y: 0.0, ..STONE };
        assert_eq!(claims(half, -100.0), (true, true));
        assert_eq!(claims(half, 100.0), (false, false));
        assert_eq!(claims(half, 0.0), (false, false), "on the edge");
        assert_eq!(claims(half, -19.0), (false, false), "a body's side looks past it");
    }

    #[test]
    fn where_wedges_meet_tip_to_tip_there_is_a_crack() {
        let clip = wedges();
        let prover = Prover::build(clip.clone());
        let [below, above] = [vec3(0.0, 40.0, -100.0), vec3(0.0, -40.0, 100.0)];
        let bullet = clip.trace(&TraceRequest::ray(below, above, mask::SOLID, None));
        assert_eq!(bullet.fraction, 1.0, "a bullet passes between the tips");
        let seals = |eye: Vec3, body: Vec3| {
            let [eyes, bodies] = [eye, body].map(|at| Bounds::POINT.grown(5.0).translated(at));
            prover.is_sealed(&eyes, &bodies, &mut Space::default())
        };
        assert!(prover.inventory().cracks > 0 && !seals(below, above));
        assert!(seals(vec3(0.0, 300.0, -250.0), vec3(0.0, 300.0, 100.0)), "the slabs themselves have none");
        // The wall between two halls has edges too, but nothing that touches by them.
        assert_eq!(Prover::build(map(STONE)).inventory().cracks, 0);
    }

    #[test]
    fn a_line_through_a_crack_is_followed_and_others_are_not() {
        let prover = Prover::build(wedges());
        let is_crooked = |eye: Vec3, body: Vec3| {
            let [eyes, bodies] = [eye, body].map(|at| Bounds::POINT.grown(5.0).translated(at));
            prover.is_crooked(&eyes, &bodies, &mut Flow::default())
        };
        assert!(!is_crooked(vec3(0.0, 40.0, -100.0), vec3(0.0, -40.0, 100.0)), "past the tips");
        assert!(is_crooked(vec3(0.0, 300.0, -250.0), vec3(0.0, 300.0, 100.0)), "through a slab");
    }

    #[test]
    fn a_cluster_number_inside_of_a_wall_does_not_open_it() {
        // Such pockets are there on real maps. The brush hides as before; whether they are sealed is not claimed lightly.
        assert_eq!(claims(Wall { cluster: Some(2), ..STONE }, 0.0), (true, true));
    }

    #[test]
    fn nothing_is_claimed_outside_of_the_map_or_of_no_place_at_all() {
        let prover = Prover::build(map(STONE));
        let at = |x: f32| Bounds::POINT.translated(vec3(x, 0.0, 0.0));
        let mut space = Space::default();
        let mut flow = Flow::default();
        assert!(prover.prove(&at(-100.0), &at(100.0), &mut space).is_some());
        assert!(prover.is_crooked(&at(-100.0), &at(100.0), &mut flow));
        assert!(!prover.is_crooked(&at(-100.0), &at(9000.0), &mut flow));
        assert!(!prover.is_crooked(&at(f32::NAN), &at(100.0), &mut flow));
        assert_eq!(prover.prove(&at(-100.0), &at(9000.0), &mut space), None);
        assert_eq!(prover.prove(&at(f32::NAN), &at(100.0), &mut space), None);
        assert!(prover.is_lit(vec3(-100.0, 0.0, 0.0)) && !prover.is_lit(Vec3::ZERO));
    }

    #[test]
    fn the_maps_own_pvs_is_not_believed() {
        // Hall 0 sees hall 2 along an open line, whatever the rows of the map say.
        let halls = crate::visibility::halls::Halls::new();
        let prover = Prover::build(halls.world.clip_map().clone());
        let [eyes, bodies] =
            [0, 2].map(|hall| Bounds::POINT.translated(crate::visibility::halls::middle(hall)));
        assert!(!halls.world.clip_map().pvs(Some(fogline_common::ids::ClusterNum::new(0)))[2]);
        assert_eq!(prover.prove(&eyes, &bodies, &mut Space::default()), None);
        assert!(!prover.is_crooked(&eyes, &bodies, &mut Flow::default()));
    }
}
