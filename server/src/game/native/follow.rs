//! Spectators choose whom to follow. Source: `Cmd_Follow_f`, `Cmd_FollowCycle_f`, `StopFollowing`.

use super::NativeGame;
use super::client::SpectatorView;
use crate::game::Host;
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{game_type, pm_flag, pm_type, team};

impl NativeGame {
    /// The n-th client that plays, in slot order from 0.
    pub(super) fn nth_player(&self, n: usize) -> Option<ClientNum> {
        self.slots().filter(|num| self.clients[num.index()].in_game()).nth(n)
    }

    /// `follow`: with a player, follows it; without, stops.
    pub(super) fn follow(&mut self, host: &mut dyn Host, num: ClientNum, whom: Option<&str>) {
        let Some(whom) = whom else {
            if matches!(self.clients[num.index()].session.view, SpectatorView::Follow(_)) {
                self.stop_following(host, num);
            }
            return;
        };
        match self.find_client(whom) {
            Ok(other) if other != num && self.clients[other.index()].in_game() => {
                self.begin_watching(host, num);
                self.clients[num.index()].session.view = SpectatorView::Follow(other);
            }
            Ok(_) => {}
            Err(reason) => host.send_server_command(Some(num), &format!("print \"{reason}\n\"")),
        }
    }

    /// Follows the next player in slot order, or for a negative `direction` the one before.
    pub(super) fn follow_next(&mut self, host: &mut dyn Host, num: ClientNum, direction: i32) {
        let from = match self.clients[num.index()].session.view {
            SpectatorView::Follow(other) => other.index(),
            _ => 0,
        };
        let count = self.client_count;
        let following = matches!(self.clients[num.index()].session.view, SpectatorView::Follow(_));
        // Who follows nobody yet may begin with the first slot itself.
        let steps = if following { 1..count + 1 } else { 0..count };
        let at = |step: usize| match direction {
            ..0 => (from + count * 2 - step - usize::from(!following)) % count,
            _ => (from + step) % count,
        };
        let next = steps
            .filter_map(|step| ClientNum::new(at(step)))
            .find(|&other| other != num && self.clients[other.index()].in_game());
        if let Some(next) = next {
            self.begin_watching(host, num);
            self.clients[num.index()].session.view = SpectatorView::Follow(next);
        }
    }

    /// A player becomes a spectator first.
    fn begin_watching(&mut self, host: &mut dyn Host, num: ClientNum) {
        if self.clients[num.index()].spectating() {
            return;
        }
        if host.config().g_gametype == game_type::TOURNAMENT {
            self.clients[num.index()].session.losses += 1;
        }
        self.set_team(host, num, "spectator");
    }

    /// The spectator flies free again, from where it was looking.
    pub(super) fn stop_following(&mut self, host: &mut dyn Host, num: ClientNum) {
        let view = self.clients[num.index()].session.view;
        if view == SpectatorView::Free || view == SpectatorView::Scoreboard {
            return;
        }
        let shown = self.shown_state(num);
        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        client.session.team = team::SPECTATOR;
        client.session.view = SpectatorView::Free;
        client.cmd = host.last_usercmd(num);
        client.ps.origin = shown.origin;
        client.ps.velocity = Default::default();
        client.ps.pm_type = pm_type::SPECTATOR;
        client.ps.pm_flags &= !pm_flag::FOLLOW;
        client.ps.command_time = client.cmd.server_time.min(now.0);
        self.set_view_angles(num, shown.view_angles);
    }
}
