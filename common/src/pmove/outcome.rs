//! What a move noticed on its way: box, water, speed, and what was run into.

use crate::ids::EntityNum;
use crate::math::Bounds;
use std::fmt;
use std::ops::Deref;

/// What a move noticed. All zero if the command lies in the past; bounds and water are zero for those who have no body
/// (noclip, frozen, intermission), as in the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PmoveOutput {
    /// Box around the origin, by stance.
    pub bounds: Bounds,
    /// How deep the player stands in a liquid.
    pub water_level: WaterLevel,
    /// Contents at the feet, if a liquid; see [`contents`](crate::proto::contents).
    pub water_type: i32,
    /// Speed over ground. Unit: units a second.
    pub xy_speed: f32,
    /// Entities run into or stood on in the last step; never the world.
    pub touched: Touched,
    /// Steps that the command was split into.
    pub step_count: u32,
}

/// How deep a player stands in a liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaterLevel {
    /// Not at all.
    #[default]
    Dry,
    /// Feet.
    Feet,
    /// To the waist: swims.
    Waist,
    /// Eyes under: drowns.
    Under,
}

impl WaterLevel {
    /// 0 to 3, the reference's own numbers.
    pub const fn depth(self) -> i32 {
        self as i32
    }
}

/// Entities touched in one step, each once, in order of touch. Limit: 32, later ones are ignored. Source: `MAXTOUCH`.
#[derive(Clone, Copy, PartialEq)]
pub struct Touched {
    list: [EntityNum; MAX_TOUCHED],
    len: u8,
}

impl Touched {
    pub(super) fn note(&mut self, entity: Option<EntityNum>) {
        let Some(entity) = entity.filter(|&e| e != EntityNum::WORLD) else { return };
        if usize::from(self.len) < MAX_TOUCHED && !self.contains(&entity) {
            self.list[usize::from(self.len)] = entity;
            self.len += 1;
        }
    }
}

impl Default for Touched {
    fn default() -> Self {
        Self { list: [EntityNum::WORLD; MAX_TOUCHED], len: 0 }
    }
}

impl Deref for Touched {
    type Target = [EntityNum];
    fn deref(&self) -> &[EntityNum] {
        &self.list[..usize::from(self.len)]
    }
}

impl fmt::Debug for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Most entities that one step remembers to have touched.
pub const MAX_TOUCHED: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touched_entities_are_listed_once_and_the_world_never() {
        let mut touched = Touched::default();
        for raw in (0..40).chain(0..40) {
            touched.note(EntityNum::new(raw));
        }
        touched.note(Some(EntityNum::WORLD));
        touched.note(None);
        assert!(touched.iter().map(|entity| entity.index()).eq(0..MAX_TOUCHED));
    }
}
