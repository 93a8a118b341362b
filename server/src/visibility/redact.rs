//! What is taken out of what a client is told so that nothing else names or places a player whom it is not told of.
//!
//! In: an entity that the gates let through, and which players the client is told of. Out: the state to send, changed or not, or
//! none. Of players nothing is changed but what they stand on; they are told of or not. The table of every such way, with what is
//! done about it and why, is `docs/leaks.md`; this file is its code.

use super::hearing::HEARING;
use crate::game::SharedEntity;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_flag, entity_type, event, shared, trajectory, weapon};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{EntityState, Trajectory};
use fogline_common::time::{Millis, ServerTime};

/// A set of players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerSet(u64);

impl PlayerSet {
    /// Bit n stands for slot n.
    pub const fn of_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Adds one.
    pub fn insert(&mut self, player: ClientNum) {
        self.0 |= 1 << player.index();
    }

    /// Whether it is in the set.
    pub fn has(self, player: ClientNum) -> bool {
        self.0 >> player.index() & 1 == 1
    }

    /// Those that are in this set and not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether nobody is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What redaction needs to know of one client's snapshot.
pub struct Redaction<'a> {
    /// Players that exist and that the client is not told of.
    pub untold: PlayerSet,
    /// From within whom each event entity came, when it began: players move on while it lasts. Shape: by number.
    pub sources: &'a [Option<ClientNum>],
    /// The moment.
    pub now: ServerTime,
    /// Where the client listens, if it is to hear of players out of sight.
    pub ear: Option<Vec3>,
}

/// A burst is as large as this to each side. Unit: world units.
const BURST: f32 = 24.0;
/// A slot that nobody can have: stock clients take what is out of range for no particular player.
const NO_CLIENT: i32 = MAX_CLIENTS as i32;
/// Pieces that a beam is looked at in.
const BEAM_PIECES: u8 = 16;
/// A missile is told of as long before it comes into view.
const MISSILE_LEAD: Millis = Millis(200);

impl Redaction<'_> {
    /// What the client is told of this entity, if anything. `sees` says whether a point is in its sight.
    pub fn apply(&self, entity: &SharedEntity, sees: impl FnMut(Vec3) -> bool) -> Option<EntityState> {
        let mut state = entity.state;
        if self.untold.is_empty() {
            return Some(state);
        }
        let is_player = usize::try_from(state.number).is_ok_and(|number| number < MAX_CLIENTS);
        if self.names_untold(state.ground_entity) {
            // A player stays on its feet, or it would be drawn as one that falls.
            state.ground_entity =
                if is_player { EntityNum::WORLD.index() as i32 } else { EntityNum::NONE_ON_WIRE };
        }
        if is_player {
            return Some(state);
        }
        match state.entity_type {
            entity_type::MISSILE => self.missile(entity.link.owner, state, sees),
            // Its rope is drawn to its owner.
            entity_type::GRAPPLE => (!self.names_untold(entity.link.owner)).then_some(state),
            events if events > entity_type::EVENTS => {
                self.event(events - entity_type::EVENTS, entity.link.owner, state, sees)
            }
            entity_type::GENERAL if state.event != 0 => self.burst(entity.link.owner, state, sees),
            _ => Some(state),
        }
    }

    /// Whether nothing of this entity can tell of an untold player, so that it is told of as it is. [`apply`](Self::apply) says
    /// the same, and takes copies to do so.
    pub fn leaves(&self, entity: &SharedEntity) -> bool {
        let state = &entity.state;
        if self.untold.is_empty() {
            return true;
        }
        let tells_nothing = match state.entity_type {
            entity_type::MISSILE | entity_type::GRAPPLE => false,
            entity_type::GENERAL => state.event == 0,
            other => other <= entity_type::EVENTS,
        };
        tells_nothing && !self.names_untold(state.ground_entity)
    }

    fn names_untold(&self, number: i32) -> bool {
        self.as_untold(number).is_some()
    }

    /// The untold player that an entity number names.
    fn as_untold(&self, number: i32) -> Option<ClientNum> {
        let player = usize::try_from(number).ok().and_then(ClientNum::new)?;
        self.untold.has(player).then_some(player)
    }

    /// Whether it is an event of an untold player, from which alone the client could know where it is.
    pub fn is_of_untold(&self, state: &EntityState) -> bool {
        let kind = state.entity_type - entity_type::EVENTS;
        let is_flash = matches!(kind, event::PLAYER_TELEPORT_IN | event::PLAYER_TELEPORT_OUT);
        kind > 0 && !is_flash && self.source(kind, state).is_some()
    }

    /// The untold player whose doing or suffering an event is, and from which alone the client could know where it is.
    pub fn source(&self, kind: i32, state: &EntityState) -> Option<ClientNum> {
        if state.flags & entity_flag::PLAYER_EVENT != 0 {
            return self.as_untold(state.other_entity);
        }
        match kind {
            event::PLAYER_TELEPORT_IN | event::PLAYER_TELEPORT_OUT => self.as_untold(state.client_num),
            _ if comes_from_within(kind) => {
                self.sources[state.num()?.index()].filter(|&source| self.untold.has(source))
            }
            _ => None,
        }
    }

    /// Whether a client that looks and listens as it should knows that something burst at a place.
    fn is_witnessed(&self, place: Vec3, mut sees: impl FnMut(Vec3) -> bool) -> bool {
        if self.ear.is_some_and(|ear| ear.distance(place) < HEARING) {
            return true;
        }
        let sides = [
            Vec3::ZERO,
            vec3(BURST, 0.0, 0.0),
            vec3(-BURST, 0.0, 0.0),
            vec3(0.0, BURST, 0.0),
            vec3(0.0, -BURST, 0.0),
            vec3(0.0, 0.0, BURST),
            vec3(0.0, 0.0, -BURST),
        ];
        sides.into_iter().any(|side| sees(place + side))
    }

    /// What is left of a missile for the time of its event: the same as an event that lives alone.
    fn burst(
        &self,
        owner: i32,
        mut state: EntityState,
        sees: impl FnMut(Vec3) -> bool,
    ) -> Option<EntityState> {
        let (kind, count) = (state.event & !shared::EV_EVENT_BITS, state.event & shared::EV_EVENT_BITS);
        if kind == event::MISSILE_HIT && self.names_untold(state.other_entity) {
            state.event = event::MISSILE_MISS | count;
        }
        if self.names_untold(state.other_entity) {
            state.other_entity = EntityNum::NONE_ON_WIRE;
        }
        let is_hit = state.event & !shared::EV_EVENT_BITS == event::MISSILE_HIT;
        let told = is_hit || !self.names_untold(owner) || self.is_witnessed(state.pos.base, sees);
        told.then_some(state)
    }

    fn event(
        &self,
        kind: i32,
        owner: i32,
        mut state: EntityState,
        mut sees: impl FnMut(Vec3) -> bool,
    ) -> Option<EntityState> {
        match kind {
            // Everybody is told what happened, and nobody's client asks where.
            event::OBITUARY | event::GLOBAL_SOUND | event::GLOBAL_TEAM_SOUND | event::GLOBAL_ITEM_PICKUP => {
                state.pos = Trajectory { kind: trajectory::STATIONARY, ..Trajectory::default() };
                state.origin = Vec3::ZERO;
                return Some(state);
            }
            event::BULLET_HIT_FLESH if self.names_untold(state.event_parm) => return None,
            event::MISSILE_HIT if self.names_untold(state.other_entity) => {
                if state.weapon == weapon::GAUNTLET {
                    return None;
                }
                state.entity_type = entity_type::EVENTS + event::MISSILE_MISS;
            }
            event::BULLET_HIT_WALL | event::MISSILE_MISS | event::MISSILE_MISS_METAL
                if [owner, state.other_entity].into_iter().any(|number| self.names_untold(number))
                    && !self.is_witnessed(state.pos.base, &mut sees) =>
            {
                return None;
            }
            // Its pellets are computed by the client, from the muzzle.
            event::SHOTGUN | event::LIGHTNINGBOLT if self.names_untold(state.other_entity) => return None,
            event::RAILTRAIL if self.names_untold(state.client_num) => {
                return seen_part_of_beam(state, sees);
            }
            event::SCOREPLUM if !sees(state.pos.base) => return None,
            event::PLAYER_TELEPORT_IN | event::PLAYER_TELEPORT_OUT if self.names_untold(state.client_num) => {
                // The flash is there for all who look.
                return sees(state.pos.base).then_some(EntityState { client_num: 0, ..state });
            }
            _ => {}
        }
        if self.source(kind, &state).is_some() {
            return None;
        }
        if matches!(kind, event::BULLET_HIT_WALL | event::BULLET_HIT_FLESH)
            && self.names_untold(state.client_num)
        {
            state.client_num = NO_CLIENT;
        }
        if self.names_untold(state.other_entity) {
            state.other_entity = EntityNum::NONE_ON_WIRE;
        }
        Some(state)
    }

    /// A missile shows where it is and not where it was launched; while nobody sees it nor will soon, it is not told of.
    fn missile(
        &self,
        owner: i32,
        mut state: EntityState,
        mut sees: impl FnMut(Vec3) -> bool,
    ) -> Option<EntityState> {
        if !self.names_untold(owner) {
            return Some(state);
        }
        let here = state.pos.at(self.now);
        if !sees(here) && !sees(state.pos.at(self.now + MISSILE_LEAD)) {
            return None;
        }
        if matches!(state.pos.kind, trajectory::LINEAR | trajectory::GRAVITY) {
            state.pos.delta = state.pos.velocity_at(self.now);
            state.pos.base = here;
            state.pos.time = self.now.0;
        }
        state.origin = here;
        if self.names_untold(state.other_entity) {
            state.other_entity = EntityNum::NONE_ON_WIRE;
        }
        Some(state)
    }
}

/// Whether an event that names nobody is the doing or suffering of whoever stands where it begins.
pub const fn comes_from_within(kind: i32) -> bool {
    matches!(
        kind,
        event::GENERAL_SOUND
            | event::GIB_PLAYER
            | event::ITEM_PICKUP
            | event::POWERUP_QUAD
            | event::POWERUP_BATTLESUIT
            | event::POWERUP_REGEN
            | event::INVUL_IMPACT
            | event::JUICED
    )
}

/// A beam begins where it is first seen: its true beginning is the muzzle.
fn seen_part_of_beam(mut state: EntityState, mut sees: impl FnMut(Vec3) -> bool) -> Option<EntityState> {
    let (muzzle, way) = (state.origin2, state.pos.base - state.origin2);
    let part = |n: u8| muzzle.mul_add(f32::from(n) / f32::from(BEAM_PIECES), way);
    state.origin2 = (0..=BEAM_PIECES).map(part).find(|&point| sees(point))?;
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fogline_common::proto::limits::MAX_ENTITIES;

    const HIDDEN: i32 = 5;

    /// What came from within the hidden player has this number.
    const FROM_WITHIN: usize = 210;

    fn untold() -> (PlayerSet, Vec<Option<ClientNum>>) {
        let hidden = ClientNum::new(HIDDEN as usize).unwrap();
        let mut untold = PlayerSet::default();
        untold.insert(hidden);
        let mut sources = vec![None; MAX_ENTITIES];
        sources[FROM_WITHIN] = Some(hidden);
        (untold, sources)
    }

    fn apply(entity: &SharedEntity, sees: impl FnMut(Vec3) -> bool) -> Option<EntityState> {
        let (untold, sources) = untold();
        Redaction { untold, sources: &sources, now: ServerTime(1000), ear: None }.apply(entity, sees)
    }

    fn event(kind: i32, change: impl FnOnce(&mut EntityState)) -> SharedEntity {
        let mut entity = SharedEntity::default();
        entity.state.number = 200;
        entity.state.entity_type = entity_type::EVENTS + kind;
        entity.link.owner = EntityNum::NONE_ON_WIRE;
        change(&mut entity.state);
        entity
    }

    #[test]
    fn a_hidden_players_own_events_are_not_sent() {
        let step = event(event::FOOTSTEP, |state| {
            state.flags |= entity_flag::PLAYER_EVENT;
            state.other_entity = HIDDEN;
        });
        assert_eq!(apply(&step, |_| true), None);
        let of_another = event(event::FOOTSTEP, |state| {
            state.flags |= entity_flag::PLAYER_EVENT;
            state.other_entity = 6;
        });
        assert_eq!(apply(&of_another, |_| false), Some(of_another.state));
    }

    #[test]
    fn what_is_left_alone_is_told_as_it_is() {
        let (untold, sources) = untold();
        let redaction = Redaction { untold, sources: &sources, now: ServerTime(1000), ear: None };
        let mut left_alone = 0;
        for kind in 0..entity_type::EVENTS + 100 {
            for (ground, number, what) in
                [(HIDDEN, 200, 0), (7, 200, 0), (7, 200, event::MISSILE_HIT), (HIDDEN, 7, 0), (7, 7, 0)]
            {
                let mut entity = SharedEntity::default();
                entity.state.entity_type = kind;
                (entity.state.ground_entity, entity.state.number, entity.state.event) =
                    (ground, number, what);
                (entity.state.other_entity, entity.link.owner) = (HIDDEN, HIDDEN);
                if redaction.leaves(&entity) {
                    left_alone += 1;
                    assert_eq!(redaction.apply(&entity, |_| false), Some(entity.state), "{kind}");
                }
            }
        }
        assert!(left_alone > 30, "{left_alone}");
    }

    #[test]
    fn a_sound_from_within_a_hidden_player_is_not_sent() {
        for kind in [event::GENERAL_SOUND, event::GIB_PLAYER, event::INVUL_IMPACT, event::JUICED] {
            let of = |number: usize| event(kind, |state| state.number = number as i32);
            assert_eq!(apply(&of(FROM_WITHIN), |_| true), None);
            assert!(apply(&of(FROM_WITHIN + 1), |_| true).is_some());
        }
    }

    #[test]
    fn what_is_told_to_all_has_no_place() {
        for kind in [event::GLOBAL_SOUND, event::GLOBAL_TEAM_SOUND, event::GLOBAL_ITEM_PICKUP] {
            let told = apply(&event(kind, |state| state.pos.base = vec3(100.0, 0.0, 0.0)), |_| false);
            assert_eq!(told.map(|state| (state.pos.base, state.origin)), Some((Vec3::ZERO, Vec3::ZERO)));
        }
    }

    #[test]
    fn nothing_is_drawn_from_a_muzzle_that_is_not_there() {
        for kind in [event::SHOTGUN, event::LIGHTNINGBOLT] {
            let shot = |by: i32| event(kind, |state| state.other_entity = by);
            assert_eq!(apply(&shot(HIDDEN), |_| true), None);
            assert!(apply(&shot(3), |_| true).is_some());
        }
        let mut rope = SharedEntity::default();
        rope.state.number = 203;
        rope.state.entity_type = entity_type::GRAPPLE;
        rope.link.owner = HIDDEN;
        assert_eq!(apply(&rope, |_| true), None);
        rope.link.owner = 3;
        assert!(apply(&rope, |_| true).is_some());
    }

    #[test]
    fn points_rise_over_a_victim_only_in_sight() {
        let points = event(event::SCOREPLUM, |state| state.other_entity = 3);
        assert_eq!(apply(&points, |_| false), None);
        assert!(apply(&points, |_| true).is_some());
    }

    #[test]
    fn blood_of_a_hidden_victim_is_not_shown() {
        let blood = |victim: i32| event(event::BULLET_HIT_FLESH, |state| state.event_parm = victim);
        assert_eq!(apply(&blood(HIDDEN), |_| true), None);
        assert!(apply(&blood(3), |_| true).is_some());
        let cut = event(event::MISSILE_HIT, |state| {
            (state.other_entity, state.weapon) = (HIDDEN, weapon::GAUNTLET);
        });
        assert_eq!(apply(&cut, |_| true), None);
    }

    #[test]
    fn an_obituary_names_and_does_not_place() {
        let obituary = event(event::OBITUARY, |state| {
            state.pos.base = vec3(100.0, 0.0, 0.0);
            (state.other_entity, state.other_entity2) = (HIDDEN, 3);
        });
        let told = apply(&obituary, |_| false).unwrap();
        assert_eq!((told.pos.base, told.other_entity, told.other_entity2), (Vec3::ZERO, HIDDEN, 3));
    }

    #[test]
    fn a_bullet_in_the_wall_does_not_name_a_hidden_shooter() {
        let wall = event(event::BULLET_HIT_WALL, |state| {
            (state.other_entity, state.client_num) = (HIDDEN, HIDDEN);
        });
        let told = apply(&wall, |_| true).unwrap();
        assert_eq!((told.other_entity, told.client_num), (EntityNum::NONE_ON_WIRE, NO_CLIENT));
        let flesh = event(event::BULLET_HIT_FLESH, |state| {
            (state.other_entity, state.event_parm) = (3, HIDDEN);
        });
        assert_eq!(apply(&flesh, |_| true), None);
    }

    #[test]
    fn a_rocket_into_a_hidden_player_looks_like_one_into_a_wall() {
        let hit = event(event::MISSILE_HIT, |state| {
            (state.other_entity, state.weapon) = (HIDDEN, weapon::ROCKET_LAUNCHER);
        });
        let told = apply(&hit, |_| true).unwrap();
        assert_eq!(told.entity_type, entity_type::EVENTS + event::MISSILE_MISS);
        assert_eq!(told.other_entity, EntityNum::NONE_ON_WIRE);
    }

    #[test]
    fn what_is_left_of_a_rocket_does_not_name_a_hidden_player_either() {
        let mut burst = SharedEntity::default();
        burst.state.number = 202;
        burst.state.event = event::MISSILE_HIT | shared::EV_EVENT_BIT1;
        (burst.state.other_entity, burst.link.owner) = (HIDDEN, 3);
        let told = apply(&burst, |_| true).unwrap();
        assert_eq!(told.event, event::MISSILE_MISS | shared::EV_EVENT_BIT1);
        assert_eq!(told.other_entity, EntityNum::NONE_ON_WIRE);
    }

    #[test]
    fn where_a_hidden_players_shots_end_is_told_to_who_sees_or_hears_it() {
        let mut burst = SharedEntity::default();
        burst.state.number = 202;
        burst.state.event = event::MISSILE_MISS | shared::EV_EVENT_BIT1;
        burst.state.pos.base = vec3(2000.0, 0.0, 0.0);
        burst.link.owner = HIDDEN;
        let mark = event(event::BULLET_HIT_WALL, |state| {
            (state.other_entity, state.pos.base) = (HIDDEN, vec3(2000.0, 0.0, 0.0));
        });
        let mut bolt = event(event::MISSILE_MISS, |state| state.pos.base = vec3(2000.0, 0.0, 0.0));
        bolt.link.owner = HIDDEN;
        for shot in [burst, mark, bolt] {
            assert_eq!(apply(&shot, |_| false), None);
            // A burst is not a point.
            assert!(apply(&shot, |point| point.z > 20.0).is_some());
            let (untold, sources) = untold();
            let hears = |x: f32| {
                let ear = Some(vec3(x, 0.0, 0.0));
                Redaction { untold, sources: &sources, now: ServerTime(1000), ear }
                    .apply(&shot, |_| false)
                    .is_some()
            };
            assert_eq!([hears(600.0), hears(900.0)], [false, true]);
        }
    }

    #[test]
    fn a_beam_begins_where_it_is_seen() {
        let rail = event(event::RAILTRAIL, |state| {
            state.client_num = HIDDEN;
            (state.origin2, state.pos.base) = (vec3(0.0, 0.0, 0.0), vec3(160.0, 0.0, 0.0));
        });
        assert_eq!(apply(&rail, |point| point.x >= 75.0).unwrap().origin2, vec3(80.0, 0.0, 0.0));
        assert_eq!(apply(&rail, |_| false), None);
    }

    #[test]
    fn a_missile_shows_where_it_is_and_not_where_it_came_from() {
        let mut rocket = SharedEntity::default();
        rocket.state.number = 201;
        rocket.state.entity_type = entity_type::MISSILE;
        rocket.state.pos = Trajectory {
            kind: trajectory::LINEAR,
            time: 500,
            duration: 0,
            base: Vec3::ZERO,
            delta: vec3(900.0, 0.0, 0.0),
        };
        rocket.link.owner = HIDDEN;
        let told = apply(&rocket, |point| point.x > 400.0).unwrap();
        assert_eq!((told.pos.base, told.pos.time), (vec3(450.0, 0.0, 0.0), 1000));
        assert_eq!(apply(&rocket, |_| false), None);
        // Soon in view.
        assert!(apply(&rocket, |point| point.x > 600.0).is_some());
        rocket.link.owner = 3;
        assert_eq!(apply(&rocket, |_| false), Some(rocket.state));
    }

    #[test]
    fn nothing_stands_on_who_is_not_there() {
        let mut item = SharedEntity::default();
        item.state.number = 202;
        item.state.ground_entity = HIDDEN;
        assert_eq!(apply(&item, |_| true).unwrap().ground_entity, EntityNum::NONE_ON_WIRE);
        let mut player = item;
        player.state.number = 3;
        assert_eq!(apply(&player, |_| true).unwrap().ground_entity, EntityNum::WORLD.index() as i32);
        player.state.ground_entity = 4;
        assert_eq!(apply(&player, |_| true), Some(player.state));
    }

    #[test]
    fn a_teleport_out_of_sight_shows_no_flash() {
        let flash = event(event::PLAYER_TELEPORT_IN, |state| state.client_num = HIDDEN);
        assert_eq!(apply(&flash, |_| false), None);
        assert_eq!(apply(&flash, |_| true).unwrap().client_num, 0);
    }
}
