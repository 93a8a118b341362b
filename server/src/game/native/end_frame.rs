//! The end of a player's frame: powerups run out, liquids hurt, damage is shown, and others are told the state.

use super::NativeGame;
use super::client::SpectatorView;
use super::combat::Damage;
use super::player::AIR;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::math::{PITCH, YAW, vector_to_angles};
use fogline_common::openarena::{entity_flag, event, means_of_death, pm_flag, pm_type, powerup};
use fogline_common::proto::{PlayerState, contents};
use fogline_common::time::Millis;

/// Air of somebody under water in a battle suit.
const SUIT_AIR: Millis = Millis(10_000);
/// Drowning hurts more each second, up to this.
const WORST_DROWNING: i32 = 15;
/// A cry of pain is not followed by another for this long.
const PAIN_PAUSE: Millis = Millis(700);
/// Frames without a usercmd after which others see the plug.
const FRAMES_UNTIL_PLUG: i32 = 3;
/// Angle fields of a damage direction that say "from the world".
const FROM_WORLD: i32 = 255;

impl NativeGame {
    /// Closes the client's frame. Source: `ClientEndFrame`.
    pub(super) fn end_client_frame(&mut self, host: &mut dyn Host, num: ClientNum) {
        if self.clients[num.index()].spectating() {
            self.end_spectator_frame(host, num);
            return;
        }
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        for until in &mut client.ps.powerups {
            if *until < now.0 {
                *until = 0;
            }
        }
        if self.level.stage.is_intermission() {
            return;
        }
        self.show_rune(num);
        self.suffer_liquids(host, num);
        self.show_damage(num);
        let health = self.entities[num.entity()].health;
        self.set_health(num, health);
        self.set_loop_sound(num);
        self.show_player(num);
        self.pass_on_predicted_event(host, num);

        let frame = self.level.frame;
        let client = &mut self.clients[num.index()];
        let silent_frames = frame.wrapping_sub(client.life.last_command_frame) - 1;
        let plug = entity_flag::CONNECTION;
        client.ps.flags &= !plug;
        if silent_frames >= FRAMES_UNTIL_PLUG {
            client.ps.flags |= plug;
            self.entities[num.entity()].shared.state.flags |= plug;
        }
    }

    /// Spectators whose player is gone fly free again. Source: `SpectatorClientEndFrame`.
    fn end_spectator_frame(&mut self, host: &mut dyn Host, num: ClientNum) {
        let client = &mut self.clients[num.index()];
        match client.session.view {
            SpectatorView::Scoreboard => client.ps.pm_flags |= pm_flag::SCOREBOARD,
            SpectatorView::Follow(followed) => {
                if !self.clients[followed.index()].in_game() {
                    self.stop_following(host, num);
                }
            }
            SpectatorView::Free | SpectatorView::FollowNth(_) => {
                client.ps.pm_flags &= !pm_flag::SCOREBOARD;
            }
        }
    }

    /// Drowning, lava and slime. Source: `P_WorldEffects`.
    fn suffer_liquids(&mut self, host: &mut dyn Host, num: ClientNum) {
        let now = self.level.time;
        let entity = num.entity();
        let water = self.entities[entity].water;
        let client = &mut self.clients[num.index()];
        if client.life.noclip {
            client.life.air_until = now + AIR;
            return;
        }
        let suit = client.ps.powerups[powerup::BATTLESUIT as usize] > now.0;
        if water.level == 3 {
            if suit {
                client.life.air_until = now + SUIT_AIR;
            }
            if client.life.air_until < now {
                client.life.air_until += Millis(1000);
                self.drown(host, num);
            }
        } else {
            client.life.air_until = now + AIR;
            client.life.drowning_damage = 2;
        }

        let body = &self.entities[entity];
        let burning = water.level > 0 && water.contents & (contents::LAVA | contents::SLIME) != 0;
        if !burning || body.health <= 0 || body.pain_debounce > now {
            return;
        }
        if suit {
            self.add_event(entity, event::POWERUP_BATTLESUIT, 0);
            return;
        }
        for (liquid, points, means) in
            [(contents::LAVA, 30, means_of_death::LAVA), (contents::SLIME, 10, means_of_death::SLIME)]
        {
            if water.contents & liquid != 0 {
                self.damage(host, &Damage::new(entity, points * water.level, means));
            }
        }
    }

    fn drown(&mut self, host: &mut dyn Host, num: ClientNum) {
        let entity = num.entity();
        if self.entities[entity].health <= 0 {
            return;
        }
        let life = &mut self.clients[num.index()].life;
        life.drowning_damage = (life.drowning_damage + 2).min(WORST_DROWNING);
        let points = life.drowning_damage;
        // Drowning has its own sound.
        self.entities[entity].pain_debounce = self.level.time + Millis(200);
        self.damage(host, &Damage::new(entity, points, means_of_death::WATER).past_armor());
    }

    /// What hurt the player since the last frame, as its screen shows it. Source: `P_DamageFeedback`.
    fn show_damage(&mut self, num: ClientNum) {
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        if client.ps.pm_type == pm_type::DEAD {
            return;
        }
        let hurt = std::mem::take(&mut client.life.hurt);
        let count = hurt.blood + hurt.armor;
        if count == 0 {
            return;
        }
        let to_byte = |degrees: f32| (degrees / 360.0 * 256.0) as i32 & 255;
        (client.ps.damage_pitch, client.ps.damage_yaw) = match hurt.from {
            None => (FROM_WORLD, FROM_WORLD),
            Some(direction) => {
                let angles = vector_to_angles(direction);
                (to_byte(angles[PITCH]), to_byte(angles[YAW]))
            }
        };
        client.ps.damage_count = count.min(255);
        let body = &mut self.entities[num.entity()];
        if now > body.pain_debounce && !body.god {
            body.pain_debounce = now + PAIN_PAUSE;
            let health = body.health;
            self.clients[num.index()].ps.damage_event = (self.clients[num.index()].ps.damage_event + 1) & 255;
            self.add_event(num.entity(), event::PAIN, health);
        }
    }

    fn set_loop_sound(&mut self, num: ClientNum) {
        let water = self.entities[num.entity()].water;
        let burning = water.level > 0 && water.contents & (contents::LAVA | contents::SLIME) != 0;
        self.clients[num.index()].ps.loop_sound = if burning { self.level.sizzle_sound } else { 0 };
    }

    /// What the client is told of its player: its own state, or for a follower the followed one's. Source:
    /// `SpectatorClientEndFrame`, which copies the state over instead.
    pub(super) fn shown_state(&self, num: ClientNum) -> PlayerState {
        let own = &self.clients[num.index()];
        let followed = match own.session.view {
            SpectatorView::Follow(followed) => Some(followed),
            SpectatorView::FollowNth(n) => self.nth_player(n),
            SpectatorView::Free | SpectatorView::Scoreboard => None,
        };
        let Some(followed) = followed.filter(|_| own.spectating()) else { return own.ps };
        let other = &self.clients[followed.index()];
        if !other.in_game() || self.level.stage.is_intermission() {
            return own.ps;
        }
        let votes = entity_flag::VOTED | entity_flag::TEAMVOTED;
        PlayerState {
            flags: (other.ps.flags & !votes) | (own.ps.flags & votes),
            pm_flags: other.ps.pm_flags | pm_flag::FOLLOW,
            ping: own.ps.ping,
            ..other.ps
        }
    }
}
