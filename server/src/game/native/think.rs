//! One usercmd of one client: its time is checked, the body moves, and what the move met is acted upon.

use super::NativeGame;
use super::client::SpectatorView;
use super::combat::Damage;
use super::entity::{Entity, Kind, Water};
use super::pool::Pool;
use crate::game::Host;
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::{
    dm_flag, entity_flag, entity_type, event, means_of_death, pm_type, stat, weapon,
};
use fogline_common::pmove::{
    PmoveInput, PmoveOutput, PmoveSettings, forget_left_jump_pad, player_touches_item, pmove,
    speed_with_powerups,
};
use fogline_common::proto::{UserCmd, button, contents, mask, sv_flag};
use fogline_common::time::Millis;
use fogline_common::trace::{Trace, TraceRequest, Tracer};

/// A usercmd may claim to lie this far ahead of the level.
const MOST_AHEAD: Millis = Millis(200);
/// And this far behind.
const MOST_BEHIND: Millis = Millis(1000);
/// Speed of a free spectator. Unit: units a second.
const SPECTATOR_SPEED: i32 = 400;
/// Pulls triggers that lie this far around a player.
const TRIGGER_REACH: Vec3 = Vec3::new(40.0, 40.0, 52.0);
/// Who is warned of being dropped for doing nothing, and how long before.
const INACTIVITY_WARNING: Millis = Millis(10_000);
/// Sprites over a player's head.
pub(super) const AWARDS: i32 = entity_flag::AWARD_IMPRESSIVE
    | entity_flag::AWARD_EXCELLENT
    | entity_flag::AWARD_GAUNTLET
    | entity_flag::AWARD_ASSIST
    | entity_flag::AWARD_DEFEND
    | entity_flag::AWARD_CAP;

/// The world as it is now, for movement.
pub(super) struct LiveWorld<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) entities: &'a Pool,
}

impl Tracer for LiveWorld<'_> {
    fn trace(&self, request: &TraceRequest) -> Trace {
        self.host.trace(self.entities, request)
    }

    fn point_contents(&self, point: Vec3, pass: Option<EntityNum>) -> i32 {
        self.host.point_contents(self.entities, point, pass)
    }
}

impl NativeGame {
    /// A usercmd came. Under `g_synchronousClients` (and for bots) it waits for the frame. Source: `ClientThink`.
    pub(super) fn take_usercmd(&mut self, host: &mut dyn Host, num: ClientNum, cmd: &UserCmd) {
        self.clients[num.index()].cmd = *cmd;
        if !self.waits_for_frame(host, num) {
            self.think(host, num);
        }
    }

    /// Whether a client's usercmds run with the frame.
    pub(super) fn waits_for_frame(&self, host: &dyn Host, num: ClientNum) -> bool {
        host.config().g_synchronousclients || self.is_bot(num)
    }

    /// Whether a client is a player of the server's own.
    pub(super) fn is_bot(&self, num: ClientNum) -> bool {
        self.entities[num.entity()].shared.link.sv_flags & sv_flag::BOT != 0
    }

    /// Runs the client's usercmd. Source: `ClientThink_real`.
    pub(super) fn think(&mut self, host: &mut dyn Host, num: ClientNum) {
        if !self.clients[num.index()].playing() {
            return;
        }
        let Some(msec) = self.check_command_time(host, num) else { return };
        if self.level.stage.is_intermission() {
            self.think_at_intermission(num);
            return;
        }
        if self.clients[num.index()].spectating() {
            self.think_as_spectator(host, num);
            return;
        }
        if !self.check_inactivity(host, num) {
            return;
        }
        self.fire_from_before_death(host, num);
        let old_sequence = self.clients[num.index()].ps.event_sequence;
        let output = self.move_body(host, num);
        self.act_on_move(host, num, &output, old_sequence);
        self.latch_buttons(num);
        let client = &mut self.clients[num.index()];
        client.life.fire_held &= client.ps.flags & entity_flag::FIRING != 0;
        if client.health() <= 0 {
            self.respawn_if_wanted(host, num);
        } else {
            self.once_a_second(num, msec);
            self.refill_ammo(num, msec);
        }
    }

    /// Brings the command's time into what is allowed. The length to run, or `None` if it lies in the past.
    fn check_command_time(&mut self, host: &dyn Host, num: ClientNum) -> Option<i32> {
        let now = self.level.time;
        let settings = settings(host);
        let frame = self.level.frame;
        let client = &mut self.clients[num.index()];
        let earliest = (now - MOST_BEHIND).0;
        client.cmd.server_time = client.cmd.server_time.clamp(earliest, (now + MOST_AHEAD).0);
        client.life.last_command_frame = frame;
        client.life.attack_time = client.cmd.server_time;
        let msec = client.cmd.server_time - client.ps.command_time;
        // A follower's times are those of whom it follows; its buttons count all the same.
        let following = client.spectating() && client.session.view != SpectatorView::Free;
        if msec < 1 && !following {
            return None;
        }
        client.cmd.server_time = settings.command_time(client.cmd.time()).0;
        Some(msec.min(200))
    }

    /// Who does nothing for `g_inactivity` seconds is warned, then dropped. Whether the client stays.
    fn check_inactivity(&mut self, host: &mut dyn Host, num: ClientNum) -> bool {
        let now = self.level.time;
        let limit_s = host.config().g_inactivity;
        let bot = self.is_bot(num);
        let client = &mut self.clients[num.index()];
        let cmd = &client.cmd;
        let acts = cmd.forward_move != 0
            || cmd.right_move != 0
            || cmd.up_move != 0
            || cmd.buttons & button::ATTACK != 0;
        if limit_s <= 0 || acts {
            // Some time for everybody, should the host set a limit during a match.
            let span = if limit_s <= 0 { 60 } else { limit_s };
            client.life.inactive_at = now + Millis(span.saturating_mul(1000));
            client.life.inactive_warned = false;
        } else if !client.player.local && !bot {
            if now > client.life.inactive_at {
                host.drop_client(num, "Dropped due to inactivity");
                return false;
            }
            if now > client.life.inactive_at - INACTIVITY_WARNING && !client.life.inactive_warned {
                client.life.inactive_warned = true;
                host.send_server_command(Some(num), "cp \"Ten seconds until inactivity drop!\n\"");
            }
        }
        true
    }

    /// The move itself.
    fn move_body(&mut self, host: &mut dyn Host, num: ClientNum) -> PmoveOutput {
        let config = host.config();
        let (gravity, speed) = (config.g_gravity, config.g_speed);
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        if now > client.life.reward_until {
            client.ps.flags &= !AWARDS;
        }
        client.ps.pm_type = match (client.life.noclip, client.health()) {
            (true, _) => pm_type::NOCLIP,
            (false, ..=0) => pm_type::DEAD,
            _ => pm_type::NORMAL,
        };
        client.ps.gravity = gravity as i32;
        client.ps.speed = speed_with_powerups(&client.ps, speed as i32);
        if std::mem::take(&mut client.life.gestures) {
            client.cmd.buttons |= button::GESTURE;
        }
        self.release_hook(host, num);
        self.open_shell(host, num);
        let client = &self.clients[num.index()];
        let cmd = client.cmd;
        let attacks = cmd.buttons & (button::ATTACK | button::TALK) == button::ATTACK;
        let gauntlet_hit = client.ps.weapon == weapon::GAUNTLET
            && attacks
            && client.ps.weapon_time <= 0
            && self.gauntlet_attack(host, num);
        let trace_mask = match self.clients[num.index()].ps.pm_type {
            pm_type::DEAD => mask::PLAYERSOLID & !contents::BODY,
            _ => mask::PLAYERSOLID,
        };
        let bot = self.is_bot(num);
        let world = LiveWorld { host, entities: &self.entities };
        let input = PmoveInput {
            cmd,
            tracer: &world,
            trace_mask: if bot { trace_mask | contents::BOTCLIP } else { trace_mask },
            settings: settings(host),
            gauntlet_hit,
        };
        pmove(&mut self.clients[num.index()].ps, &input)
    }

    /// After the move: others are told, events hurt and fire, triggers and movers are touched.
    fn act_on_move(&mut self, host: &mut dyn Host, num: ClientNum, output: &PmoveOutput, old_sequence: i32) {
        let entity = num.entity();
        let now = self.level.time;
        if self.clients[num.index()].ps.event_sequence != old_sequence {
            self.entities[entity].event_time = now;
        }
        self.show_player(num);
        self.pass_on_predicted_event(host, num);

        // The rounded origin is what clients predict others with; triggers are touched with it, traces then use the exact one.
        let body = &mut self.entities[entity];
        body.shared.link.origin = body.shared.state.pos.base;
        body.shared.link.bounds = output.bounds;
        body.water = Water { level: output.water_level.depth(), contents: output.water_type };
        self.act_on_events(host, num, old_sequence);
        self.link(host, entity);
        if !self.clients[num.index()].life.noclip {
            self.touch_triggers(host, num);
        }
        self.entities[entity].shared.link.origin = self.clients[num.index()].ps.origin;
        for &other in output.touched.iter() {
            self.touch_mover(host, other, num);
        }
        if self.clients[num.index()].ps.event_sequence != old_sequence {
            self.entities[entity].event_time = now;
        }
    }

    /// What happened in the move and matters to the rules: falls and shots. Source: `ClientEvents`.
    fn act_on_events(&mut self, host: &mut dyn Host, num: ClientNum, old_sequence: i32) {
        let ps = &self.clients[num.index()].ps;
        let newest = ps.event_sequence;
        for sequence in old_sequence.max(newest - 2)..newest {
            match self.clients[num.index()].ps.events[(sequence & 1) as usize] {
                fall @ (event::FALL_MEDIUM | event::FALL_FAR) => self.hurt_by_fall(host, num, fall),
                event::FIRE_WEAPON => self.fire_weapon(host, num),
                used @ event::USE_ITEM0..=event::USE_ITEM15 => {
                    self.use_holdable(host, num, used - event::USE_ITEM0);
                }
                _ => {}
            }
        }
    }

    fn hurt_by_fall(&mut self, host: &mut dyn Host, num: ClientNum, fall: i32) {
        let shown_as_player = self.entities[num.entity()].shared.state.entity_type == entity_type::PLAYER;
        if !shown_as_player || host.config().dmflags & dm_flag::NO_FALLING != 0 {
            return;
        }
        // The fall has its own cry.
        self.entities[num.entity()].pain_debounce = self.level.time + Millis(200);
        let points = if fall == event::FALL_FAR { 10 } else { 5 };
        self.damage(host, &Damage::new(num.entity(), points, means_of_death::FALLING));
    }

    /// Everything that the player's place sets off. Spectators set off teleporters alone. Source: `G_TouchTriggers`.
    pub(super) fn touch_triggers(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &self.clients[num.index()];
        let spectating = client.spectating();
        if !spectating && client.health() <= 0 {
            return;
        }
        let origin = client.ps.origin;
        let reach = Bounds::new(origin - TRIGGER_REACH, origin + TRIGGER_REACH);
        let body = self.entities[num.entity()].shared.link.bounds.translated(origin);
        let found = self.in_box(host, &reach);
        for &trigger in &found {
            let entity = &self.entities[trigger];
            if entity.shared.link.contents & contents::TRIGGER == 0 {
                continue;
            }
            if spectating && !matches!(entity.kind, Kind::Teleporter | Kind::MoverTrigger { .. }) {
                continue;
            }
            let met = match entity.kind {
                Kind::Item(_) => self.touches_item(num, entity),
                _ => host.touches(&entity.shared, &body),
            };
            if met {
                self.touch_trigger(host, trigger, num);
            }
        }
        self.put_back(found);
        forget_left_jump_pad(&mut self.clients[num.index()].ps);
    }

    fn touches_item(&self, num: ClientNum, item: &Entity) -> bool {
        player_touches_item(&self.clients[num.index()].ps, &item.shared.state, self.level.time)
    }

    /// Flying around, or choosing whom to follow. Source: `SpectatorThink`.
    fn think_as_spectator(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &mut self.clients[num.index()];
        if client.session.view == SpectatorView::Scoreboard {
            return;
        }
        if client.session.view == SpectatorView::Free {
            client.ps.pm_type = pm_type::SPECTATOR;
            client.ps.speed = SPECTATOR_SPEED;
            let cmd = client.cmd;
            let world = LiveWorld { host, entities: &self.entities };
            // Spectators fly through bodies.
            let input = PmoveInput {
                cmd,
                tracer: &world,
                trace_mask: mask::PLAYERSOLID & !contents::BODY,
                settings: settings(host),
                gauntlet_hit: false,
            };
            pmove(&mut self.clients[num.index()].ps, &input);
            self.entities[num.entity()].shared.state.origin = self.clients[num.index()].ps.origin;
            self.touch_triggers(host, num);
            self.unlink(host, num.entity());
        }
        self.latch_buttons(num);
        let life = &self.clients[num.index()].life;
        let pressed = life.buttons & !life.old_buttons;
        if pressed & button::ATTACK != 0 {
            self.follow_next(host, num, 1);
        }
        if pressed & button::USE_HOLDABLE != 0 {
            self.stop_following(host, num);
        }
    }

    /// At the scores, attack and use say that the player wants to go on. Source: `ClientIntermissionThink`.
    fn think_at_intermission(&mut self, num: ClientNum) {
        let bot = self.is_bot(num);
        let client = &mut self.clients[num.index()];
        client.ps.flags &= !(entity_flag::TALK | entity_flag::FIRING);
        if bot {
            return;
        }
        let life = &mut client.life;
        life.old_buttons = life.buttons;
        life.buttons = client.cmd.buttons;
        let pressed = life.buttons & !life.old_buttons;
        life.ready_to_exit |= pressed & (button::ATTACK | button::USE_HOLDABLE) != 0;
    }

    fn latch_buttons(&mut self, num: ClientNum) {
        let client = &mut self.clients[num.index()];
        client.life.old_buttons = client.life.buttons;
        client.life.buttons = client.cmd.buttons;
    }

    /// The dead come back when they press a button, or when `g_forcerespawn` runs out.
    fn respawn_if_wanted(&mut self, host: &mut dyn Host, num: ClientNum) {
        let force_s = host.config().g_forcerespawn;
        let client = &self.clients[num.index()];
        let waited: Millis = self.level.time - client.life.respawn_at;
        if waited <= Millis(0) {
            return;
        }
        let forced = force_s > 0 && i64::from(waited.0) > i64::from(force_s) * 1000;
        if forced || client.cmd.buttons & (button::ATTACK | button::USE_HOLDABLE) != 0 {
            self.respawn(host, num);
        }
    }

    /// A fresh body for the dead; the old one stays for a while. Source: `ClientRespawn`.
    pub(super) fn respawn(&mut self, host: &mut dyn Host, num: ClientNum) {
        self.leave_corpse(host, num);
        self.spawn_player(host, num);
        let origin = self.clients[num.index()].ps.origin;
        if let Some(flash) = self.temporary_event(host, origin, event::PLAYER_TELEPORT_IN) {
            self.entities[flash].shared.state.client_num = num.index() as i32;
        }
    }

    /// Health and armor above the usual count down. Source: `ClientTimerActions`.
    fn once_a_second(&mut self, num: ClientNum, msec: i32) {
        let client = &mut self.clients[num.index()];
        client.life.second_rest += msec;
        while self.clients[num.index()].life.second_rest >= 1000 {
            let client = &mut self.clients[num.index()];
            client.life.second_rest -= 1000;
            let most = client.ps.stats[stat::MAX_HEALTH as usize];
            if client.ps.stats[stat::ARMOR as usize] > most {
                client.ps.stats[stat::ARMOR as usize] -= 1;
            }
            self.tick_health(num);
        }
    }
}

/// The host's movement settings. Source: `ClientThink_real`.
pub(super) fn settings(host: &dyn Host) -> PmoveSettings {
    let config = host.config();
    PmoveSettings {
        fixed_step_ms: config.pmove_fixed.then_some(config.pmove_msec.clamp(8, 33)),
        float_velocity: config.pmove_float,
        dm_flags: config.dmflags,
    }
}
