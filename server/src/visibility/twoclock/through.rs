//! Players seen through portals, for mode 3: whether the viewer may see a face that shows the world from elsewhere, and what that
//! shows of a target.
//!
//! Both are questions as the one from eye to body is: no line from the eyes to the face, or none from the face's image to the
//! body. The image does not depend on who looks, so what is proved of it serves all viewers.

use super::memory::Known;
use super::{Cause, Pair, Pose, Question, Scene, View, eyes};
use crate::visibility::Mode;
use crate::visibility::windows::{Window, Windows};
use fogline_common::ids::EntityNum;
use std::cell::RefMut;

/// Faces of one entity that are told apart.
const MOST_WINDOWS: usize = 32;

/// What one viewer may see through one portal entity.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    windows: &'a [Window],
    /// Number of the first among those of the map.
    first: usize,
    /// Those that it may see, a bit each.
    open: u32,
}

/// Looks for the faces of an entity. `None`: nothing can be said, so it may show anything.
pub fn shown<'a>(
    view: &View<'_>,
    windows: &'a Windows,
    entity: EntityNum,
    scene: &Scene<'_>,
) -> Option<Shown<'a>> {
    let watcher = view.watcher.filter(|watcher| scene.rules.mode == Mode::Proved && !watcher.sees_all)?;
    let (first, windows) = windows.of(entity).filter(|(_, windows)| windows.len() <= MOST_WINDOWS)?;
    let (eyes, prover) = (eyes(view, watcher)?, scene.prover?);
    let mut open = 0;
    for (number, window) in windows.iter().enumerate().filter(|(_, window)| window.is_drawn_for(&eyes)) {
        let known = scene.recall.twoclock.of_face(first + number, watcher);
        let asked = Question { eyes, bodies: window.face };
        let players = [Some(watcher), None];
        open |= u32::from(is_open(scene, asked, players, known, prover).is_some()) << number;
    }
    Some(Shown { windows, first, open })
}

/// Why a target is told of that may be seen through these; `None` if it is hidden.
pub(super) fn found(shown: &Shown<'_>, view: &View<'_>, target: &Pose, scene: &Scene<'_>) -> Option<Cause> {
    let windows = shown.windows.iter().enumerate().filter(|(number, _)| shown.open >> number & 1 == 1);
    let Some((bodies, prover)) = super::bodies(view, target).zip(scene.prover) else {
        return (shown.open != 0).then_some(Cause::Unproved);
    };
    let own_eyes = view.watcher.and_then(|watcher| eyes(view, watcher));
    windows.filter(|(_, window)| window.is_before(&bodies)).find_map(|(number, window)| {
        let (Some(image), Some(own_eyes)) = (&window.image, own_eyes) else { return Some(Cause::Unproved) };
        if image.may_pass_dark(&own_eyes, &bodies) {
            return Some(Cause::Unproved);
        }
        let eyes = image.place;
        let known = scene.recall.twoclock.of_image(shown.first + number, target);
        is_open(scene, Question { eyes, bodies }, [None, Some(target)], known, prover)
    })
}

/// Why a question is not answered by a proof.
fn is_open(
    scene: &Scene<'_>,
    asked: Question,
    players: [Option<&Pose>; 2],
    mut known: RefMut<'_, Known>,
    prover: &crate::visibility::proof::Prover,
) -> Option<Cause> {
    if known.hides(&asked) {
        return None;
    }
    Pair { scene, prover, players, owner: None, asked, back: None, known: &mut known }.decide()
}
