//! Lines of sight through the map and its resting doors, with a memory of what stopped the last ones.
//!
//! A wall that hid a target a moment ago most likely still does, and asking it alone is far cheaper than a walk down the tree.
//! The memory changes no answer, only its cost.

use crate::visibility::Scene;
use fogline_common::collision::{Light, Occluder, Placement};
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{contents, mask};
use fogline_common::trace::TraceRequest;
use std::cell::Cell;

/// A brush model of this frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Where it stands.
    pub placement: Placement,
    /// Box in the world.
    pub bounds: Bounds,
    /// What it is made of, as the game has it.
    pub contents: i32,
    /// It rests: neither it nor its state for clients moves. What moves hides nothing, since a client draws it elsewhere.
    pub rests: bool,
}

impl Mover {
    fn hides(&self) -> bool {
        self.rests && self.contents & contents::SOLID != 0
    }
}

/// What stopped a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blocker {
    /// A brush of the map.
    World(Occluder),
    /// A brush of the mover with this index.
    Mover(u16, Occluder),
    /// Something that is not convex.
    Patch,
}

/// What the filter did, and what stopped the lines of each pair. Shape of `blockers`: viewer by target.
#[derive(Debug)]
pub struct Work {
    /// Rays through the whole map.
    pub rays: Cell<u64>,
    /// Lines settled by a brush that was known already.
    pub known: Cell<u64>,
    /// Pairs of players that were looked for.
    pub pairs: Cell<u64>,
    /// Of those, settled without a single ray through the map.
    pub pairs_without_ray: Cell<u64>,
    /// Pairs given up as visible because the rays of a pair ran out.
    pub undecided: Cell<u64>,
    blockers: Box<[Cell<Option<Occluder>>]>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            rays: Cell::new(0),
            known: Cell::new(0),
            pairs: Cell::new(0),
            pairs_without_ray: Cell::new(0),
            undecided: Cell::new(0),
            blockers: vec![Cell::new(None); MAX_CLIENTS * MAX_CLIENTS].into(),
        }
    }
}

impl Work {
    /// One pair has been looked at.
    pub(super) fn add_pair(&self, rays: u32, known: u32, undecided: bool) {
        let add = |cell: &Cell<u64>, n: u32| cell.set(cell.get() + u64::from(n));
        add(&self.rays, rays);
        add(&self.known, known);
        add(&self.pairs, 1);
        add(&self.pairs_without_ray, u32::from(rays == 0));
        add(&self.undecided, u32::from(undecided));
    }
}

/// Blockers kept at hand while one pair is looked at.
const KEPT: usize = 4;

/// The lines of sight of one pair.
pub struct Lines<'a> {
    scene: &'a Scene<'a>,
    pair: usize,
    recent: [Option<Blocker>; KEPT],
    next: usize,
    /// Rays of this pair so far.
    pub rays: u32,
    known: u32,
    /// The pair was given up.
    pub undecided: bool,
}

impl<'a> Lines<'a> {
    /// For one viewer and target.
    pub fn new(scene: &'a Scene<'a>, viewer: ClientNum, target: ClientNum) -> Self {
        let pair = viewer.index() * MAX_CLIENTS + target.index();
        let mut recent = [None; KEPT];
        recent[0] = scene.work.blockers[pair].get().map(Blocker::World);
        Self { scene, pair, recent, next: 1, rays: 0, known: 0, undecided: false }
    }

    /// Whether nothing stops light between the points.
    pub fn clear(&mut self, from: Vec3, to: Vec3) -> bool {
        self.blocker(from, to).is_none()
    }

    /// What stops light between the points.
    pub fn blocker(&mut self, from: Vec3, to: Vec3) -> Option<Blocker> {
        for slot in 0..KEPT {
            if let Some(blocker) = self.recent[slot]
                && self.stops(blocker, from, to)
            {
                self.known += 1;
                return Some(blocker);
            }
        }
        self.rays += 1;
        let found = match self.scene.clip.light(from, to) {
            Light::StoppedBy(occluder) => Some(Blocker::World(occluder)),
            Light::StoppedByPatch => Some(Blocker::Patch),
            Light::Passes => self.mover_between(from, to),
        };
        if let Some(blocker) = found.filter(|&blocker| blocker != Blocker::Patch) {
            self.recent[self.next % KEPT] = Some(blocker);
            self.next += 1;
        }
        found
    }

    /// Whether this blocker alone stops light between the points. A patch is never sure to.
    pub fn stops(&self, blocker: Blocker, from: Vec3, to: Vec3) -> bool {
        match blocker {
            Blocker::World(occluder) => self.scene.clip.occludes(occluder, from, to),
            Blocker::Mover(index, occluder) => {
                let placement = &self.scene.movers[usize::from(index)].placement;
                self.scene.clip.occludes(occluder, placement.to_model(from), placement.to_model(to))
            }
            Blocker::Patch => false,
        }
    }

    /// The blockers at hand, the one of the last frame first.
    pub fn recent(&self) -> [Option<Blocker>; KEPT] {
        self.recent
    }

    /// Remembers that this one hid everything.
    pub fn remember(&mut self, blocker: Blocker) {
        if let Blocker::World(occluder) = blocker {
            self.scene.work.blockers[self.pair].set(Some(occluder));
        }
    }

    /// How far a box comes through the map.
    pub fn sweep(&self, from: Vec3, to: Vec3, bounds: Bounds) -> Vec3 {
        self.scene.clip.trace(&TraceRequest::sweep(from, to, bounds, mask::PLAYERSOLID, None)).end
    }

    /// Whether an eye is inside something that stops light, from where nothing can be said.
    pub fn is_inside(&self, eye: Vec3) -> bool {
        self.scene.clip.is_dark(eye)
    }

    /// Adds what this pair took to the sums.
    pub fn finish(self) {
        self.scene.work.add_pair(self.rays, self.known, self.undecided);
    }

    fn mover_between(&self, from: Vec3, to: Vec3) -> Option<Blocker> {
        let way = Bounds { mins: from.min(to), maxs: from.max(to) };
        let resting = self.scene.movers.iter().enumerate();
        for (index, mover) in resting.filter(|(_, mover)| mover.hides() && mover.bounds.touches(&way)) {
            let placed = &mover.placement;
            let (from, to) = (placed.to_model(from), placed.to_model(to));
            match self.scene.clip.light_through_model(placed.model, from, to) {
                Light::Passes => {}
                Light::StoppedBy(occluder) => return Some(Blocker::Mover(index as u16, occluder)),
                Light::StoppedByPatch => return Some(Blocker::Patch),
            }
        }
        None
    }
}
