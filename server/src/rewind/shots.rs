//! The last shots, as they were judged: for the host who asks, for the log, and for the victim who wants to know.

use super::moment::Moment;
use super::validate::Fault;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::time::{Millis, ServerTime};
use std::collections::VecDeque;

/// Shots remembered, over all clients.
pub const SHOTS_KEPT: usize = 256;
/// Rays of one shot that are remembered: a shotgun's.
const RAYS_KEPT: usize = 12;
/// Players of one shot whose boxes are remembered.
const BOXES_KEPT: usize = 8;

/// One shot: all rays that one usercmd sent out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// Counts shots from the start.
    pub number: u64,
    /// Which of its client's commands fired it.
    pub command: u64,
    /// Who fired.
    pub shooter: Option<ClientNum>,
    /// With what; see [`weapon`](fogline_common::openarena::weapon).
    pub weapon: i32,
    /// Frame of the world in which it was judged.
    pub now: ServerTime,
    /// The moment that the client says it was drawing.
    pub claim: ServerTime,
    /// The oldest moment that would have been believed.
    pub oldest: ServerTime,
    /// Why the claim was replaced.
    pub fault: Option<Fault>,
    /// The past that it was judged by; `None` for the present.
    pub moment: Option<Moment>,
    /// Whether its client can have drawn that moment from no other two snapshots.
    pub sure: bool,
    /// Its rays; the first few.
    pub rays: Vec<Ray>,
    /// How many of them, from the first, went out at once.
    pub blast: usize,
    /// Players near its rays, then and now; the first few.
    pub boxes: Vec<Boxes>,
}

/// One ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// From the muzzle.
    pub start: Vec3,
    /// As far as the weapon reaches.
    pub end: Vec3,
    /// As far as it came.
    pub came: Vec3,
    /// What it hit; 1022 is the world.
    pub hit: Option<EntityNum>,
    /// What it would have hit in the present, if that was asked.
    pub hit_in_present: Option<Option<EntityNum>>,
    /// Players left after the broad phase.
    pub candidates: u32,
}

/// One player near a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes {
    /// Who.
    pub client: ClientNum,
    /// As it was drawn; `None` if it was not.
    pub then: Option<Bounds>,
    /// As it is.
    pub now: Bounds,
}

impl Shot {
    /// How far in the past it was judged.
    pub fn rewound(&self) -> Millis {
        self.moment.map_or(Millis(0), |moment| moment.age(self.now).max(Millis(0)))
    }

    /// How old the picture was that the shooter says it fired at.
    pub fn delay(&self) -> Millis {
        (self.now - self.claim).max(Millis(0))
    }

    /// Whether the cap made the moment younger than it was drawn.
    pub fn is_capped(&self) -> bool {
        self.moment.is_some_and(|moment| moment.capped)
    }

    /// The players that it hit.
    pub fn hits(&self) -> impl Iterator<Item = ClientNum> {
        self.rays.iter().filter_map(|ray| ClientNum::new(ray.hit?.index()))
    }

    fn begin_anew(&mut self) -> (Vec<Ray>, Vec<Boxes>) {
        let (mut rays, mut boxes) = (std::mem::take(&mut self.rays), std::mem::take(&mut self.boxes));
        rays.clear();
        boxes.clear();
        (rays, boxes)
    }
}

/// The last shots of everybody.
#[derive(Debug, Default)]
pub struct Book {
    /// Oldest first. The buffers of the oldest are used for the next.
    shots: VecDeque<Shot>,
    /// Shots so far.
    pub count: u64,
}

impl Book {
    /// The shot of this command, begun if it is its first ray; `head` says what it is about.
    pub fn shot(&mut self, shooter: ClientNum, command: u64, head: impl FnOnce() -> Shot) -> &mut Shot {
        let is_open = self.shots.back().is_some_and(|s| s.shooter == Some(shooter) && s.command == command);
        if !is_open {
            let mut spare = if self.shots.len() == SHOTS_KEPT { self.shots.pop_front() } else { None }
                .unwrap_or_default();
            let (rays, boxes) = spare.begin_anew();
            self.count += 1;
            let shot = Shot { number: self.count, shooter: Some(shooter), command, rays, boxes, ..head() };
            self.shots.push_back(shot);
        }
        let last = self.shots.len() - 1;
        &mut self.shots[last]
    }

    /// Shots, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Shot> {
        self.shots.iter().rev()
    }

    /// The newest shot of one client.
    pub fn newest_of(&self, shooter: ClientNum) -> Option<&Shot> {
        self.newest_first().find(|shot| shot.shooter == Some(shooter))
    }
}

impl Shot {
    /// Adds rays that go out at once, while there is room. One that is asked again alone, because what it met broke meanwhile,
    /// takes the place of its first answer.
    pub fn push_rays(&mut self, rays: impl ExactSizeIterator<Item = Ray>) {
        if rays.len() > 1 {
            let room = RAYS_KEPT - self.rays.len();
            self.rays.extend(rays.take(room));
            self.blast = self.rays.len();
            return;
        }
        for ray in rays {
            let same = |known: &&mut Ray| known.start == ray.start && known.end == ray.end;
            if let Some(known) = self.rays[..self.blast].iter_mut().find(same) {
                *known = ray;
            } else if self.rays.len() < RAYS_KEPT {
                self.rays.push(ray);
            }
        }
    }

    /// Adds a player's boxes, once each and while there is room.
    pub fn push_boxes(&mut self, client: ClientNum, boxes: impl FnOnce() -> Boxes) {
        if self.boxes.len() < BOXES_KEPT && self.boxes.iter().all(|known| known.client != client) {
            self.boxes.push(boxes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray(x: f32, hit: Option<usize>) -> Ray {
        let (start, end) = (Vec3::ZERO, Vec3::new(x, 0.0, 0.0));
        let hit = hit.and_then(EntityNum::new);
        Ray { start, end, came: end, hit, hit_in_present: None, candidates: 0 }
    }

    #[test]
    fn a_pellet_asked_again_is_noted_once_and_a_rail_that_goes_through_somebody_each_time() {
        let mut blast = Shot::default();
        blast.push_rays((0..11).map(|n| ray(n as f32, Some(1))));
        blast.push_rays(std::iter::once(ray(4.0, None)));
        let hits = blast.rays.iter().map(|ray| ray.hit.is_some()).collect::<Vec<_>>();
        assert_eq!(hits, (0..11).map(|n| n != 4).collect::<Vec<_>>());
        let mut rail = Shot::default();
        for hit in [Some(1), Some(2), None] {
            rail.push_rays(std::iter::once(ray(9.0, hit)));
        }
        assert_eq!((rail.rays.len(), rail.hits().count()), (3, 2));
    }

    #[test]
    fn the_book_keeps_the_last_shots_and_joins_the_rays_of_a_command() {
        let mut book = Book::default();
        let client = |n: usize| ClientNum::new(n % 3).unwrap();
        for n in 0..SHOTS_KEPT + 50 {
            for _ in 0..20 {
                book.shot(client(n), n as u64, Shot::default).push_rays(std::iter::once(ray(0.0, None)));
            }
        }
        assert_eq!(book.count, SHOTS_KEPT as u64 + 50);
        assert_eq!(book.newest_first().count(), SHOTS_KEPT);
        assert!(book.newest_first().all(|shot| shot.rays.len() == RAYS_KEPT));
        assert_eq!(book.newest_of(client(1)).map(|shot| shot.command), Some(304));
    }
}
