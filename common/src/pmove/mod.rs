//! How a player moves, step for step as the client predicts it.
//!
//! In: a [`PlayerState`], one usercmd and a world to sweep through. Out: the state after the command, and what the step noticed
//! (bounds, water, things touched). Client and server run the same arithmetic on the same inputs, so a single differing bit
//! is a prediction error on somebody's screen: everything is f32 in the order in which C evaluates it, with f64 exactly where
//! a C double constant widens an expression. Nothing here allocates, reads a clock or knows the rest of the game.
//!
//! A file is an idea: view, stance (box and eye), ground, slide, drive (friction and acceleration), walk, water, fly, weapon,
//! animation, footsteps. `Move::step` below puts them in order. What the two halves of the game share next to
//! movement stands beside it: [`player_state_to_entity_state`], [`touch_jump_pad`], [`player_touches_item`],
//! [`add_predictable_event`], [`reload_ms`], [`speed_with_powerups`].
//!
//! Source: facts page "q3-protocol-facts", sections 10 to 12; `Pmove` of OpenArena 0.8.8.

mod animation;
mod convert;
mod drive;
mod events;
mod fly;
mod footsteps;
mod ground;
mod outcome;
mod powerups;
mod slide;
mod stance;
#[cfg(test)]
mod test_world;
mod touch;
mod view;
mod walk;
mod water;
mod weapon;

pub use convert::{player_state_to_entity_state, player_state_to_entity_state_extrapolated};
pub use events::add_predictable_event;
pub use outcome::{MAX_TOUCHED, PmoveOutput, Touched, WaterLevel};
pub use powerups::{carried_powerup, speed_with_powerups};
pub use touch::{forget_left_jump_pad, player_touches_item, touch_jump_pad};
pub use view::update_view_angles;
pub use weapon::reload_ms;

/// What bounds movement, for those who reason about it: see [`reach`](crate::reach).
pub(crate) mod limits {
    pub(crate) use super::drive::{
        AIR_ACCELERATION, FLIGHT_FRICTION, GROUND_ACCELERATION, GROUND_FRICTION, STOP_SPEED,
        WATER_ACCELERATION, WATER_FRICTION,
    };
    pub(crate) use super::fly::GRAPPLE_SPEED;
    pub(crate) use super::ground::MIN_WALK_NORMAL;
    pub(crate) use super::slide::STEP_SIZE;
    pub(crate) use super::walk::JUMP_VELOCITY;
    pub(crate) use super::water::{SWIM_SCALE, WATER_JUMP_VELOCITY};
}

use crate::ids::EntityNum;
use crate::math::{Vec3, angle_vectors};
use crate::openarena::{entity_flag, pm_flag, pm_type, powerup, stat};
use crate::proto::{PlayerState, UserCmd, button, contents};
use crate::time::CommandTime;
use crate::trace::{Trace, TraceRequest, Tracer};
use ground::Ground;

/// What the host may change about movement. Clients learn it from systeminfo and serverinfo and predict with the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PmoveSettings {
    /// Length of every step under `pmove_fixed`, the value of `pmove_msec`. Unit: ms. `None`: as long as the command, at most 66.
    pub fixed_step_ms: Option<i32>,
    /// `pmove_float`: velocity keeps its fractions; else it is rounded to whole units after each step.
    pub float_velocity: bool,
    /// The whole of `dmflags`; see [`dm_flag`](crate::openarena::dm_flag). Read here: no footsteps, instant weapon change, no bunny.
    pub dm_flags: i32,
}

impl PmoveSettings {
    /// The time to run a command to: as claimed, or rounded *up* to a whole fixed step. Source: `ClientThink_real`.
    #[must_use]
    pub fn command_time(&self, claimed: CommandTime) -> CommandTime {
        let Some(step) = self.fixed_step_ms.map(|step| step.max(1)) else { return claimed };
        CommandTime((claimed.0.saturating_add(step - 1) / step).saturating_mul(step))
    }

    fn has(&self, flag: i32) -> bool {
        self.dm_flags & flag != 0
    }
}

/// What a move is made from, beside the state that it changes.
#[derive(Clone, Copy)]
pub struct PmoveInput<'w> {
    /// The command; its time as [`PmoveSettings::command_time`] gives it.
    pub cmd: UserCmd,
    /// The world.
    pub tracer: &'w dyn Tracer,
    /// Contents that stop the player; see [`mask`](crate::proto::mask). Corpses lose `BODY` of it by themselves.
    pub trace_mask: i32,
    /// The host's settings.
    pub settings: PmoveSettings,
    /// The gauntlet would hit somebody now; without it the gauntlet does not fire.
    pub gauntlet_hit: bool,
}

/// Runs one usercmd. Long ones are split into steps, so that the result hardly depends on the client's frame rate.
///
/// A command older than the state changes nothing; of one that lies further ahead than a second, the last second is run.
/// Source: `Pmove`.
pub fn pmove(ps: &mut PlayerState, input: &PmoveInput<'_>) -> PmoveOutput {
    let final_time = input.cmd.server_time;
    if final_time < ps.command_time {
        return PmoveOutput::default();
    }
    if final_time > ps.command_time.saturating_add(LONGEST_MOVE_MS) {
        ps.command_time = final_time - LONGEST_MOVE_MS;
    }
    ps.pmove_frame_count = ps.pmove_frame_count.wrapping_add(1) & FRAME_COUNT_MASK;
    let longest_step = input.settings.fixed_step_ms.map_or(LONGEST_STEP_MS, |step| step.max(1));

    let mut a_move = Move::new(ps, input);
    while a_move.ps.command_time != final_time {
        let left = final_time - a_move.ps.command_time;
        a_move.cmd.server_time = a_move.ps.command_time + left.min(longest_step);
        a_move.step();
        a_move.out.step_count += 1;
        if a_move.flag(pm_flag::JUMP_HELD) {
            a_move.cmd.up_move = 20;
        }
    }
    a_move.out
}

/// One command being run. The command is a copy that steps change, and later steps see the change, as in the reference.
struct Move<'m> {
    ps: &'m mut PlayerState,
    input: &'m PmoveInput<'m>,
    cmd: UserCmd,
    mask: i32,
    out: PmoveOutput,

    // Of one step:
    /// Its length. Unit: ms.
    msec: i32,
    /// Its length. Unit: seconds.
    frame_time: f32,
    forward: Vec3,
    right: Vec3,
    ground: Ground,
    /// Origin and velocity as the step began, for the force of a landing.
    origin_before: Vec3,
    velocity_before: Vec3,
}

impl<'m> Move<'m> {
    fn new(ps: &'m mut PlayerState, input: &'m PmoveInput<'m>) -> Self {
        Self {
            ps,
            input,
            cmd: input.cmd,
            mask: input.trace_mask,
            out: PmoveOutput::default(),
            msec: 0,
            frame_time: 0.0,
            forward: Vec3::ZERO,
            right: Vec3::ZERO,
            ground: Ground::default(),
            origin_before: Vec3::ZERO,
            velocity_before: Vec3::ZERO,
        }
    }

    /// One step, to the command's time. Source: `PmoveSingle`.
    fn step(&mut self) {
        self.out.touched = Touched::default();
        self.out.water_type = 0;
        self.out.water_level = WaterLevel::Dry;
        self.read_buttons();
        self.begin_clock();

        update_view_angles(self.ps, &self.cmd);
        let axes = angle_vectors(self.ps.view_angles);
        self.forward = axes.forward;
        self.right = axes.right;

        self.note_held_and_backwards();
        if self.ps.pm_type >= pm_type::DEAD {
            self.stop_moves();
        }
        match self.ps.pm_type {
            pm_type::SPECTATOR => {
                self.take_stance();
                self.fly_move();
                self.drop_timers();
            }
            pm_type::NOCLIP => {
                self.noclip_move();
                self.drop_timers();
            }
            pm_type::FREEZE | pm_type::INTERMISSION | pm_type::SPINTERMISSION => {}
            _ => self.bodily_step(),
        }
    }

    /// The step of one who has a body, dead or alive.
    fn bodily_step(&mut self) {
        self.find_water_level();
        let water_level_before = self.out.water_level;
        self.take_stance();
        self.find_ground();
        if self.ps.pm_type == pm_type::DEAD {
            self.dead_move();
        }
        self.drop_timers();

        if self.has_powerup(powerup::INVULNERABILITY) {
            self.invulnerability_move();
        } else if self.has_powerup(powerup::FLIGHT) {
            self.fly_move();
        } else if self.flag(pm_flag::GRAPPLE_PULL) {
            self.grapple_pull();
            self.air_move();
        } else if self.flag(pm_flag::TIME_WATERJUMP) {
            self.water_jump_move();
        } else if self.out.water_level > WaterLevel::Feet {
            self.water_move();
        } else if self.ground.walking {
            self.walk_move();
        } else {
            self.air_move();
        }

        self.gesture();
        self.find_ground();
        self.find_water_level();
        if !self.flag(pm_flag::ELIMWARMUP) {
            self.run_weapon();
        }
        self.torso_at_rest();
        self.footsteps();
        self.water_events(water_level_before);
        if !self.input.settings.float_velocity {
            self.ps.velocity = rounded_to_even(self.ps.velocity);
        }
    }

    /// What the buttons mean before anything moves: walking, talking, firing, and waiting for release after a respawn.
    fn read_buttons(&mut self) {
        let alive = self.ps.stats[stat::HEALTH as usize] > 0;
        if !alive {
            self.mask &= !contents::BODY;
        }
        // A client that runs and claims to walk would make no footsteps.
        if i32::from(self.cmd.forward_move).abs() > WALK_MOVE
            || i32::from(self.cmd.right_move).abs() > WALK_MOVE
        {
            self.cmd.buttons &= !button::WALKING;
        }
        self.set_entity_flag(entity_flag::TALK, self.cmd.buttons & button::TALK != 0);
        let fires = !self.flag(pm_flag::RESPAWNED)
            && self.ps.pm_type != pm_type::INTERMISSION
            && self.ps.pm_type != pm_type::NOCLIP
            && self.cmd.buttons & button::ATTACK != 0
            && self.ps.ammo[self.weapon_slot()] != 0;
        self.set_entity_flag(entity_flag::FIRING, fires);
        if alive && self.cmd.buttons & (button::ATTACK | button::USE_HOLDABLE) == 0 {
            self.clear_flags(pm_flag::RESPAWNED);
        }
        // Who talks does nothing else, so that the balloon cannot be faked. The button stays for the steps that follow.
        if self.cmd.buttons & button::TALK != 0 {
            self.cmd.buttons = button::TALK;
            self.stop_moves();
        }
    }

    fn begin_clock(&mut self) {
        self.ground = Ground::default();
        self.msec = self.cmd.server_time.wrapping_sub(self.ps.command_time).clamp(1, 200);
        self.frame_time = (f64::from(self.msec) * 0.001) as f32;
        self.ps.command_time = self.cmd.server_time;
        self.origin_before = self.ps.origin;
        self.velocity_before = self.ps.velocity;
    }

    fn note_held_and_backwards(&mut self) {
        if self.cmd.up_move < JUMP_MOVE {
            self.clear_flags(pm_flag::JUMP_HELD);
        }
        if self.cmd.forward_move < 0 {
            self.set_flags(pm_flag::BACKWARDS_RUN);
        } else if self.cmd.forward_move > 0 || self.cmd.right_move != 0 {
            self.clear_flags(pm_flag::BACKWARDS_RUN);
        }
    }

    fn stop_moves(&mut self) {
        self.cmd.forward_move = 0;
        self.cmd.right_move = 0;
        self.cmd.up_move = 0;
    }

    fn trace(&self, start: Vec3, end: Vec3) -> Trace {
        let request = TraceRequest::sweep(start, end, self.out.bounds, self.mask, self.who());
        self.input.tracer.trace(&request)
    }

    fn contents_at(&self, point: Vec3) -> i32 {
        self.input.tracer.point_contents(point, self.who())
    }

    fn who(&self) -> Option<EntityNum> {
        EntityNum::from_wire(self.ps.client_num)
    }

    fn flag(&self, flags: i32) -> bool {
        self.ps.pm_flags & flags != 0
    }

    fn set_flags(&mut self, flags: i32) {
        self.ps.pm_flags |= flags;
    }

    fn clear_flags(&mut self, flags: i32) {
        self.ps.pm_flags &= !flags;
    }

    fn set_entity_flag(&mut self, flag: i32, on: bool) {
        self.ps.flags = if on { self.ps.flags | flag } else { self.ps.flags & !flag };
    }

    fn has_powerup(&self, powerup: i32) -> bool {
        self.ps.powerups[powerup as usize] != 0
    }

    fn add_event(&mut self, event: i32) {
        add_predictable_event(self.ps, event, 0);
    }
}

/// Rounded to the nearest whole number, halves to even, never -0. Source: `trap_SnapVector` of the engines in use.
fn rounded_to_even(v: Vec3) -> Vec3 {
    Vec3::new(v.x.round_ties_even(), v.y.round_ties_even(), v.z.round_ties_even()) + Vec3::ZERO
}

/// Most of a command that is run: what lies further back is forgiven.
const LONGEST_MOVE_MS: i32 = 1000;
/// Longest step where steps are not fixed.
const LONGEST_STEP_MS: i32 = 66;
/// Moves are counted modulo 64, for the jump pads.
const FRAME_COUNT_MASK: i32 = 63;
/// Faster than this in a command is running.
const WALK_MOVE: i32 = 64;
/// From this on, up in a command is a jump.
const JUMP_MOVE: i8 = 10;

#[cfg(test)]
mod tests {
    use super::test_world::{Brush, INSIDE, Room, player, run, run_with};
    use super::*;
    use crate::math::vec3;
    use crate::openarena::{dm_flag, shared};
    use proptest::prelude::*;

    fn forward() -> UserCmd {
        UserCmd { forward_move: 127, ..UserCmd::default() }
    }

    #[test]
    fn a_long_command_is_the_same_as_its_steps() {
        let (mut at_once, mut in_steps) = (player(), player());
        let out = run(&mut at_once, &Room::default(), forward(), 250);
        for ms in [66, 66, 66, 52] {
            run(&mut in_steps, &Room::default(), forward(), ms);
        }
        assert_eq!(out.step_count, 4);
        in_steps.pmove_frame_count = at_once.pmove_frame_count;
        assert_eq!(at_once, in_steps);
    }

    #[test]
    fn fixed_steps_have_their_length_and_commands_round_up_to_them() {
        let settings = PmoveSettings { fixed_step_ms: Some(8), ..PmoveSettings::default() };
        let rounded = |ms: i32| settings.command_time(CommandTime(ms)).0;
        assert_eq!([0, 1, 8, 9, 16].map(rounded), [0, 8, 8, 16, 16]);
        assert_eq!(PmoveSettings::default().command_time(CommandTime(9)).0, 9);
        let out = run_with(&mut player(), &Room::default(), forward(), 40, settings);
        assert_eq!(out.step_count, 5);
        let none = PmoveSettings { fixed_step_ms: Some(0), ..settings };
        assert_eq!(run_with(&mut player(), &Room::default(), forward(), 40, none).step_count, 40);
        assert_eq!(none.command_time(CommandTime(9)).0, 9);
    }

    #[test]
    fn an_old_command_changes_nothing_and_a_far_one_runs_a_second() {
        let mut ps = PlayerState { command_time: 10_000, ..player() };
        let before = ps;
        assert_eq!(run(&mut ps, &Room::default(), forward(), -1), PmoveOutput::default());
        assert_eq!(ps, before);

        let out = run(&mut ps, &Room::default(), UserCmd::default(), 60_000);
        assert_eq!((out.step_count, ps.command_time), (16, 70_000));
    }

    #[test]
    fn touches_are_those_of_the_last_step() {
        // Lands on the platform in the first 66 ms and has run off it before the command ends.
        let mut platform = Brush::new([-64.0, -64.0, 0.0], [16.0, 64.0, 16.0]);
        platform.entity = EntityNum::new(77).expect("in range");
        let room = Room::default().with(platform);
        let mut ps = player();
        ps.origin.z += 16.0;
        ps.velocity.x = 320.0;
        assert_eq!(run(&mut { ps }, &room, forward(), 66).touched.len(), 1);
        let out = run(&mut ps, &room, forward(), 250);
        assert!(ps.origin.x > 40.0 && out.touched.is_empty(), "{:?} {out:?}", ps.origin);
    }

    #[test]
    fn who_talks_does_nothing_else() {
        let mut ps = player();
        let talking = UserCmd { buttons: button::TALK | button::ATTACK, ..forward() };
        run(&mut ps, &Room::default(), talking, 50);
        assert_eq!((ps.velocity, ps.flags), (Vec3::ZERO, entity_flag::TALK));
        run(&mut ps, &Room::default(), forward(), 50);
        assert!(ps.velocity.x > 100.0 && ps.flags == 0);
    }

    #[test]
    fn velocity_is_rounded_to_even_unless_it_may_float() {
        assert_eq!(rounded_to_even(vec3(0.5, 1.5, -0.4)), vec3(0.0, 2.0, 0.0));
        assert_eq!(rounded_to_even(vec3(0.5, 1.5, -0.4)).z.to_bits(), 0);
        let (mut rounded, mut floating) = (player(), player());
        run_with(&mut rounded, &Room::default(), forward(), 7, PmoveSettings::default());
        run(&mut floating, &Room::default(), forward(), 7);
        assert_eq!(rounded.velocity.x, floating.velocity.x.round());
        assert_ne!(floating.velocity.x, floating.velocity.x.round());
    }

    /// A command with anything in it.
    fn any_command() -> impl Strategy<Value = (UserCmd, i32)> {
        let hands = (any::<[u16; 3]>(), any::<[i8; 3]>(), any::<u16>(), any::<u8>());
        (hands, 0..300i32).prop_map(|((angles, moves, buttons, weapon), ms)| {
            let cmd = UserCmd {
                server_time: 0,
                angles: angles.map(i32::from),
                buttons: i32::from(buttons & 0xfff),
                weapon,
                forward_move: moves[0],
                right_move: moves[1],
                up_move: moves[2],
            };
            (cmd, ms)
        })
    }

    /// A state with a body somewhere free in the furnished room.
    fn any_state() -> impl Strategy<Value = PlayerState> {
        let place = (-60.0..60.0f32, -60.0..60.0f32, 24.2..200.0f32);
        let pace = prop::array::uniform3(-3000.0..3000.0f32);
        let misc = (any::<u16>(), 0..500i32, prop::sample::select(vec![0, 0, 0, 3]), -50..200i32);
        let powers = (any::<u16>(), 0..61i32, 0..61i32, any::<[i32; 3]>());
        (place, pace, misc, powers).prop_map(|(place, pace, misc, powers)| {
            let mut ps = player();
            ps.origin = vec3(place.0, place.1, place.2);
            ps.velocity = Vec3::from(pace);
            // The expanded sphere is the server's to check; see the quirks.
            ps.pm_flags = i32::from(misc.0) & !pm_flag::INVULEXPAND;
            ps.pm_time = misc.1;
            ps.pm_type = misc.2;
            ps.stats[stat::HEALTH as usize] = misc.3;
            ps.stats[stat::WEAPONS as usize] = 0x3ffe;
            ps.stats[stat::HOLDABLE_ITEM as usize] = powers.1;
            ps.stats[stat::PERSISTANT_POWERUP as usize] = powers.2;
            ps.ground_entity = EntityNum::NONE_ON_WIRE;
            ps.grapple_point = ps.origin * 1.5;
            ps.delta_angles = powers.3;
            for bit in 0..16 {
                ps.powerups[bit] = i32::from(powers.0 >> bit & 1);
            }
            ps
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn any_commands_keep_any_player_finite_and_inside(
            mut ps in any_state(),
            cmds in prop::collection::vec(any_command(), 1..40),
            pool in prop::bool::ANY,
            dm_flags in prop::sample::select(vec![0, dm_flag::NO_BUNNY | dm_flag::INSTANT_WEAPON_CHANGE]),
            fixed_step_ms in prop::option::of(8..33i32),
        ) {
            let room = Room::furnished().flooded(if pool { 50.0 } else { f32::NEG_INFINITY });
            let settings = PmoveSettings { fixed_step_ms, float_velocity: pool, dm_flags };
            for (cmd, ms) in cmds {
                let out = run_with(&mut ps, &room, cmd, ms, settings);
                prop_assert!(ps.origin.is_finite() && ps.velocity.is_finite(), "{ps:?}");
                if ms > 0 {
                    let body = out.bounds.translated(ps.origin);
                    let (low, high) = (body.mins - INSIDE.mins, INSIDE.maxs - body.maxs);
                    prop_assert!(low.min(high).to_array().iter().all(|&gap| gap > 0.0), "{ps:?}");
                }
            }
        }
    }

    #[test]
    fn the_view_height_is_within_the_box() {
        let mut ps = player();
        let out = run(&mut ps, &Room::default(), UserCmd::default(), 8);
        assert_eq!(ps.view_height, shared::DEFAULT_VIEWHEIGHT);
        assert!((ps.view_height as f32) < out.bounds.maxs.z);
    }
}
