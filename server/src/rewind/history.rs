//! Where every player's body was, frame by frame: the ring that shots are judged by.
//!
//! In: the bodies at the end of a frame's simulation. Out: the pose of one player at one frame, and the box around all poses
//! that are still kept. It holds what clients were told (positions in whole units), not what the simulation knows, since that is
//! what they drew. Recording allocates nothing.

use super::broad::Boxes;
use crate::game::SharedEntity;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::entity_flag;
use fogline_common::proto::contents;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::time::{Millis, ServerTime};

/// Time that is kept beyond the cap of rewinding: a pose at the cap lies between two snapshots, of which the older may be this
/// much older.
pub const MARGIN: Millis = Millis(400);

/// A frame of the ring, counted from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameNum(pub u32);

/// One player at the end of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where clients were told that it is.
    pub origin: Vec3,
    /// Box around that place: the stance.
    pub bounds: Bounds,
    /// What it was made of.
    pub contents: i32,
    /// Which of the slot's lives it was.
    pub life: u16,
    /// What it stood on; 1023 in the air.
    pub ground: u16,
    /// Height of the eye above the origin.
    pub view_height: i16,
    /// Whether there was anybody at all.
    pub is_there: bool,
    /// Whether it lived.
    pub alive: bool,
    /// Flips with every teleport, so that clients do not blend over one.
    pub teleport_bit: bool,
}

impl Pose {
    /// Nobody.
    pub const ABSENT: Self = Self {
        origin: Vec3::ZERO,
        bounds: Bounds::POINT,
        contents: 0,
        life: 0,
        ground: 1023,
        view_height: 0,
        is_there: false,
        alive: false,
        teleport_bit: false,
    };

    /// The body's box in the world.
    pub fn world_box(&self) -> Bounds {
        self.bounds.translated(self.origin)
    }
}

/// A body as the game has it at the end of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// The linked entity.
    pub entity: &'a SharedEntity,
    /// How often its player has spawned.
    pub spawn_count: i32,
    /// Height of its eye above the origin.
    pub view_height: i32,
}

/// The poses of all players over the last moments.
#[derive(Debug)]
pub struct History {
    /// Times of frames. Shape: ring by [`FrameNum`].
    times: Box<[ServerTime]>,
    /// Shape: [`MAX_CLIENTS`] for each frame of the ring.
    poses: Box<[Pose]>,
    /// The frame to be recorded next; frames begin at 1.
    next: FrameNum,
    /// The oldest frame that may be asked for: those before belong to another match.
    first: FrameNum,
    lives: [Life; MAX_CLIENTS],
    /// The largest of each slot's stances.
    stances: [Bounds; MAX_CLIENTS],
    /// Box around everything a slot was in during this window and the one before.
    reach: Boxes,
    /// The same for this window alone.
    young: Boxes,
    window_began: ServerTime,
    window: Millis,
}

#[derive(Clone, Copy, Debug, Default)]
struct Life {
    number: u16,
    spawn_count: i32,
    was_there: bool,
    was_alive: bool,
}

impl History {
    /// A ring that covers `span` at frames of `step`.
    pub fn new(span: Millis, step: Millis) -> Self {
        let frames = span.0.max(0) / step.0.max(1) + 3;
        assert!(
            (frames - 1) * step.0.max(1) >= span.0,
            "{frames} frames of {} ms do not cover {} ms",
            step.0,
            span.0
        );
        let frames = frames.unsigned_abs() as usize;
        Self {
            times: vec![ServerTime(0); frames].into(),
            poses: vec![Pose::ABSENT; frames * MAX_CLIENTS].into(),
            next: FrameNum(1),
            first: FrameNum(1),
            lives: [Life::default(); MAX_CLIENTS],
            stances: [Bounds::EMPTY; MAX_CLIENTS],
            reach: Boxes::EMPTY,
            young: Boxes::EMPTY,
            window_began: ServerTime(0),
            window: Millis(frames as i32 * step.0.max(1)),
        }
    }

    /// Forgets all frames: another match begins. Lives count on.
    pub fn clear(&mut self) {
        self.first = self.next;
        (self.reach, self.young) = (Boxes::EMPTY, Boxes::EMPTY);
        self.stances = [Bounds::EMPTY; MAX_CLIENTS];
        self.window_began = ServerTime(i32::MIN / 2);
    }

    /// Somebody else is in this slot from now on: the next body put for it lives another life, though it may have spawned as often
    /// as the one before.
    pub fn forget(&mut self, client: ClientNum) {
        self.lives[client.index()].was_there = false;
    }

    /// Bytes that it holds.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.times) + size_of_val(&*self.poses) + size_of::<Self>()
    }

    /// Frames that it can hold.
    pub fn capacity(&self) -> usize {
        self.times.len()
    }

    /// Begins the frame of `time`; every slot is empty until [`put`](Self::put).
    pub fn begin_frame(&mut self, time: ServerTime) {
        let slot = self.next.0 as usize % self.times.len();
        self.times[slot] = time;
        self.poses[slot * MAX_CLIENTS..][..MAX_CLIENTS].fill(Pose::ABSENT);
        if time - self.window_began > self.window {
            self.window_began = time;
            self.reach = std::mem::replace(&mut self.young, Boxes::EMPTY);
        }
    }

    /// A body of the frame begun.
    pub fn put(&mut self, client: ClientNum, body: &Body<'_>) {
        let index = client.index();
        let (state, link) = (&body.entity.state, &body.entity.link);
        let alive = link.contents & contents::BODY != 0 && state.flags & entity_flag::DEAD == 0;
        let life = &mut self.lives[index];
        let reborn = alive && !(life.was_there && life.was_alive);
        if reborn || life.spawn_count != body.spawn_count {
            life.number = life.number.wrapping_add(1);
        }
        life.spawn_count = body.spawn_count;
        (life.was_there, life.was_alive) = (true, alive);
        let pose = Pose {
            origin: state.pos.base,
            bounds: link.bounds,
            contents: link.contents,
            life: life.number,
            ground: state.ground_entity as u16,
            view_height: body.view_height as i16,
            is_there: true,
            alive,
            teleport_bit: state.flags & entity_flag::TELEPORT_BIT != 0,
        };
        // Clients blend the place and keep the stance, so on its way to here it may have stood in any.
        let stance = &mut self.stances[index];
        *stance = stance.union(pose.bounds);
        let around = stance.translated(pose.origin);
        self.young.include(client, &around);
        self.reach.include(client, &around);
        let slot = self.next.0 as usize % self.times.len();
        self.poses[slot * MAX_CLIENTS + index] = pose;
    }

    /// Ends the frame begun: from now on it is the newest.
    pub fn end_frame(&mut self) {
        let slot = self.next.0 as usize % self.times.len();
        for (life, pose) in self.lives.iter_mut().zip(&self.poses[slot * MAX_CLIENTS..]) {
            life.was_there = pose.is_there;
        }
        self.next.0 += 1;
    }

    /// The newest frame.
    pub fn newest(&self) -> Option<FrameNum> {
        (self.next > self.first).then_some(FrameNum(self.next.0 - 1))
    }

    /// The oldest frame that is still kept.
    pub fn oldest(&self) -> Option<FrameNum> {
        let newest = self.newest()?;
        Some(FrameNum(self.first.0.max((newest.0 + 1).saturating_sub(self.times.len() as u32))))
    }

    /// Whether a frame is still kept.
    pub fn holds(&self, frame: FrameNum) -> bool {
        self.newest().is_some_and(|newest| frame <= newest)
            && self.oldest().is_some_and(|oldest| frame >= oldest)
    }

    /// When a frame was.
    pub fn time_of(&self, frame: FrameNum) -> Option<ServerTime> {
        self.holds(frame).then(|| self.times[frame.0 as usize % self.times.len()])
    }

    /// The newest frame that is not after `time`.
    pub fn frame_at(&self, time: ServerTime) -> Option<FrameNum> {
        let (mut low, newest) = (self.oldest()?, self.newest()?);
        let mut high = FrameNum(newest.0 + 1);
        if self.time_of(low)? > time {
            return None;
        }
        while high.0 - low.0 > 1 {
            let middle = FrameNum(low.0 + (high.0 - low.0) / 2);
            if self.time_of(middle)? > time { high = middle } else { low = middle }
        }
        Some(low)
    }

    /// A player at a frame; `None` if it was not in the world then or the frame is forgotten.
    pub fn pose(&self, frame: FrameNum, client: ClientNum) -> Option<&Pose> {
        let slot = frame.0 as usize % self.times.len();
        let pose = &self.poses[slot * MAX_CLIENTS + client.index()];
        (self.holds(frame) && pose.is_there).then_some(pose)
    }

    /// Boxes around every place that each slot's bodies were in and that is still kept, and perhaps some more.
    pub const fn reach(&self) -> &Boxes {
        &self.reach
    }
}

const _: () = assert!(size_of::<Pose>() <= 52);

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;
    use fogline_common::proto::contents;

    fn num() -> ClientNum {
        ClientNum::new(3).unwrap()
    }

    fn body(x: f32) -> SharedEntity {
        let mut entity = SharedEntity::default();
        entity.state.pos.base = vec3(x, 0.0, 0.0);
        entity.link.contents = contents::BODY;
        entity.link.bounds = Bounds::new(vec3(-15.0, -15.0, -24.0), vec3(15.0, 15.0, 32.0));
        entity
    }

    fn record(history: &mut History, time: i32, body: Option<&SharedEntity>, spawn_count: i32) {
        history.begin_frame(ServerTime(time));
        if let Some(entity) = body {
            history.put(num(), &Body { entity, spawn_count, view_height: 26 });
        }
        history.end_frame();
    }

    #[test]
    fn the_ring_covers_its_span_at_any_rate() {
        for step in [4, 8, 25, 50, 100] {
            for span in [0, 200, 600, 1400] {
                let mut history = History::new(Millis(span), Millis(step));
                for frame in 0..400 {
                    record(&mut history, frame * step, Some(&body(frame as f32)), 1);
                }
                let now = 399 * step;
                let frame = history.frame_at(ServerTime(now - span)).unwrap();
                assert!(history.time_of(frame).unwrap() <= ServerTime(now - span), "{step} {span}");
            }
        }
    }

    #[test]
    fn a_frame_is_found_by_its_time_and_forgotten_in_time() {
        let mut history = History::new(Millis(100), Millis(50));
        assert_eq!((history.newest(), history.frame_at(ServerTime(0))), (None, None));
        for frame in 1..=20 {
            record(&mut history, frame * 50, Some(&body(frame as f32)), 1);
        }
        let at = |time| {
            history.frame_at(ServerTime(time)).and_then(|f| history.pose(f, num())).map(|p| p.origin.x)
        };
        assert_eq!((at(1000), at(999), at(5000), at(950)), (Some(20.0), Some(19.0), Some(20.0), Some(19.0)));
        assert_eq!(at(300), None);
        assert!(!history.holds(FrameNum(1)) && !history.holds(FrameNum(99)));
    }

    #[test]
    fn whoever_takes_over_a_slot_lives_another_life() {
        let mut history = History::new(Millis(1000), Millis(50));
        let life = |history: &History| history.pose(history.newest().unwrap(), num()).unwrap().life;
        record(&mut history, 0, Some(&body(0.0)), 1);
        let first = life(&history);
        // Within one frame, without a frame in which the slot was empty, and with as many spawns.
        history.forget(num());
        record(&mut history, 50, Some(&body(9.0)), 1);
        assert_ne!(life(&history), first);
        record(&mut history, 100, Some(&body(9.0)), 1);
        assert_eq!(life(&history), first + 1);
    }

    #[test]
    fn death_absence_and_a_new_spawn_begin_another_life() {
        let mut history = History::new(Millis(1000), Millis(50));
        let mut dead = body(0.0);
        dead.link.contents = contents::CORPSE;
        let frames = [
            (Some(body(0.0)), 1, 1),
            (Some(dead), 1, 1),
            (Some(body(9.0)), 1, 2),
            (None, 1, 0),
            (Some(body(9.0)), 1, 3),
            (Some(body(9.0)), 2, 4),
            (Some(body(9.0)), 2, 4),
        ];
        for (n, (body, spawns, life)) in frames.iter().enumerate() {
            record(&mut history, n as i32 * 50, body.as_ref(), *spawns);
            let pose = history.pose(history.newest().unwrap(), num());
            assert_eq!(pose.map_or(0, |pose| pose.life), *life, "frame {n}");
        }
    }

    #[test]
    fn the_reach_holds_who_ducks_in_a_jump_as_it_is_drawn_standing_on_the_way() {
        let mut history = History::new(Millis(300), Millis(25));
        record(&mut history, 0, Some(&body(0.0)), 1);
        let mut ducked = body(0.0);
        ducked.state.pos.base.z = 40.0;
        ducked.link.bounds.maxs.z = 16.0;
        record(&mut history, 25, Some(&ducked), 1);
        assert!(history.reach().get(num()).maxs.z >= 40.0 + 32.0);
    }

    #[test]
    fn the_reach_holds_every_pose_that_is_kept() {
        let mut history = History::new(Millis(300), Millis(25));
        for frame in 0..200 {
            record(&mut history, frame * 25, Some(&body((frame * 8) as f32)), 1);
            let reach = history.reach().get(num());
            let mut at = history.oldest().unwrap();
            while at <= history.newest().unwrap() {
                let pose = history.pose(at, num()).unwrap().world_box();
                assert!(reach.contains(pose.mins) && reach.contains(pose.maxs), "frame {frame}");
                at.0 += 1;
            }
        }
        let reach = history.reach().get(num()).size().x;
        assert!(reach < 300.0, "old places are let go: {reach}");
    }
}
