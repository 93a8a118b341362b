//! What skill changes: how soon, how fast and how well a bot aims and moves.

use fogline_common::time::Millis;

/// Lowest and highest skill.
pub(super) const SKILLS: (f32, f32) = (1.0, 5.0);

/// What a bot can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Skill {
    /// From seeing somebody to the first shot.
    pub(super) reaction: Millis,
    /// How fast it turns at most. Unit: degrees a second.
    pub(super) turn_speed: f32,
    /// Share of what is left to turn that it turns in a second.
    pub(super) turn_gain: f32,
    /// How far off it aims, of a standing enemy. Unit: degrees, one standard deviation.
    pub(super) aim_error: f32,
    /// How much of an enemy's movement it foresees. `0.0..=1.0`.
    pub(super) lead: f32,
    /// How often it changes sides while it fights.
    pub(super) dodge_pause: Millis,
    /// It sees missiles come, and steps aside.
    pub(super) sees_missiles: bool,
    /// Half of its field of view. Unit: cosine.
    pub(super) view_cosine: f32,
}

impl Skill {
    /// Of a number from 1 to 5; what lies between is in between.
    pub(super) fn of(number: f32) -> Self {
        let number = if number.is_finite() { number.clamp(SKILLS.0, SKILLS.1) } else { SKILLS.0 };
        let share = (number - SKILLS.0) / (SKILLS.1 - SKILLS.0);
        let between = |low: f32, high: f32| low + (high - low) * share;
        Self {
            reaction: Millis(between(550.0, 120.0) as i32),
            turn_speed: between(180.0, 700.0),
            turn_gain: between(4.0, 14.0),
            aim_error: between(6.0, 0.8),
            lead: between(0.2, 1.0),
            dodge_pause: Millis(between(1600.0, 450.0) as i32),
            sees_missiles: number >= 2.5,
            view_cosine: between(0.6, 0.2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_skill_is_quicker_and_straighter() {
        for number in 1..5 {
            let (less, more) = (Skill::of(number as f32), Skill::of(number as f32 + 1.0));
            assert!(more.reaction < less.reaction && more.aim_error < less.aim_error);
            assert!(more.turn_speed > less.turn_speed && more.lead > less.lead);
        }
        assert_eq!(Skill::of(99.0), Skill::of(5.0));
        assert_eq!(Skill::of(f32::NAN), Skill::of(1.0));
    }
}
