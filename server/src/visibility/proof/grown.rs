//! Boxes as large as fit into what light cannot enter, grown over the seams between brushes and into the void behind them.
//!
//! A wall is many brushes, and the lines to one target often cross several of them; one box through all of them hides what
//! none of them does alone.

use super::dark::{Media, Medium};
use super::tree::Openings;
use super::winding::to_vec3;
use fogline_common::collision::{ClipMap, Occluder, axial_planes};
use fogline_common::math::Bounds;

/// More boxes are not kept. The largest installed map has about half as many.
const MOST: usize = 4096;
/// Questions to the tree that growing may cost a map: what bounds the time that a load takes. About a second.
const MOST_QUESTIONS: u32 = 1_500_000;
/// What grows by less on every side is not worth keeping beside the brush that it began as. Unit: world units.
const WORTH: f32 = 8.0;
/// A side moves out in steps of this, halved from the longest on. Unit: world units.
const FINEST: f32 = 1.0;
const LONGEST: f32 = 1024.0;
/// Orders in which sides are moved out, as axis times two plus one for the upper side.
const ORDERS: [[usize; 6]; 2] = [[0, 1, 2, 3, 4, 5], [4, 5, 2, 3, 0, 1]];

/// The boxes, largest first.
pub(super) fn boxes(clip: &ClipMap, media: &Media, openings: &Openings) -> Vec<Bounds> {
    let of_leaf = leaf_bounds(media.of_leaf.len(), openings);
    let mut seeds = seeds(clip, media, openings, &of_leaf);
    seeds.sort_by(|a, b| volume(b).total_cmp(&volume(a)));
    let mut grower = Grower { clip, media, of_leaf: &of_leaf, questions: 0 };
    let mut found: Vec<Bounds> = Vec::new();
    for seed in seeds {
        if grower.questions > MOST_QUESTIONS || found.len() >= MOST {
            break;
        }
        // What lies in a box that is there already would grow into about the same.
        if found.iter().any(|bounds| bounds.encloses(&seed)) {
            continue;
        }
        for order in ORDERS {
            let grown = grower.grow(seed, order);
            let gain = (grown.size() - seed.size()).to_array().into_iter().fold(0.0, f32::max);
            if gain >= WORTH && !found.iter().any(|bounds| bounds.encloses(&grown)) {
                found.push(grown);
            }
        }
    }
    found
}

/// Leafs that light cannot enter and brushes that stop light, if they are boxes.
fn seeds(clip: &ClipMap, media: &Media, openings: &Openings, of_leaf: &[Bounds]) -> Vec<Bounds> {
    let mut axial = vec![true; of_leaf.len()];
    for opening in &openings.all {
        for leaf in opening.leafs.map(|leaf| leaf as usize) {
            axial[leaf] &= opening.plane.normal.iter().any(|part| part.abs() == 1.0);
        }
    }
    let closed = |leaf: &usize| axial[*leaf] && media.of_leaf[*leaf] == Medium::Dark;
    let mut seeds: Vec<Bounds> = (0..of_leaf.len()).filter(closed).map(|leaf| of_leaf[leaf]).collect();
    let mut brushes: Vec<Occluder> =
        openings.leafs.iter().flat_map(|&leaf| clip.occluders_in(leaf)).collect();
    brushes.sort_unstable_by_key(|brush| brush.index());
    brushes.dedup();
    let is_box =
        |brush: &Occluder| clip.occluder_planes(*brush).count() == axial_planes(&Bounds::POINT).len();
    seeds.extend(brushes.into_iter().filter(is_box).map(|brush| clip.occluder_bounds(brush)));
    seeds.retain(|bounds| bounds.size().to_array().into_iter().all(|side| side >= FINEST));
    seeds
}

/// Box around each leaf.
fn leaf_bounds(leaf_count: usize, openings: &Openings) -> Vec<Bounds> {
    let mut bounds = vec![Bounds::EMPTY; leaf_count];
    let sides = openings.all.iter().flat_map(|opening| opening.leafs.map(|leaf| (&opening.winding, leaf)));
    for (winding, leaf) in sides.chain(openings.rim.iter().map(|(winding, leaf)| (winding, *leaf))) {
        let around = &mut bounds[leaf as usize];
        *around = winding.points.iter().map(to_vec3).fold(*around, Bounds::including);
    }
    bounds
}

struct Grower<'m> {
    clip: &'m ClipMap,
    media: &'m Media,
    /// Shape: by leaf.
    of_leaf: &'m [Bounds],
    questions: u32,
}

impl Grower<'_> {
    /// Moves each side out as far as no light comes into the box.
    fn grow(&mut self, mut bounds: Bounds, order: [usize; 6]) -> Bounds {
        for side in order {
            let mut step = FINEST;
            // Most sides border on open space and do not move at all.
            while step <= LONGEST && self.moves(&mut bounds, side, step) {
                step *= 2.0;
            }
            while step > FINEST {
                step *= 0.5;
                self.moves(&mut bounds, side, step);
            }
        }
        bounds
    }

    /// Moves one side out by a step if no light comes to what is added.
    fn moves(&mut self, bounds: &mut Bounds, side: usize, step: f32) -> bool {
        let (axis, upper) = (side / 2, side % 2 == 1);
        let mut added = *bounds;
        let mut grown = *bounds;
        if upper {
            added.mins[axis] = bounds.maxs[axis];
            added.maxs[axis] += step;
            grown.maxs[axis] += step;
        } else {
            added.maxs[axis] = bounds.mins[axis];
            added.mins[axis] -= step;
            grown.mins[axis] -= step;
        }
        let fits = self.is_closed(&added);
        if fits {
            *bounds = grown;
        }
        fits
    }

    /// Whether no light comes into a box: each leaf that it reaches into is dark, or one brush covers what it has of that leaf.
    fn is_closed(&mut self, bounds: &Bounds) -> bool {
        self.questions += 1;
        let Self { clip, media, of_leaf, .. } = *self;
        clip.each_leaf_touched(bounds, &mut |leaf| {
            let own = &of_leaf[leaf.index()];
            let part = Bounds::new(bounds.mins.max(own.mins), bounds.maxs.min(own.maxs));
            let misses = (0..3).any(|axis| part.mins[axis] > part.maxs[axis]);
            misses
                || media.of_leaf[leaf.index()] == Medium::Dark
                || clip.occluders_in(leaf).any(|brush| covers(clip, brush, &part))
        })
    }
}

/// Whether a brush covers a box.
fn covers(clip: &ClipMap, brush: Occluder, bounds: &Bounds) -> bool {
    clip.occluder_bounds(brush).encloses(bounds)
        && clip.occluder_planes(brush).all(|plane| {
            let farthest = |axis: usize| {
                let normal = plane.normal[axis];
                (bounds.mins[axis] * normal).max(bounds.maxs[axis] * normal)
            };
            farthest(0) + farthest(1) + farthest(2) <= plane.dist
        })
}

fn volume(bounds: &Bounds) -> f32 {
    let size = bounds.size();
    size.x * size.y * size.z
}
