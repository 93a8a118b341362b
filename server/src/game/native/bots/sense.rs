//! What a bot knows of the others: whom it sees through no wall, whom it heard, and where they were last.

use super::skill::Skill;
use super::thought::Scene;
use fogline_common::ids::ClientNum;
use fogline_common::math::{Vec3, vec3};
use fogline_common::openarena::{entity_flag, powerup, team};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{PlayerState, mask};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::TraceRequest;

/// Who was in view a moment ago stays in the corner of the eye.
const ATTENTION: Millis = Millis(1500);
/// Shots are heard this far.
const HEARS_SHOTS: f32 = 1200.0;
/// Running steps are heard this far.
const HEARS_STEPS: f32 = 450.0;
/// Slower than this makes no sound. Unit: units/s.
const SILENT_SPEED: f32 = 200.0;
/// Nobody is made out farther away.
const SIGHT: f32 = 6000.0;
/// The invisible are made out from this near.
const SIGHT_OF_INVISIBLE: f32 = 250.0;
/// What was heard is known to this cell. Unit: units.
const HEARD_CELL: f32 = 128.0;

/// What is known of one player.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contact {
    /// It is in view.
    pub(super) in_view: bool,
    /// Since when, or since when not.
    pub(super) since: ServerTime,
    /// When it was last seen or heard; `None` for never.
    pub(super) noticed: Option<ServerTime>,
    /// Where that was.
    pub(super) place: Vec3,
    /// How it moved then. Unit: units/s.
    pub(super) velocity: Vec3,
    /// Its chest is in view; else only its head.
    pub(super) chest_in_view: bool,
}

/// What is known of everybody. Shape: by client number.
#[derive(Clone, Debug)]
pub(super) struct Senses {
    contacts: [Contact; MAX_CLIENTS],
}

impl Default for Senses {
    fn default() -> Self {
        Self { contacts: [Contact::default(); MAX_CLIENTS] }
    }
}

impl Senses {
    /// What is known of a player.
    pub(super) fn of(&self, num: ClientNum) -> &Contact {
        &self.contacts[num.index()]
    }

    /// Looks and listens. To be done some times a second.
    pub(super) fn update(&mut self, scene: &Scene<'_>, me: ClientNum, skill: &Skill) {
        let now = scene.game.level.time;
        let own = &scene.game.clients[me.index()];
        let eye = own.ps.origin + vec3(0.0, 0.0, own.ps.view_height as f32);
        let ahead = fogline_common::math::angle_vectors(own.ps.view_angles).forward;
        for num in scene.game.slots() {
            let contact = &mut self.contacts[num.index()];
            if num == me || !is_foe(scene, me, num) {
                *contact = Contact::default();
                continue;
            }
            let other = &scene.game.clients[num.index()].ps;
            let offset = other.origin - eye;
            let (direction, distance) = offset.normalize_with_length();
            let watched = contact.noticed.is_some_and(|at| now - at < ATTENTION);
            let in_field = watched || direction.dot(ahead) > skill.view_cosine;
            let hidden = other.powerups[powerup::INVIS as usize] != 0
                && distance > SIGHT_OF_INVISIBLE
                && other.flags & entity_flag::FIRING == 0;
            let in_view = in_field && !hidden && distance < SIGHT && sees(scene, eye, other, contact);
            if in_view != contact.in_view {
                contact.in_view = in_view;
                contact.since = now;
            }
            if in_view {
                contact.noticed = Some(now);
                contact.place = other.origin;
                contact.velocity = other.velocity;
            } else if hears(scene, own.life.last_hurt_by == Some(num), other, distance, own.ps.origin) {
                contact.noticed = Some(now);
                contact.place = heard_at(other.origin);
                contact.velocity = Vec3::ZERO;
            }
        }
    }
}

/// Whether the player fights against `me` and is alive.
pub(super) fn is_foe(scene: &Scene<'_>, me: ClientNum, num: ClientNum) -> bool {
    let (own, other) = (&scene.game.clients[me.index()], &scene.game.clients[num.index()]);
    let same_team = own.session.team != team::FREE && own.session.team == other.session.team;
    other.in_game() && !same_team && other.health() > 0 && !scene.game.entities[num.entity()].no_target
}

/// Whether nothing opaque stands between an eye and a player's chest or head.
fn sees(scene: &Scene<'_>, eye: Vec3, other: &PlayerState, contact: &mut Contact) -> bool {
    if !scene.host.in_pvs(eye, other.origin, false) {
        return false;
    }
    let clear = |to: Vec3| {
        let request = TraceRequest::ray(eye, to, mask::SOLID, None);
        scene.host.trace(&scene.game.entities, &request).fraction >= 1.0
    };
    contact.chest_in_view = clear(other.origin + vec3(0.0, 0.0, 8.0));
    contact.chest_in_view || clear(other.origin + vec3(0.0, 0.0, other.view_height as f32))
}

fn hears(scene: &Scene<'_>, hurt_me: bool, other: &PlayerState, distance: f32, from: Vec3) -> bool {
    let fires = other.flags & entity_flag::FIRING != 0;
    let runs = other.velocity.length() > SILENT_SPEED;
    let loud = fires && (distance < HEARS_SHOTS || hurt_me) || runs && distance < HEARS_STEPS;
    loud && (distance < HEARS_STEPS || scene.host.in_pvs(from, other.origin, true))
}

/// A place as ears know it: the middle of a cell.
fn heard_at(place: Vec3) -> Vec3 {
    let middle = |value: f32| ((value / HEARD_CELL).floor() + 0.5) * HEARD_CELL;
    vec3(middle(place.x), middle(place.y), place.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ears_know_a_place_to_its_cell_only() {
        let (a, b) = (heard_at(vec3(3.0, -3.0, 40.0)), heard_at(vec3(120.0, -120.0, 40.0)));
        assert_eq!(a, b);
        assert_eq!(a, vec3(64.0, -64.0, 40.0));
        assert_ne!(heard_at(vec3(130.0, -3.0, 40.0)), a);
    }

    #[test]
    fn nobody_is_known_at_first() {
        let senses = Senses::default();
        let known = |num: ClientNum| senses.of(num).in_view || senses.of(num).noticed.is_some();
        assert!(!ClientNum::all(MAX_CLIENTS).any(known));
    }
}
