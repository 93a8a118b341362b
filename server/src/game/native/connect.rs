//! Coming in, entering the world, and leaving.

use super::NativeGame;
use super::client::{Connection, Life, Player, Session, SpectatorView, is_team_game};
use super::entity::Entity;
use super::level::set_configstring;
use crate::game::{Host, Record};
use fogline_common::ids::ClientNum;
use fogline_common::openarena::{configstring, event, game_type, pers, team};
use fogline_common::proto::{PlayerState, info_string, sv_flag};

impl NativeGame {
    /// A client wants in. Source: `ClientConnect`, which also refuses who has no GUID; every client of protocol 68 is welcome here.
    pub(super) fn connect(
        &mut self,
        host: &mut dyn Host,
        num: ClientNum,
        first_time: bool,
        is_bot: bool,
    ) -> Result<(), String> {
        if num.index() >= self.client_count {
            return Err(format!("Slot {num} is beyond sv_maxclients."));
        }
        let info = host.userinfo(num);
        let local = info_string::value(info, "ip") == "localhost";
        let password = &host.config().g_password;
        let locked = !password.is_empty() && !password.eq_ignore_ascii_case("none");
        if !is_bot && !local && locked && info_string::value(info, "password") != password {
            return Err("Invalid password".to_owned());
        }
        let wish = info_string::value(info, "team").to_ascii_lowercase();
        let fresh_session = first_time || self.clients[num.index()].session.void;
        let first_team = self.first_team(host, num, &wish);
        let client = &mut self.clients[num.index()];
        client.connection = Connection::Connecting;
        client.ps = PlayerState::default();
        client.player = Player::default();
        client.life = Life::default();
        if fresh_session {
            client.session =
                Session { team: first_team, spectating_since: self.level.time, ..Session::default() };
        }
        self.entities.claim(num, Entity::default());
        if is_bot {
            self.entities[num.entity()].shared.link.sv_flags |= sv_flag::BOT;
        }
        self.read_userinfo(host, num);
        host.log_game(
            &Record::new("client_connect", format!("ClientConnect: {num}")).int("client", num.index() as i32),
        );
        if first_time {
            let name = &self.clients[num.index()].player.name;
            host.send_server_command(None, &format!("print \"{name}^7 connected\n\""));
        }
        if is_team_game(host.config().g_gametype) && !self.clients[num.index()].spectating() {
            self.announce_team(host, num, None);
        }
        self.rank(host);
        Ok(())
    }

    /// Browsers are told whether a password is needed. Source: `CheckCvars`.
    pub(super) fn publish_password(&self, host: &mut dyn Host) {
        let config = host.config();
        let needed = !config.g_password.is_empty() && !config.g_password.eq_ignore_ascii_case("none");
        if config.g_needpass != needed {
            host.set_cvar("g_needpass", if needed { "1" } else { "0" });
        }
    }

    /// The team of somebody new. Source: `G_InitSessionData`.
    fn first_team(&self, host: &dyn Host, num: ClientNum, wish: &str) -> i32 {
        let config = host.config();
        if is_team_game(config.g_gametype) {
            let chosen_for = config.g_teamautojoin && !matches!(wish, "s" | "spectator");
            return if chosen_for { self.smaller_team(num) } else { team::SPECTATOR };
        }
        let players = self.playing_number(Some(num));
        let full = config.g_maxgameclients > 0 && players >= config.g_maxgameclients as usize;
        match config.g_gametype {
            _ if matches!(wish, "s" | "spectator") => team::SPECTATOR,
            game_type::TOURNAMENT if players >= 2 => team::SPECTATOR,
            _ if full => team::SPECTATOR,
            _ => team::FREE,
        }
    }

    /// Clients, `but` aside, that do not look on.
    pub(super) fn playing_number(&self, but: Option<ClientNum>) -> usize {
        let plays = |num: &ClientNum| {
            let client = &self.clients[num.index()];
            client.connection != Connection::Absent && !client.spectating() && Some(*num) != but
        };
        self.slots().filter(plays).count()
    }

    /// The client has the gamestate and enters the world; also after each change of team. Source: `ClientBegin`.
    pub(super) fn begin(&mut self, host: &mut dyn Host, num: ClientNum) {
        let entity = num.entity();
        if self.entities[entity].shared.link.linked {
            self.unlink(host, entity);
        }
        let bot = self.entities[entity].shared.link.sv_flags & sv_flag::BOT;
        self.entities.claim(num, Entity::default());
        self.entities[entity].shared.link.sv_flags |= bot;

        let now = self.level.time;
        let client = &mut self.clients[num.index()];
        client.connection = Connection::Playing;
        client.player.entered = now;
        // The view must not slide from where the client was to where it will be.
        let flags = client.ps.flags;
        client.ps = PlayerState { flags, ..PlayerState::default() };
        self.spawn_player(host, num);

        self.tell_custom_votes(host, num);
        let client = &self.clients[num.index()];
        if !client.spectating() {
            let origin = client.ps.origin;
            let name = client.player.name.clone();
            if let Some(flash) = self.temporary_event(host, origin, event::PLAYER_TELEPORT_IN) {
                self.entities[flash].shared.state.client_num = num.index() as i32;
            }
            if host.config().g_gametype != game_type::TOURNAMENT {
                host.send_server_command(None, &format!("print \"{name}^7 entered the game\n\""));
            }
        }
        host.log_game(
            &Record::new("client_begin", format!("ClientBegin: {num}")).int("client", num.index() as i32),
        );
        self.rank(host);
    }

    /// The client is gone. Source: `ClientDisconnect`.
    pub(super) fn disconnect(&mut self, host: &mut dyn Host, num: ClientNum) {
        if self.clients[num.index()].connection == Connection::Absent {
            return;
        }
        for other in self.slots() {
            let client = &self.clients[other.index()];
            if client.spectating() && client.session.view == SpectatorView::Follow(num) {
                self.stop_following(host, other);
            }
        }
        if self.clients[num.index()].in_game() && self.clients[num.index()].health() > 0 {
            self.leave_body(host, num);
        }
        host.log_game(
            &Record::new("client_disconnect", format!("ClientDisconnect: {num}"))
                .int("client", num.index() as i32),
        );
        if let Some(bots) = &mut self.bots {
            bots.forget(num);
        }
        self.award_walkover(host, num);

        let entity = num.entity();
        self.unlink(host, entity);
        self.entities.free(entity, self.level.time);
        let client = &mut self.clients[num.index()];
        client.connection = Connection::Absent;
        client.session = Session::default();
        client.ps.persistant[pers::TEAM as usize] = team::FREE;
        set_configstring(host, configstring::PLAYERS + num.index() as u16, "");
        self.rank(host);
    }

    /// In a tournament the last one standing has won.
    fn award_walkover(&mut self, host: &mut dyn Host, num: ClientNum) {
        if host.config().g_gametype != game_type::TOURNAMENT || self.level.stage.is_intermission() {
            return;
        }
        let (Some(&first), Some(&second)) = (self.level.ranking.first(), self.level.ranking.get(1)) else {
            return;
        };
        if second == num && self.clients[first.index()].playing() {
            self.clients[first.index()].session.wins += 1;
            self.read_userinfo(host, first);
        }
    }
}
