//! The places that one view looks from: worked out once for all targets.

use super::lines::Lines;
use crate::visibility::{Pose, Scene, View};
use fogline_common::math::{Bounds, Vec3};

/// A portal's far end is looked from at its middle and this far above, below and to its sides.
const PORTAL_SPREAD: f32 = 32.0;
/// From this far behind and above its eye a dead player sees itself lie. Source: `cg_thirdPersonRange`.
const BEHIND: f32 = 40.0;

/// Where a view looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eyes {
    all: [Vec3; 5],
    count: u8,
    /// Where it will look from soon.
    pub ahead: Option<Vec3>,
    /// One of them is inside something that stops light, from where nothing can be said.
    pub dark: bool,
    /// Proofs speak of these places: light comes to all of them.
    pub provable: bool,
    /// Box around the present ones.
    pub now: Bounds,
    /// Box around all.
    pub whole: Bounds,
}

impl Eyes {
    /// Of a view through the eyes of `watcher`.
    pub fn new(view: &View<'_>, watcher: &Pose, scene: &Scene<'_>) -> Self {
        if view.through_portal {
            let mut all = [view.origin; 5];
            let count = spread(&mut all, PORTAL_SPREAD, 0.0, scene);
            return Self::among(all, count, None, scene);
        }
        Self::of(watcher, scene)
    }

    /// Of a player.
    pub fn of(player: &Pose, scene: &Scene<'_>) -> Self {
        let mut all = [player.eye; 5];
        // Whoever lies dead sees itself from outside.
        let count = if player.view_height < 0 { spread(&mut all, BEHIND, 8.0, scene) } else { 1 };
        Self::among(all, count, player.ahead.map(|ahead| ahead.eye), scene)
    }

    fn among(all: [Vec3; 5], count: usize, ahead: Option<Vec3>, scene: &Scene<'_>) -> Self {
        let present = &all[..count];
        let now = present.iter().fold(Bounds::EMPTY, |bounds, &eye| bounds.including(eye));
        let lit = |eye: &Vec3| scene.prover.is_some_and(|prover| prover.is_lit(*eye));
        Self {
            all,
            count: count as u8,
            ahead,
            dark: present.iter().any(|&eye| scene.clip.is_dark(eye)),
            provable: present.iter().chain(&ahead).all(lit),
            now,
            whole: ahead.map_or(now, |eye| now.including(eye)),
        }
    }

    /// The present ones, the nearest to the view first.
    pub fn present(&self) -> &[Vec3] {
        &self.all[..usize::from(self.count)]
    }
}

/// Fills `eyes` with the middle and four places around it, as far as light comes there. How many.
fn spread(eyes: &mut [Vec3; 5], reach: f32, up: f32, scene: &Scene<'_>) -> usize {
    let middle = eyes[0];
    let mut count = 1;
    for (x, y) in [(reach, 0.0), (-reach, 0.0), (0.0, reach), (0.0, -reach)] {
        let place = middle + Vec3::new(x, y, up);
        if Lines::is_clear(scene, middle, place) {
            eyes[count] = place;
            count += 1;
        }
    }
    count
}
