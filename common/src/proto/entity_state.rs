//! One entity as clients are told of it.

use crate::ids::EntityNum;
use crate::math::Vec3;
use bytemuck::{Pod, Zeroable};

/// A motion that both ends evaluate for themselves. Source: `trajectory_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Trajectory {
    /// How it moves; see [`trajectory`](crate::openarena::trajectory).
    pub kind: i32,
    /// When it began. Unit: ms of server time.
    pub time: i32,
    /// How long it lasts, where the kind says so. Unit: ms.
    pub duration: i32,
    /// Position (or angles) at the beginning.
    pub base: Vec3,
    /// Velocity, or amplitude, by kind.
    pub delta: Vec3,
}

/// One entity as clients are told of it. Layout and source: `entityState_t`, so a game module's memory can be read in place.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[allow(
    missing_docs,
    reason = "the fields are the protocol's own; those whose name does not say it all are explained"
)]
pub struct EntityState {
    /// Entity number.
    pub number: i32,
    /// `eType`; from `ET_EVENTS` on an event that lives alone.
    pub entity_type: i32,
    /// `eFlags`.
    pub flags: i32,
    pub pos: Trajectory,
    /// Angles over time.
    pub apos: Trajectory,
    pub time: i32,
    pub time2: i32,
    pub origin: Vec3,
    pub origin2: Vec3,
    pub angles: Vec3,
    pub angles2: Vec3,
    pub other_entity: i32,
    pub other_entity2: i32,
    /// What it stands on; 1023 in the air.
    pub ground_entity: i32,
    /// Red, green, blue and intensity, a byte each.
    pub constant_light: i32,
    pub loop_sound: i32,
    pub model_index: i32,
    pub model_index2: i32,
    pub client_num: i32,
    pub frame: i32,
    /// Box for the client's prediction; see the facts page, section 8.
    pub solid: i32,
    /// Event number and two toggle bits.
    pub event: i32,
    pub event_parm: i32,
    /// Powerups as bits.
    pub powerups: i32,
    pub weapon: i32,
    pub legs_anim: i32,
    pub torso_anim: i32,
    pub generic1: i32,
}

/// 32-bit words of an [`EntityState`].
pub const ENTITY_WORDS: usize = size_of::<EntityState>() / 4;

impl EntityState {
    /// The raw 32-bit words, in memory order.
    pub fn words(&self) -> &[u32; ENTITY_WORDS] {
        bytemuck::cast_ref(self)
    }

    /// The raw 32-bit words, in memory order.
    pub fn words_mut(&mut self) -> &mut [u32; ENTITY_WORDS] {
        bytemuck::cast_mut(self)
    }

    /// The entity's own number, if it is one.
    pub const fn num(&self) -> Option<EntityNum> {
        EntityNum::from_wire(self.number)
    }

    /// What it stands on.
    pub const fn ground(&self) -> Option<EntityNum> {
        EntityNum::from_wire(self.ground_entity)
    }
}

const _: () = assert!(size_of::<EntityState>() == 208);
