//! One player as the gates see it: where it looks from, what of it can be drawn, and where both may be soon.

use super::twoclock::sets::Sets;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};

/// One player at one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its slot.
    pub player: ClientNum,
    /// Where it looks from.
    pub eye: Vec3,
    /// Where it looks; a unit vector.
    pub forward: Vec3,
    /// Unit: units/s.
    pub velocity: Vec3,
    /// Height of the eye above the origin.
    pub view_height: i32,
    /// Box around what is drawn of it, in the world.
    pub body: Bounds,
    /// Single points that are drawn outside the box: the weapon, the glow.
    pub points: Points,
    /// Where it will be if it goes on as now, where it moves at all.
    pub ahead: Option<Ahead>,
    /// Which life it lives; who is reborn or teleported, or another in the same slot, lives another.
    pub life: Life,
    /// Its team, in a game of teams.
    pub team: Option<i32>,
    /// Where it may be while a snapshot is drawn from; worked out in mode 3 alone.
    pub sets: Option<Sets>,
    /// It may be told of everybody: it watches, or the match is over.
    pub sees_all: bool,
}

impl Pose {
    /// A player that stands still at a place, of no extent and of no team.
    pub fn at(player: ClientNum, place: Vec3) -> Self {
        Self {
            player,
            eye: place,
            forward: Vec3::new(1.0, 0.0, 0.0),
            velocity: Vec3::ZERO,
            view_height: 0,
            body: Bounds::POINT.translated(place),
            points: Points::default(),
            ahead: None,
            life: Life::default(),
            team: None,
            sets: None,
            sees_all: false,
        }
    }

    /// Its eye, or the middle of its body if that is elsewhere.
    pub fn head(&self) -> Vec3 {
        if self.body.contains(self.eye) { self.eye } else { self.body.center() }
    }

    /// Box around all that is drawn of it now.
    pub fn drawn(&self) -> Bounds {
        self.points.as_slice().iter().fold(self.body, |bounds, &point| bounds.including(point))
    }

    /// Box around all that is drawn of it now or after the look-ahead.
    pub fn whole(&self) -> Bounds {
        self.ahead.map_or(self.drawn(), |ahead| self.drawn().union(ahead.body))
    }
}

/// A player after the look-ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Its eye.
    pub eye: Vec3,
    /// The box around what is drawn of it.
    pub body: Bounds,
}

/// Most points of a player outside its box.
pub const MAX_POINTS: usize = 8;

/// A few points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Points {
    all: [Vec3; MAX_POINTS],
    count: u8,
}

impl Points {
    /// Adds one; beyond [`MAX_POINTS`] none is taken.
    pub fn push(&mut self, point: Vec3) {
        if let Some(slot) = self.all.get_mut(usize::from(self.count)) {
            *slot = point;
            self.count += 1;
        }
    }

    /// Those there are.
    pub fn as_slice(&self) -> &[Vec3] {
        &self.all[..usize::from(self.count)]
    }
}

/// What tells one life of a slot from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// When the client in the slot connected. Unit: µs.
    pub connection: u64,
    /// Births so far.
    pub births: i32,
    /// Toggles with every teleport.
    pub teleports: bool,
}
