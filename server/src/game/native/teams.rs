//! Who plays for whom, and who looks on. Source: `SetTeam`, `Cmd_Team_f`.

use super::NativeGame;
use super::client::{Connection, SpectatorView, is_team_game, team_name};
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{game_type, team};
use fogline_common::time::Millis;

/// A player may change sides this often.
const SWITCH_PAUSE: Millis = Millis(5000);

impl NativeGame {
    /// The `team` command: without a word it tells the team, with one it changes sides.
    pub(super) fn team_command(&mut self, host: &mut dyn Host, num: ClientNum, wish: Option<&str>) {
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        let Some(wish) = wish else {
            let text = match client.session.team {
                team::RED => "Red team",
                team::BLUE => "Blue team",
                team::SPECTATOR => "Spectator team",
                _ => "Free team",
            };
            host.send_server_command(Some(num), &format!("print \"{text}\n\""));
            return;
        };
        if client.player.may_switch_team_at > now {
            let text = "print \"May not switch teams more than once per 5 seconds.\n\"";
            host.send_server_command(Some(num), text);
            return;
        }
        if let Err(refusal) = self.may_join(host, num, wish) {
            host.send_server_command(Some(num), &format!("cp \"{refusal}\n\""));
            return;
        }
        let client = &mut self.clients[num.index()];
        if host.config().g_gametype == game_type::TOURNAMENT && client.session.team == team::FREE {
            client.session.losses += 1;
        }
        client.player.may_switch_team_at = now + SWITCH_PAUSE;
        self.set_team(host, num, wish);
    }

    /// The team that a word means, and for spectators what they look at.
    fn team_meant(&self, game: i32, num: ClientNum, wish: &str) -> (i32, SpectatorView) {
        let team_game = is_team_game(game);
        match wish.to_ascii_lowercase().as_str() {
            "scoreboard" | "score" => (team::SPECTATOR, SpectatorView::Scoreboard),
            "follow1" => (team::SPECTATOR, SpectatorView::FollowNth(0)),
            "follow2" => (team::SPECTATOR, SpectatorView::FollowNth(1)),
            "spectator" | "s" => (team::SPECTATOR, SpectatorView::Free),
            "red" | "r" if team_game => (team::RED, SpectatorView::Free),
            "blue" | "b" if team_game => (team::BLUE, SpectatorView::Free),
            _ if team_game => (self.smaller_team(num), SpectatorView::Free),
            _ => (team::FREE, SpectatorView::Free),
        }
    }

    /// Whether a player may choose that side by itself; else the sentence that it reads.
    fn may_join(&self, host: &dyn Host, num: ClientNum, wish: &str) -> Result<(), String> {
        let (team, _) = self.team_meant(host.config().g_gametype, num, wish);
        if team == self.clients[num.index()].session.team {
            return Ok(());
        }
        if self.locked_teams[team as usize & 3] {
            return Err(match team {
                team::RED => "The red team is locked.".to_owned(),
                team::BLUE => "The blue team is locked.".to_owned(),
                _ => "This match is locked.".to_owned(),
            });
        }
        if host.config().g_teamforcebalance && matches!(team, team::RED | team::BLUE) {
            let other = if team == team::RED { team::BLUE } else { team::RED };
            let (own, others) = (self.team_size(team, Some(num)), self.team_size(other, Some(num)));
            if own > others + 1 {
                let name = if team == team::RED { "Red" } else { "Blue" };
                return Err(format!("{name} team has too many players."));
            }
        }
        Ok(())
    }

    /// Changes sides: the old body dies, the client enters anew. Locks and balance are for who chooses by itself.
    pub(super) fn set_team(&mut self, host: &mut dyn Host, num: ClientNum, wish: &str) {
        let config = host.config();
        let full = match config.g_gametype {
            game_type::TOURNAMENT => 2,
            _ if config.g_maxgameclients > 0 => config.g_maxgameclients as usize,
            _ => usize::MAX,
        };
        let (mut team, view) = self.team_meant(config.g_gametype, num, wish);
        let client = &self.clients[num.index()];
        let (old_team, in_world) = (client.session.team, client.playing());
        if old_team == team::SPECTATOR && self.playing_number(None) >= full {
            team = team::SPECTATOR;
        }
        if team == old_team && team != team::SPECTATOR {
            return;
        }
        if in_world && old_team != team::SPECTATOR {
            if self.clients[num.index()].health() > 0 {
                self.leave_body(host, num);
            } else {
                self.leave_corpse(host, num);
            }
        }
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        client.player.spawned_before = false;
        if team == team::SPECTATOR && old_team != team {
            client.session.spectating_since = now;
        }
        client.session.team = team;
        client.session.view = view;
        client.session.leader = false;
        self.choose_leaders(host);
        if team != old_team {
            self.announce_team(host, num, Some(old_team));
        }
        self.read_userinfo(host, num);
        if in_world {
            self.begin(host, num);
        }
    }

    /// Members of a team, `but` aside.
    pub(super) fn team_size(&self, team: i32, but: Option<ClientNum>) -> usize {
        let in_team = |num: &ClientNum| {
            let client = &self.clients[num.index()];
            Some(*num) != but && client.connection != Connection::Absent && client.session.team == team
        };
        self.slots().filter(in_team).count()
    }

    /// The team with fewer members, or with fewer points, or red. Source: `PickTeam`.
    pub(super) fn smaller_team(&self, num: ClientNum) -> i32 {
        let red = self.team_size(team::RED, Some(num));
        let blue = self.team_size(team::BLUE, Some(num));
        let scores = &self.level.team_scores;
        let blue_behind = scores[team::BLUE as usize] < scores[team::RED as usize];
        if blue < red || blue == red && blue_behind { team::BLUE } else { team::RED }
    }

    /// Each team that has members has one leader: the first, unless one is.
    fn choose_leaders(&mut self, host: &mut dyn Host) {
        for team in [team::RED, team::BLUE] {
            let member = |num: &ClientNum| {
                let client = &self.clients[num.index()];
                client.connection != Connection::Absent && client.session.team == team
            };
            let led = self.slots().filter(member).any(|num| self.clients[num.index()].session.leader);
            let first = self.slots().find(member);
            if let Some(first) = first.filter(|_| !led) {
                self.clients[first.index()].session.leader = true;
                self.read_userinfo(host, first);
            }
        }
    }

    /// Everybody is told who joined what. Source: `BroadcastTeamChange`.
    pub(super) fn announce_team(&mut self, host: &mut dyn Host, num: ClientNum, old_team: Option<i32>) {
        let client = &self.clients[num.index()];
        let name = &client.player.name;
        let text = match client.session.team {
            team::RED => format!("{name}^7 joined the red team."),
            team::BLUE => format!("{name}^7 joined the blue team."),
            team::SPECTATOR if old_team != Some(team::SPECTATOR) => {
                format!("{name}^7 joined the spectators.")
            }
            team::FREE => format!("{name}^7 joined the battle."),
            _ => return,
        };
        host.send_server_command(None, &format!("cp \"{text}\n\""));
        host.print(&format!("{num} is in team {} now", team_name(client.session.team)));
    }
}
