//! The portal flow from one cluster: depth first along chains of portals, clipped by what the source can see through the last one.
//!
//! ```text
//!   source      pass          next
//!     |\         |             |
//!     | \________|_____________|__   planes that have the source behind and the pass in front bound
//!     | /        |             |     all lines through both; what they leave of the next portal is
//!     |/         |             |     the pass of the next step
//! ```
//!
//! A chain goes on while it may still lead to a wanted portal: one into a cluster of which it is not yet known whether the
//! source's cluster sees it. What is wanted shrinks as clusters come into sight and, chain by chain, by what lies outside the
//! planes. Reads only tables of earlier rounds, so the answer does not depend on who computes what first.

use super::bits::{self, BitTable};
use super::counters::Counters;
use super::graph::{PortalGraph, Slab};
use super::polygon::{Clip, ON_PLANE, Plane, Polygon};
use super::routes::Routes;
use super::separators::{MAX_SEPARATORS, Separators};

/// Longest chain that is followed; whatever a longer one may still reach counts as seen.
const MAX_CHAIN: usize = 256;

/// What is known before a round.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Clusters and portals.
    pub graph: &'a PortalGraph,
    /// Upper bound of what each portal sees, symmetric.
    pub might: &'a BitTable,
    /// Pairs of clusters proved to see each other, symmetric.
    pub sees: &'a BitTable,
    /// Clusters all of whose pairs are decided.
    pub finished: &'a [bool],
}

/// What one cluster's flow found out.
pub struct Found {
    /// Which cluster.
    pub cluster: usize,
    /// Clusters that it sees, of those that were undecided.
    pub sees: Vec<u64>,
    /// For portals of the cluster: columns that were looked for and cannot be seen through it.
    pub hidden: Vec<(usize, Vec<u64>)>,
    /// Work done.
    pub counters: Counters,
}

/// Room for chains; kept between flows so that nothing is allocated in the steady state.
#[derive(Default)]
pub struct Chains {
    steps: Vec<Step>,
    /// Columns that chains are followed for.
    wanted: Vec<u64>,
    spare: Polygon,
    back: Separators,
    routes: Routes,
    counters: Counters,
}

/// One portal of a chain.
#[derive(Default)]
struct Step {
    /// This step's portal.
    portal: usize,
    /// The next portal to try, and where to stop.
    next: usize,
    end: usize,
    /// The part of the source that can still look through the pass.
    source: Polygon,
    /// The part of this step's portal that the source sees.
    pass: Polygon,
    pass_plane: Plane,
    /// Nothing of the portal is cut off.
    whole: bool,
    planes: Separators,
    /// What all portals of the chain might see.
    might: Vec<u64>,
}

impl Chains {
    /// Decides all undecided pairs of one cluster.
    pub fn run(&mut self, known: &Known<'_>, cluster: usize) -> Found {
        let graph = known.graph;
        self.counters = Counters::default();
        let mut sees = vec![0; known.sees.words_per_row()];
        let mut hidden = Vec::new();
        let mut undecided = vec![0; known.might.words_per_row()];
        for other in 0..graph.cluster_count() {
            if !known.finished[other] && !known.sees.has(cluster, other) {
                bits::set_range(&mut undecided, graph.leaving(other));
            }
        }
        for portal in graph.leaving(cluster) {
            self.wanted.clear();
            self.wanted.extend(known.might.row(portal).iter().zip(&undecided).map(|(m, u)| m & u));
            if self.wanted.iter().any(|&w| w != 0) {
                self.follow(known, portal, &mut sees);
                if self.wanted.iter().any(|&w| w != 0) {
                    hidden.push((portal, self.wanted.clone()));
                }
            }
            for seen in bits::ones(&sees) {
                bits::clear_range(&mut undecided, graph.leaving(seen));
            }
        }
        Found { cluster, sees, hidden, counters: self.counters }
    }

    /// All chains from one portal.
    fn follow(&mut self, known: &Known<'_>, source: usize, sees: &mut [u64]) {
        let graph = known.graph;
        let portal = graph.portal(source);
        self.begin(known, source);
        let mut depth = 0;
        loop {
            let step = &mut self.steps[depth];
            if step.next == step.end {
                if depth == 0 {
                    return;
                }
                self.routes.finish(step.portal);
                depth -= 1;
                continue;
            }
            let next = step.next;
            step.next += 1;
            let through = graph.portal(next);
            if !bits::has(&step.might, through.twin as usize) {
                continue;
            }
            if depth + 1 == MAX_CHAIN {
                self.counters.chains_cut += 1;
                bits::ones(&self.wanted)
                    .for_each(|column| bits::set(sees, graph.portal(column).from as usize));
                self.wanted.fill(0);
                return;
            }
            self.reserve(depth + 1, known.might.words_per_row());
            if self.enter(known, source, depth, next) {
                bits::set(sees, through.to as usize);
                bits::clear_range(&mut self.wanted, graph.leaving(through.to as usize));
                let step = &self.steps[depth + 1];
                self.routes.enter(next, [&step.source, &step.pass], step.whole, &step.might);
                if self.open(known, &portal.plane, depth + 1, next) {
                    depth += 1;
                } else {
                    self.routes.finish(next);
                }
            }
        }
    }

    fn begin(&mut self, known: &Known<'_>, source: usize) {
        self.reserve(0, known.might.words_per_row());
        self.routes.begin(known.graph);
        let first = &mut self.steps[0];
        let next = known.graph.leaving(known.graph.portal(source).to as usize);
        (first.next, first.end) = (next.start, next.end);
        known.graph.winding(source, &mut first.source);
        first.planes.clear();
        first.might.copy_from_slice(known.might.row(source));
    }

    fn reserve(&mut self, depth: usize, words: usize) {
        while self.steps.len() <= depth {
            self.steps.push(Step::default());
        }
        self.steps[depth].might.resize(words, 0);
    }

    /// Whether a portal can be seen through the present step and may lead on to a wanted one; leaves its own step behind.
    fn enter(&mut self, known: &Known<'_>, source: usize, depth: usize, next: usize) -> bool {
        let source_plane = &known.graph.portal(source).plane;
        let portal = known.graph.portal(next);
        let (before, after) = self.steps.split_at_mut(depth + 1);
        let (step, into) = (&before[depth], &mut after[0]);
        self.counters.tests += 1;
        let Some(cuts) = cuts_of(&step.planes, known.graph.slab(next)) else {
            self.counters.spheres += 1;
            return false;
        };
        if !bits::and_into(&mut into.might, &step.might, known.might.row(next), &self.wanted) {
            return false;
        }
        let been = self.routes.with_all(next, &into.might);
        if been.as_ref().is_some_and(|been| been.had_whole(source_plane, &step.source)) {
            self.counters.repeats += 1;
            return false;
        }
        self.counters.clips += 1;
        known.graph.winding(next, &mut into.pass);
        into.whole = true;
        // Whole portals that face each other have a part in front of each other, or are the faces of a thin wedge: then they
        // are kept whole, here and where the source is cut.
        if source_plane.distance(portal.sphere.center) < portal.sphere.radius
            && into.pass.clip(source_plane, &mut self.spare) == Clip::Part
        {
            std::mem::swap(&mut into.pass, &mut self.spare);
            into.whole = false;
        }
        for (index, plane) in step.planes.planes().iter().enumerate() {
            if cuts >> index & 1 != 0 {
                if !into.pass.cut_down(plane, &mut self.spare) {
                    return false;
                }
                into.whole = false;
            }
        }
        into.source.copy_from(&step.source);
        let backwards = portal.plane.flipped();
        if !into.source.cut_down(&backwards, &mut self.spare)
            && known.graph.extent(source, &backwards).1 > ON_PLANE
        {
            return false;
        }
        if depth > 0 {
            self.back.find(&step.pass, &step.pass_plane, &into.pass, &portal.plane);
            for plane in self.back.planes() {
                if !into.source.cut_down(&plane.flipped(), &mut self.spare) {
                    return false;
                }
            }
        }
        into.pass_plane = portal.plane;
        let planes = [source_plane, &portal.plane];
        let repeats = been.is_some_and(|been| been.had(planes, [&into.source, &into.pass]));
        self.counters.repeats += u64::from(repeats);
        !repeats
    }

    /// Prepares a step that was entered: its planes, and what of the wanted they leave. Whether there is anything to go on for.
    fn open(&mut self, known: &Known<'_>, source_plane: &Plane, depth: usize, number: usize) -> bool {
        let graph = known.graph;
        let portal = graph.portal(number);
        let step = &mut self.steps[depth];
        step.portal = number;
        self.counters.chains += 1;
        let leaving = graph.leaving(portal.to as usize);
        (step.next, step.end) = (leaving.start, leaving.end);
        step.planes.find(&step.source, source_plane, &step.pass, &portal.plane);
        let mut left = 0;
        for (word, wanted) in self.wanted.iter().enumerate() {
            let targets = step.might[word] & wanted;
            if targets != 0 {
                let hidden = step.planes.hidden(graph, word, targets, &mut self.counters);
                step.might[word] &= !hidden;
                left |= targets & !hidden;
            }
        }
        left != 0
    }
}

/// A bit for each plane that cuts a portal's sphere; None if one has it all behind.
#[inline]
fn cuts_of(planes: &Separators, slab: &Slab) -> Option<u32> {
    const { assert!(MAX_SEPARATORS <= 32) };
    let mut cuts = 0;
    for (index, plane) in planes.planes().iter().enumerate() {
        let (distance, reach) = slab.reach(plane);
        if distance + reach <= ON_PLANE {
            return None;
        }
        cuts |= u32::from(distance - reach < -ON_PLANE) << index;
    }
    Some(cuts)
}
