//! One player as that player's own client is told of it, and as movement changes it.

use crate::ids::EntityNum;
use crate::math::Vec3;
use bytemuck::{Pod, Zeroable};

/// One player. Layout and source: `playerState_t`, so a game module's memory can be read in place.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[allow(
    missing_docs,
    reason = "the fields are the protocol's own; those whose name does not say it all are explained"
)]
pub struct PlayerState {
    /// Time of the last usercmd executed.
    pub command_time: i32,
    pub pm_type: i32,
    pub bob_cycle: i32,
    pub pm_flags: i32,
    /// Ms left of the timed flags.
    pub pm_time: i32,
    pub origin: Vec3,
    pub velocity: Vec3,
    pub weapon_time: i32,
    pub gravity: i32,
    pub speed: i32,
    /// Added to usercmd angles to get view angles. Unit: 1/65536 of a turn.
    pub delta_angles: [i32; 3],
    /// What the player stands on; 1023 in the air.
    pub ground_entity: i32,
    pub legs_timer: i32,
    pub legs_anim: i32,
    pub torso_timer: i32,
    pub torso_anim: i32,
    /// Direction of the legs relative to the view, 0..=7.
    pub movement_dir: i32,
    pub grapple_point: Vec3,
    /// `eFlags`.
    pub flags: i32,
    /// Predictable events so far.
    pub event_sequence: i32,
    pub events: [i32; 2],
    pub event_parms: [i32; 2],
    pub external_event: i32,
    pub external_event_parm: i32,
    /// Not sent.
    pub external_event_time: i32,
    pub client_num: i32,
    pub weapon: i32,
    pub weapon_state: i32,
    /// Unit: degrees.
    pub view_angles: Vec3,
    /// Height of the eye above the origin.
    pub view_height: i32,
    pub damage_event: i32,
    pub damage_yaw: i32,
    pub damage_pitch: i32,
    pub damage_count: i32,
    pub stats: [i32; 16],
    pub persistant: [i32; 16],
    /// Server time when each powerup ends.
    pub powerups: [i32; 16],
    pub ammo: [i32; 16],
    pub generic1: i32,
    pub loop_sound: i32,
    pub jumppad_entity: i32,
    /// Not sent.
    pub ping: i32,
    /// Not sent.
    pub pmove_frame_count: i32,
    /// Not sent.
    pub jumppad_frame: i32,
    /// Not sent.
    pub entity_event_sequence: i32,
}

/// 32-bit words of a [`PlayerState`].
pub const PLAYER_WORDS: usize = size_of::<PlayerState>() / 4;

impl PlayerState {
    /// The raw 32-bit words, in memory order.
    pub fn words(&self) -> &[u32; PLAYER_WORDS] {
        bytemuck::cast_ref(self)
    }

    /// The raw 32-bit words, in memory order.
    pub fn words_mut(&mut self) -> &mut [u32; PLAYER_WORDS] {
        bytemuck::cast_mut(self)
    }

    /// What the player stands on.
    pub const fn ground(&self) -> Option<EntityNum> {
        EntityNum::from_wire(self.ground_entity)
    }

    /// Where the player looks from.
    pub fn eye(&self) -> Vec3 {
        let mut eye = self.origin;
        eye.z += self.view_height as f32;
        eye
    }
}

const _: () = assert!(size_of::<PlayerState>() == 468);
