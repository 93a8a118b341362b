//! The two snapshots between which a client draws, and what it may blend from one to the other.
//!
//! In: decoded snapshots and the moment to draw. Out: the current and the next snapshot, and for every entity where it is
//! drawn. Sources: `CG_ProcessSnapshots`, `CG_SetNextSnap`, `CG_TransitionSnapshot` of OpenArena's cgame; facts page
//! "visibility-openmohaa", section 10, for the shape.

use crate::client::lerp::{self, Branch, Drawn, Moment, Style, Subject};
use crate::client::snapshot::{Snapshot, SnapshotRing};
use fogline_common::ids::EntityNum;
use fogline_common::math::Vec3;
use fogline_common::openarena::{entity_flag, entity_type};
use fogline_common::proto::limits::{MAX_CLIENTS, MAX_ENTITIES};
use fogline_common::proto::{EntityState, snap_flag};
use fogline_common::time::ServerTime;
use std::fmt;

/// Why a stock cgame gives up here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneError {
    /// The next snapshot is older than the current one.
    TimeWentBack {
        /// Time of the current one.
        from: ServerTime,
        /// Time of the next one.
        to: ServerTime,
    },
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::TimeWentBack { from, to } = self;
        write!(f, "cgame: server time went back from {} to {} ms between snapshots", from.0, to.0)
    }
}

impl std::error::Error for SceneError {}

/// What the client keeps of one entity.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    current: EntityState,
    next: EntityState,
    /// In the current snapshot.
    is_current: bool,
    /// Blending from current to next is allowed.
    blends: bool,
}

/// The drawn world of one client.
#[derive(Debug)]
pub struct Scene {
    current: Option<Snapshot>,
    next: Option<Snapshot>,
    /// A buffer for the next `next`.
    spare: Option<Snapshot>,
    entities: Box<[Held]>,
    /// Message number of the newest snapshot looked at.
    processed: Option<u32>,
    /// The step to the next snapshot is a teleport of our own player, a change of whom we follow, or a server restart.
    pub next_is_teleport: bool,
    /// The current snapshot was reached by a teleport; prediction clears it.
    pub teleported: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            current: None,
            next: None,
            spare: None,
            entities: vec![Held::default(); MAX_ENTITIES].into_boxed_slice(),
            processed: None,
            next_is_teleport: false,
            teleported: false,
        }
    }
}

impl Scene {
    /// Forgets everything, for a new gamestate. Buffers are kept.
    pub fn clear(&mut self) {
        self.spare = self.current.take().or(self.next.take()).or(self.spare.take());
        self.next = None;
        self.entities.fill(Held::default());
        self.processed = None;
        self.next_is_teleport = false;
        self.teleported = false;
    }

    /// The snapshot being drawn from.
    pub fn current(&self) -> Option<&Snapshot> {
        self.current.as_ref()
    }

    /// The snapshot being drawn towards.
    pub fn next(&self) -> Option<&Snapshot> {
        self.next.as_ref()
    }

    /// Brings the two snapshots around `now`. Each snapshot that becomes current is shown to `entered` once, in order.
    ///
    /// # Errors
    /// Where a stock cgame drops the connection.
    pub fn process(
        &mut self,
        ring: &SnapshotRing,
        now: ServerTime,
        mut entered: impl FnMut(&Snapshot),
    ) -> Result<(), SceneError> {
        while self.current.is_none() {
            let Some(first) = self.read_next(ring) else { return Ok(()) };
            if first.flags & snap_flag::NOT_ACTIVE != 0 {
                self.spare = Some(first);
                continue;
            }
            self.set_initial(first);
            self.current.iter().for_each(&mut entered);
        }
        loop {
            if self.next.is_none() {
                let Some(next) = self.read_next(ring) else { return Ok(()) };
                self.set_next(next)?;
            }
            let (Some(current), Some(next)) = (&self.current, &self.next) else { return Ok(()) };
            if now >= current.time && now < next.time {
                return Ok(());
            }
            self.transition();
            self.current.iter().for_each(&mut entered);
        }
    }

    /// The moment `now` in terms of the two snapshots. `None` before the first.
    pub fn moment(&self, now: ServerTime) -> Option<Moment> {
        let current = self.current.as_ref()?.time;
        Some(Moment::new(now.max(current), current, self.next.as_ref().map(|next| next.time), true))
    }

    /// An entity of the current snapshot.
    pub fn entity(&self, num: EntityNum) -> Option<&EntityState> {
        let held = &self.entities[num.index()];
        held.is_current.then_some(&held.current)
    }

    /// The same entity in the next snapshot, as last told, even if it may not be blended.
    pub fn upcoming(&self, num: EntityNum) -> &EntityState {
        &self.entities[num.index()].next
    }

    /// Where an entity of the current snapshot is drawn.
    pub fn drawn(&self, num: EntityNum, moment: &Moment, style: Style) -> Option<Drawn> {
        let held = &self.entities[num.index()];
        let subject = Subject {
            current: &held.current,
            next: (held.blends && self.next.is_some()).then_some(&held.next),
            is_player: num.index() < MAX_CLIENTS,
        };
        let mut drawn = held.is_current.then(|| lerp::draw(style, moment, &subject))?;
        let is_free = matches!(drawn.branch, Branch::Hold | Branch::Extrapolate);
        if is_free && matches!(style, Style::Ioquake3 { .. }) {
            drawn.origin += self.carried(&held.current, moment);
        }
        Some(drawn)
    }

    /// How far what an entity stands on has moved since the current snapshot. Source: `CG_AdjustPositionForMover`.
    fn carried(&self, rider: &EntityState, moment: &Moment) -> Vec3 {
        let ground = EntityNum::from_wire(rider.ground_entity).map(|num| &self.entities[num.index()].current);
        match ground {
            Some(ground) if ground.entity_type == entity_type::MOVER => {
                ground.pos.at(moment.now) - ground.pos.at(moment.current)
            }
            _ => Vec3::ZERO,
        }
    }

    fn read_next(&mut self, ring: &SnapshotRing) -> Option<Snapshot> {
        let found = ring.after(self.processed)?;
        self.processed = Some(found.message);
        let mut copy = self.spare.take().unwrap_or_default();
        copy.clone_from(found);
        Some(copy)
    }

    fn set_initial(&mut self, snapshot: Snapshot) {
        for state in &snapshot.entities {
            let Some(held) = held(&mut self.entities, state) else { continue };
            *held = Held { current: *state, next: *state, is_current: true, blends: false };
        }
        self.current = Some(snapshot);
    }

    fn set_next(&mut self, next: Snapshot) -> Result<(), SceneError> {
        let Some(current) = &self.current else { return Ok(()) };
        for state in &next.entities {
            let Some(held) = held(&mut self.entities, state) else { continue };
            held.next = *state;
            let jumped = (held.current.flags ^ state.flags) & entity_flag::TELEPORT_BIT != 0;
            held.blends = held.is_current && !jumped;
        }
        self.next_is_teleport = (next.player.flags ^ current.player.flags) & entity_flag::TELEPORT_BIT != 0
            || next.player.client_num != current.player.client_num
            || (next.flags ^ current.flags) & snap_flag::SERVERCOUNT != 0;
        if next.time < current.time {
            return Err(SceneError::TimeWentBack { from: current.time, to: next.time });
        }
        self.next = Some(next);
        Ok(())
    }

    fn transition(&mut self) {
        let Some(next) = self.next.take() else { return };
        for state in self.current.iter().flat_map(|snapshot| &snapshot.entities) {
            if let Some(held) = held(&mut self.entities, state) {
                held.is_current = false;
            }
        }
        for state in &next.entities {
            if let Some(held) = held(&mut self.entities, state) {
                *held = Held { current: held.next, next: held.next, is_current: true, blends: false };
            }
        }
        if let Some(current) = &self.current {
            let jumped = (next.player.flags ^ current.player.flags) & entity_flag::TELEPORT_BIT != 0;
            self.teleported |= jumped;
        }
        self.spare = self.current.replace(next);
    }
}

fn held<'a>(entities: &'a mut [Held], state: &EntityState) -> Option<&'a mut Held> {
    entities.get_mut(state.num()?.index())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::math::vec3;
    use fogline_common::openarena::trajectory;
    use fogline_common::proto::Trajectory;

    const STYLE: Style = Style::Ioquake3 { smooth_clients: false };

    fn entity(number: i32, x: f32, flags: i32) -> EntityState {
        let pos =
            Trajectory { kind: trajectory::INTERPOLATE, base: vec3(x, 0.0, 0.0), ..Trajectory::default() };
        EntityState { number, flags, pos, ..EntityState::default() }
    }

    fn snapshot(message: u32, entities: Vec<EntityState>) -> Snapshot {
        let time = ServerTime(message as i32 * 50);
        Snapshot { message, time, entities, ..Snapshot::default() }
    }

    fn x_at(scene: &Scene, num: usize, now: i32) -> Option<f32> {
        let moment = scene.moment(ServerTime(now)).unwrap();
        Some(scene.drawn(EntityNum::new(num).unwrap(), &moment, STYLE)?.origin.x)
    }

    #[test]
    fn an_entity_in_both_snapshots_is_blended_a_new_one_waits_and_a_teleported_one_jumps() {
        let mut ring = SnapshotRing::default();
        ring.file(snapshot(1, vec![entity(5, 0.0, 0), entity(6, 0.0, 0)]));
        let jumped = entity_flag::TELEPORT_BIT;
        ring.file(snapshot(2, vec![entity(5, 10.0, 0), entity(6, 10.0, jumped), entity(7, 1.0, 0)]));
        let mut scene = Scene::default();
        let mut entered = Vec::new();
        scene.process(&ring, ServerTime(75), |s| entered.push(s.message)).unwrap();
        assert_eq!(
            (x_at(&scene, 5, 75), x_at(&scene, 6, 75), x_at(&scene, 7, 75)),
            (Some(5.0), Some(0.0), None)
        );
        scene.process(&ring, ServerTime(100), |s| entered.push(s.message)).unwrap();
        assert_eq!((x_at(&scene, 6, 100), x_at(&scene, 7, 100)), (Some(10.0), Some(1.0)));
        assert_eq!(entered, [1, 2]);
    }

    #[test]
    fn who_is_held_on_a_lift_goes_with_it() {
        let mut lift = entity(70, 0.0, 0);
        lift.entity_type = entity_type::MOVER;
        lift.pos.kind = trajectory::LINEAR;
        lift.pos.delta = vec3(0.0, 0.0, 100.0);
        let rider = EntityState { ground_entity: 70, ..entity(5, 3.0, 0) };
        let mut ring = SnapshotRing::default();
        ring.file(snapshot(1, vec![rider, lift]));
        let mut scene = Scene::default();
        scene.process(&ring, ServerTime(70), |_| ()).unwrap();
        let moment = scene.moment(ServerTime(70)).unwrap();
        let at = scene.drawn(EntityNum::new(5).unwrap(), &moment, STYLE).unwrap().origin;
        assert_eq!((at.x, at.z), (3.0, 2.0));
    }

    #[test]
    fn what_left_is_no_longer_drawn() {
        let mut ring = SnapshotRing::default();
        ring.file(snapshot(1, vec![entity(5, 0.0, 0)]));
        ring.file(snapshot(2, vec![]));
        let mut scene = Scene::default();
        scene.process(&ring, ServerTime(60), |_| ()).unwrap();
        assert_eq!(x_at(&scene, 5, 60), Some(0.0));
        scene.process(&ring, ServerTime(100), |_| ()).unwrap();
        assert_eq!(x_at(&scene, 5, 100), None);
    }

    #[test]
    fn a_snapshot_older_than_the_current_one_is_an_error() {
        let mut ring = SnapshotRing::default();
        ring.file(snapshot(3, vec![]));
        ring.file(Snapshot { message: 4, time: ServerTime(10), ..Snapshot::default() });
        let result = Scene::default().process(&ring, ServerTime(150), |_| ());
        assert_eq!(result, Err(SceneError::TimeWentBack { from: ServerTime(150), to: ServerTime(10) }));
    }
}
