//! What a shooter was drawing when it fired: two frames that it had been sent, and a share of the way between them.

use super::history::{FrameNum, History, Pose};
use super::movers::Movers;
use super::sent::Sent;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::time::{Millis, ServerTime};

/// A moment of the past as one client drew it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The moment that was drawn, and at which movers are tested.
    pub at: ServerTime,
    /// The frame of the snapshot drawn from.
    pub from: FrameNum,
    /// Players in it, a bit each.
    pub from_players: u64,
    /// The frame of the snapshot drawn towards; `None` if none had come: players are then held where they were.
    pub to: Option<FrameNum>,
    /// Players in that one.
    pub to_players: u64,
    /// Share of the way between the two.
    pub fraction: f32,
    /// The moment lies as far back as is allowed, and the client drew an older one.
    pub capped: bool,
}

impl Moment {
    /// The moment `at` as a client drew it to which `sent` was sent. Nothing older than `earliest` is given: the cap moves the
    /// moment, never the other way.
    pub fn resolve(history: &History, sent: &Sent, at: ServerTime, earliest: ServerTime) -> Option<Self> {
        let wanted = at;
        let at = at.max(earliest);
        let (from, to) = sent.around(at)?;
        let too_old = to.is_none() && from.time < earliest;
        if too_old || !history.holds(from.frame) {
            return Self::between_frames(history, earliest, from.players);
        }
        let fraction = to.map_or(0.0, |to| share(at, from.time, to.time));
        Some(Self {
            at,
            from: from.frame,
            from_players: from.players,
            to: to.map(|to| to.frame),
            to_players: to.map_or(0, |to| to.players),
            fraction,
            capped: wanted < earliest,
        })
    }

    /// A moment between two frames of the server, as if every one of them had been sent.
    fn between_frames(history: &History, at: ServerTime, players: u64) -> Option<Self> {
        let from = history.frame_at(at).or(history.oldest())?;
        let to = FrameNum(from.0 + 1);
        let (from_time, to_time) = (history.time_of(from)?, history.time_of(to));
        Some(Self {
            at,
            from,
            from_players: players,
            to: to_time.map(|_| to),
            to_players: players,
            fraction: to_time.map_or(0.0, |to| share(at, from_time, to).max(0.0)),
            capped: true,
        })
    }

    /// Where a player was drawn, in the stance of the snapshot drawn from. `None` if it was not in that snapshot.
    ///
    /// The blend is `CG_InterpolateEntityPosition`'s, in its order of operations; over a teleport or into another life there is
    /// none, and a player that the next snapshot lacks stays where it was, or on what it stands on: `CG_AdjustPositionForMover`.
    pub fn pose(&self, history: &History, movers: &Movers, client: ClientNum) -> Option<Pose> {
        let bit = 1u64 << client.index();
        if self.from_players & bit == 0 {
            return None;
        }
        let from = *history.pose(self.from, client)?;
        let next = self.to.filter(|_| self.to_players & bit != 0).and_then(|to| history.pose(to, client));
        let Some(next) = next.filter(|next| next.teleport_bit == from.teleport_bit && next.life == from.life)
        else {
            return Some(Pose { origin: from.origin + self.carried(history, movers, &from), ..from });
        };
        Some(Pose { origin: blend(from.origin, next.origin, self.fraction), ..from })
    }

    /// How far what a player stands on has moved since the snapshot drawn from, as its client was told.
    fn carried(&self, history: &History, movers: &Movers, pose: &Pose) -> Vec3 {
        let ground = EntityNum::new(usize::from(pose.ground)).filter(|&num| movers.has_moved(num));
        let stands = ground.zip(history.time_of(self.from)).and_then(|(num, told_at)| {
            movers.stand(num, self.from, told_at).zip(movers.stand(num, self.from, self.at.max(told_at)))
        });
        stands.map_or(Vec3::ZERO, |(then, now)| now.origin - then.origin)
    }

    /// How long ago it was.
    pub fn age(&self, now: ServerTime) -> Millis {
        now - self.at
    }
}

fn share(at: ServerTime, from: ServerTime, to: ServerTime) -> f32 {
    if to == from { 0.0 } else { (at - from).0 as f32 / (to - from).0 as f32 }
}

fn blend(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    Vec3::new(
        from.x + fraction * (to.x - from.x),
        from.y + fraction * (to.y - from.y),
        from.z + fraction * (to.z - from.z),
    )
}
