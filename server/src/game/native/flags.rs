//! Capture the flag: who may take which flag, and what taking, losing, returning and capturing one means.
//!
//! Source: `BG_CanItemBeGrabbed`, `Pickup_Team`, `Team_TouchOurFlag`, `Team_TouchEnemyFlag`, `Team_ResetFlag`,
//! `Team_DroppedFlagThink` and `AddTeamScore`.

use super::NativeGame;
use super::client::team_name;
use super::entity::{Item, Kind};
use super::level::set_configstring;
use crate::game::{Host, Record};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::Vec3;
use fogline_common::openarena::{
    ITEMS, configstring, entity_flag, event, game_type, item_type, pers, powerup, team, team_sound,
};
use fogline_common::proto::sv_flag;
use fogline_common::time::Millis;

/// A flag that nobody touches goes home after this. Source: `LaunchItem`.
pub(super) const RETURN_TIME: Millis = Millis(30_000);
/// Points for a capture.
const CAPTURE_POINTS: i32 = 5;
/// Points for bringing the own flag back.
const RETURN_POINTS: i32 = 1;
/// Between two announcements that a flag which lay about was taken. Source: `Team_TakeFlagSound`.
const ANNOUNCE_PAUSE: Millis = Millis(10_000);
/// Flags are carried without an end.
const FOREVER: i32 = i32::MAX;

/// Where a flag is, as clients draw it. Source: `flagStatus_t`, as the configstring has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FlagStatus {
    /// On its stand.
    #[default]
    Home,
    /// Carried.
    Taken,
    /// Lying about.
    Dropped,
}

/// The team whose flag an item is; `None` for other items.
pub(super) fn flag_team(index: usize) -> Option<i32> {
    let item = ITEMS.get(index).filter(|item| item.kind == item_type::TEAM)?;
    match item.tag {
        powerup::REDFLAG if item.class == "team_CTF_redflag" => Some(team::RED),
        powerup::BLUEFLAG if item.class == "team_CTF_blueflag" => Some(team::BLUE),
        _ => None,
    }
}

/// Whether the game type has such a flag.
pub(super) fn is_played(game: i32, index: usize) -> bool {
    game == game_type::CTF && flag_team(index).is_some()
}

pub(super) fn powerup_of(team: i32) -> usize {
    (if team == team::RED { powerup::REDFLAG } else { powerup::BLUEFLAG }) as usize
}

pub(super) fn enemy_of(team: i32) -> i32 {
    if team == team::RED { team::BLUE } else { team::RED }
}

fn is_side(team: i32) -> bool {
    matches!(team, team::RED | team::BLUE)
}

/// One of two by team.
fn by_team(team: i32, red: i32, blue: i32) -> i32 {
    if team == team::RED { red } else { blue }
}

impl NativeGame {
    /// Whether the flag is of use to the player: the enemy's always, the own one to bring it back or to capture at it.
    pub(super) fn may_touch_flag(&self, num: ClientNum, item: &Item) -> bool {
        let client = &self.clients[num.index()];
        let own = client.session.team;
        match flag_team(item.index) {
            Some(flag) if is_side(own) => {
                flag != own || item.dropped || client.ps.powerups[powerup_of(enemy_of(own))] != 0
            }
            _ => false,
        }
    }

    /// A player touches a flag that is of use to it. Whether it took the flag away; if not, the entity may be gone.
    pub(super) fn touch_flag(&mut self, host: &mut dyn Host, client: ClientNum, item: &Item) -> bool {
        let Some(flag) = flag_team(item.index) else { return false };
        if self.clients[client.index()].session.team != flag {
            self.clients[client.index()].ps.powerups[powerup_of(flag)] = FOREVER;
            self.tell_of_flag(host, client, flag, 0, "got");
            let was = self.level.flags[usize::from(flag == team::BLUE)];
            self.set_flag_status(host, flag, FlagStatus::Taken);
            self.sound_of_taking(host, client, flag, was);
            return true;
        }
        if item.dropped {
            self.tell_of_flag(host, client, flag, 2, "returned");
            let origin = self.clients[client.index()].ps.origin;
            self.clients[client.index()].player.deeds.returned_flag = Some(self.level.time);
            self.add_score(host, client, origin, RETURN_POINTS);
            self.send_flag_home(host, flag);
        } else {
            self.capture(host, client, flag);
        }
        false
    }

    /// A player brought the enemy's flag to its own.
    fn capture(&mut self, host: &mut dyn Host, num: ClientNum, own: i32) {
        let enemy = enemy_of(own);
        self.clients[num.index()].ps.powerups[powerup_of(enemy)] = 0;
        self.tell_of_flag(host, num, enemy, 1, "captured");
        let origin = self.clients[num.index()].ps.origin;
        self.add_team_score(host, num, own);
        self.clients[num.index()].count(pers::CAPTURES);
        self.award(host, num, entity_flag::AWARD_CAP, 4, "CAPTURE");
        self.team_sound(host, num, by_team(own, team_sound::RED_CAPTURE, team_sound::BLUE_CAPTURE));
        for flag in [team::RED, team::BLUE] {
            self.reset_flag(host, flag);
        }
        for mate in self.slots() {
            let client = &mut self.clients[mate.index()];
            client.life.gestures |= client.in_game() && client.session.team == own;
        }
        // Last, since these points may end the match.
        self.give_assists(host, num, own);
        self.add_score(host, num, origin, CAPTURE_POINTS);
    }

    /// A flag that was taken from where it lay is not announced again for a while.
    fn sound_of_taking(&mut self, host: &mut dyn Host, num: ClientNum, flag: i32, was: FlagStatus) {
        let now = self.level.time;
        let taken = &mut self.level.flag_announced[usize::from(flag == team::BLUE)];
        if was != FlagStatus::Home && taken.is_some_and(|at| now - at < ANNOUNCE_PAUSE) {
            return;
        }
        *taken = Some(now);
        self.team_sound(host, num, by_team(flag, team_sound::BLUE_TAKEN, team_sound::RED_TAKEN));
    }

    /// A point for a team, and the sound that says who leads now.
    fn add_team_score(&mut self, host: &mut dyn Host, num: ClientNum, own: i32) {
        let other = self.level.team_scores[enemy_of(own) as usize];
        if !self.match_counts() {
            return;
        }
        let score = &mut self.level.team_scores[own as usize];
        let before = *score;
        *score += 1;
        let sound = if *score == other {
            team_sound::TEAMS_ARE_TIED
        } else if before <= other && *score > other {
            by_team(own, team_sound::REDTEAM_TOOK_LEAD, team_sound::BLUETEAM_TOOK_LEAD)
        } else {
            by_team(own, team_sound::REDTEAM_SCORED, team_sound::BLUETEAM_SCORED)
        };
        self.team_sound(host, num, sound);
    }

    /// Whether the entity is a flag.
    pub(super) fn is_flag(&self, num: EntityNum) -> bool {
        matches!(self.entities[num].kind, Kind::Item(item) if flag_team(item.index).is_some())
    }

    /// A flag was dropped. Source: `Team_CheckDroppedItem`.
    pub(super) fn flag_dropped(&mut self, host: &mut dyn Host, flag: i32) {
        self.set_flag_status(host, flag, FlagStatus::Dropped);
    }

    /// Who dies by its own hand leaves no flag behind: it goes home. Source: `player_die`.
    pub(super) fn return_carried_flag(&mut self, host: &mut dyn Host, num: ClientNum) {
        for flag in [team::RED, team::BLUE] {
            if std::mem::take(&mut self.clients[num.index()].ps.powerups[powerup_of(flag)]) != 0 {
                self.bring_home(host, flag);
            }
        }
    }

    /// A flag that lay about too long, or where nobody can get it, goes home.
    pub(super) fn return_flag(&mut self, host: &mut dyn Host, num: EntityNum) {
        let Kind::Item(item) = self.entities[num].kind else { return };
        if let Some(flag) = flag_team(item.index) {
            self.bring_home(host, flag);
        }
    }

    fn bring_home(&mut self, host: &mut dyn Host, flag: i32) {
        let name = team_name(flag);
        host.send_server_command(None, &format!("print \"The {name} flag has returned!\n\""));
        let record = Record::new("flag", format!("CTF: -1 {flag} 2: The {name} flag was returned!"));
        host.log_game(&record.int("team", flag).text("deed", "returned"));
        self.send_flag_home(host, flag);
    }

    pub(super) fn send_flag_home(&mut self, host: &mut dyn Host, flag: i32) {
        let stand = self.reset_flag(host, flag);
        let origin = stand.map_or(Vec3::ZERO, |num| self.entities[num].shared.state.pos.base);
        let sound = by_team(flag, team_sound::BLUE_RETURN, team_sound::RED_RETURN);
        self.team_sound_at(host, origin, sound);
    }

    /// Every copy of the flag is gone, and it stands at home. The stand, if the map has one.
    fn reset_flag(&mut self, host: &mut dyn Host, flag: i32) -> Option<EntityNum> {
        let mut stand = None;
        for number in 0..self.entities.count() {
            let Some(num) = EntityNum::new(number).filter(|&num| self.entities.in_use(num)) else { continue };
            let Kind::Item(item) = self.entities[num].kind else { continue };
            if flag_team(item.index) != Some(flag) {
                continue;
            }
            if item.dropped {
                self.free(host, num);
            } else {
                stand = Some(num);
                if !item.present {
                    self.respawn_item(host, num);
                }
            }
        }
        self.set_flag_status(host, flag, FlagStatus::Home);
        stand
    }

    fn set_flag_status(&mut self, host: &mut dyn Host, flag: i32, status: FlagStatus) {
        self.level.flags[usize::from(flag == team::BLUE)] = status;
        let letter = |status: FlagStatus| match status {
            FlagStatus::Home => '0',
            FlagStatus::Taken => '1',
            FlagStatus::Dropped => '2',
        };
        let text: String = self.level.flags.iter().map(|&status| letter(status)).collect();
        set_configstring(host, configstring::FLAGSTATUS, &text);
    }

    /// Everybody and the log are told what a player did with a flag. `code` is what log readers go by.
    fn tell_of_flag(&self, host: &mut dyn Host, num: ClientNum, flag: i32, code: i32, deed: &str) {
        let (name, flag_name) = (&self.clients[num.index()].player.name, team_name(flag));
        let line = format!("CTF: {num} {flag} {code}: {name} {deed} the {flag_name} flag!");
        let record = Record::new("flag", line).int("client", num.index() as i32).text("name", name);
        host.log_game(&record.int("team", flag).text("deed", deed));
        host.send_server_command(None, &format!("print \"{name}^7 {deed} the {flag_name} flag!\n\""));
    }

    fn team_sound(&mut self, host: &mut dyn Host, num: ClientNum, sound: i32) {
        self.team_sound_at(host, self.clients[num.index()].ps.origin, sound);
    }

    /// A sound that each team hears in its own way, everywhere.
    fn team_sound_at(&mut self, host: &mut dyn Host, origin: Vec3, sound: i32) {
        if let Some(num) = self.temporary_event(host, origin, event::GLOBAL_TEAM_SOUND) {
            let shared = &mut self.entities[num].shared;
            shared.state.event_parm = sound;
            shared.link.sv_flags |= sv_flag::BROADCAST;
        }
    }
}
