//! Which fields of a state travel, in which order, in how many bits.
//!
//! The order is by how often a field changes, since a delta says how far down the list it goes. A field is named by its 32-bit word
//! in the state, found by the compiler. Source: facts page "q3-protocol-facts", section 12.

use crate::proto::{ENTITY_WORDS, EntityState, PLAYER_WORDS, PlayerState};
use std::mem::offset_of;

/// One field of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The protocol's own name.
    pub name: &'static str,
    /// The 32-bit word of the state that it is.
    pub word: usize,
    /// Bits of an integer, negative if it is signed; [`FLOAT`] for a float.
    pub bits: i32,
}

/// What [`Field::bits`] is for a float.
pub const FLOAT: i32 = 0;

/// Integral floats from minus this to below it travel short. Unit: none.
pub(super) const FLOAT_INT_BIAS: i32 = 4096;
/// Bits of a short float.
pub(super) const FLOAT_INT_BITS: i32 = 13;

macro_rules! field_table {
    ($state:ident: $($name:literal = $($path:ident).+ $(+ $index:literal)?, $bits:expr;)*) => {
        [$(Field { name: $name, word: offset_of!($state, $($path).+) / 4 $(+ $index)?, bits: $bits }),*]
    };
}

/// Fields of an [`EntityState`]; its number travels apart.
pub const ENTITY_FIELDS: [Field; 51] = field_table![EntityState:
    "pos.trTime" = pos.time, 32;
    "pos.trBase[0]" = pos.base.x, FLOAT;
    "pos.trBase[1]" = pos.base.y, FLOAT;
    "pos.trDelta[0]" = pos.delta.x, FLOAT;
    "pos.trDelta[1]" = pos.delta.y, FLOAT;
    "pos.trBase[2]" = pos.base.z, FLOAT;
    "apos.trBase[1]" = apos.base.y, FLOAT;
    "pos.trDelta[2]" = pos.delta.z, FLOAT;
    "apos.trBase[0]" = apos.base.x, FLOAT;
    "event" = event, 10;
    "angles2[1]" = angles2.y, FLOAT;
    "eType" = entity_type, 8;
    "torsoAnim" = torso_anim, 8;
    "eventParm" = event_parm, 8;
    "legsAnim" = legs_anim, 8;
    "groundEntityNum" = ground_entity, 10;
    "pos.trType" = pos.kind, 8;
    "eFlags" = flags, 19;
    "otherEntityNum" = other_entity, 10;
    "weapon" = weapon, 8;
    "clientNum" = client_num, 8;
    "angles[1]" = angles.y, FLOAT;
    "pos.trDuration" = pos.duration, 32;
    "apos.trType" = apos.kind, 8;
    "origin[0]" = origin.x, FLOAT;
    "origin[1]" = origin.y, FLOAT;
    "origin[2]" = origin.z, FLOAT;
    "solid" = solid, 24;
    "powerups" = powerups, 16;
    "modelindex" = model_index, 8;
    "otherEntityNum2" = other_entity2, 10;
    "loopSound" = loop_sound, 8;
    "generic1" = generic1, 8;
    "origin2[2]" = origin2.z, FLOAT;
    "origin2[0]" = origin2.x, FLOAT;
    "origin2[1]" = origin2.y, FLOAT;
    "modelindex2" = model_index2, 8;
    "angles[0]" = angles.x, FLOAT;
    "time" = time, 32;
    "apos.trTime" = apos.time, 32;
    "apos.trDuration" = apos.duration, 32;
    "apos.trBase[2]" = apos.base.z, FLOAT;
    "apos.trDelta[0]" = apos.delta.x, FLOAT;
    "apos.trDelta[1]" = apos.delta.y, FLOAT;
    "apos.trDelta[2]" = apos.delta.z, FLOAT;
    "time2" = time2, 32;
    "angles[2]" = angles.z, FLOAT;
    "angles2[0]" = angles2.x, FLOAT;
    "angles2[2]" = angles2.z, FLOAT;
    "constantLight" = constant_light, 32;
    "frame" = frame, 16;
];

/// Fields of a [`PlayerState`]; its four arrays travel apart.
pub const PLAYER_FIELDS: [Field; 48] = field_table![PlayerState:
    "commandTime" = command_time, 32;
    "origin[0]" = origin.x, FLOAT;
    "origin[1]" = origin.y, FLOAT;
    "bobCycle" = bob_cycle, 8;
    "velocity[0]" = velocity.x, FLOAT;
    "velocity[1]" = velocity.y, FLOAT;
    "viewangles[1]" = view_angles.y, FLOAT;
    "viewangles[0]" = view_angles.x, FLOAT;
    "weaponTime" = weapon_time, -16;
    "origin[2]" = origin.z, FLOAT;
    "velocity[2]" = velocity.z, FLOAT;
    "legsTimer" = legs_timer, 8;
    "pm_time" = pm_time, -16;
    "eventSequence" = event_sequence, 16;
    "torsoAnim" = torso_anim, 8;
    "movementDir" = movement_dir, 4;
    "events[0]" = events + 0, 8;
    "legsAnim" = legs_anim, 8;
    "events[1]" = events + 1, 8;
    "pm_flags" = pm_flags, 16;
    "groundEntityNum" = ground_entity, 10;
    "weaponstate" = weapon_state, 4;
    "eFlags" = flags, 16;
    "externalEvent" = external_event, 10;
    "gravity" = gravity, 16;
    "speed" = speed, 16;
    "delta_angles[1]" = delta_angles + 1, 16;
    "externalEventParm" = external_event_parm, 8;
    "viewheight" = view_height, -8;
    "damageEvent" = damage_event, 8;
    "damageYaw" = damage_yaw, 8;
    "damagePitch" = damage_pitch, 8;
    "damageCount" = damage_count, 8;
    "generic1" = generic1, 8;
    "pm_type" = pm_type, 8;
    "delta_angles[0]" = delta_angles + 0, 16;
    "delta_angles[2]" = delta_angles + 2, 16;
    "torsoTimer" = torso_timer, 12;
    "eventParms[0]" = event_parms + 0, 8;
    "eventParms[1]" = event_parms + 1, 8;
    "clientNum" = client_num, 8;
    "weapon" = weapon, 5;
    "viewangles[2]" = view_angles.z, FLOAT;
    "grapplePoint[0]" = grapple_point.x, FLOAT;
    "grapplePoint[1]" = grapple_point.y, FLOAT;
    "grapplePoint[2]" = grapple_point.z, FLOAT;
    "jumppad_ent" = jumppad_entity, 10;
    "loopSound" = loop_sound, 16;
];

/// Elements of each of the four arrays of a [`PlayerState`].
pub(super) const PLAYER_ARRAY_LENGTH: usize = 16;

/// First words of the four arrays, in the order in which they travel.
pub(super) const PLAYER_ARRAYS: [usize; 4] = [
    offset_of!(PlayerState, stats) / 4,
    offset_of!(PlayerState, persistant) / 4,
    offset_of!(PlayerState, ammo) / 4,
    offset_of!(PlayerState, powerups) / 4,
];

/// Bits of an element of each of those arrays.
pub(super) const PLAYER_ARRAY_BITS: [i32; 4] = [16, 16, 16, 32];

/// What [`ENTITY_FIELD_OF_WORD`] and [`PLAYER_FIELD_OF_WORD`] hold for a word that is no field.
pub(super) const NO_FIELD: u8 = u8::MAX;

/// Index into [`ENTITY_FIELDS`] of each word of an [`EntityState`].
pub(super) const ENTITY_FIELD_OF_WORD: [u8; ENTITY_WORDS] = field_of_word(&ENTITY_FIELDS);

/// Index into [`PLAYER_FIELDS`] of each word of a [`PlayerState`].
pub(super) const PLAYER_FIELD_OF_WORD: [u8; PLAYER_WORDS] = field_of_word(&PLAYER_FIELDS);

const fn field_of_word<const WORDS: usize>(fields: &[Field]) -> [u8; WORDS] {
    let mut table = [NO_FIELD; WORDS];
    let mut index = 0;
    while index < fields.len() {
        assert!(table[fields[index].word] == NO_FIELD, "two fields share a word");
        table[fields[index].word] = index as u8;
        index += 1;
    }
    table
}

// The changed fields of a state are kept in one u64.
const _: () = assert!(ENTITY_FIELDS.len() <= 64 && PLAYER_FIELDS.len() <= 64);
// Every word of an entity but its number travels.
const _: () = assert!(ENTITY_FIELDS.len() + 1 == ENTITY_WORDS);
