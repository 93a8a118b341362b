//! A level begins: configstrings are set, and everything that the map's entity text asks for comes into being.

use super::NativeGame;
use super::classes::{ClassState, class_state, own_name};
use super::client::Connection;
use super::entity::{Deed, Hurt, Kind, Multiple, Relay, Think, Ties};
use super::entity_string::{Fields, parse};
use super::flags;
use super::items::{POWERUP_RESPAWN, item_of_class};
use super::level::{Assets, Level, set_configstring};
use super::mines::MINE_TICKING;
use super::pool::BODY_COUNT;
use super::portals::{PORTAL_ENTRY, PORTAL_EXIT};
use super::spots::{Role, Spot};
use super::triggers::{HURT_SOUND, TELEPORT_SPECTATORS, push_velocity};
use crate::game::{Host, Record, VOICES};
use fogline_common::ids::{ConfigstringNum, EntityNum};
use fogline_common::math::{Bounds, Vec3, angle_vectors, vec3};
use fogline_common::openarena::{ITEMS, configstring, entity_type, game_type, item_type, weapon};
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{contents, sv_flag};
use fogline_common::time::{Millis, ServerTime};

/// What every client of OpenArena 0.8.8 insists on. Source: `GAME_VERSION`.
const GAME_VERSION: &str = "baseoa-1";
/// Between levels in the games log.
pub(super) const LOG_RULE: &str = "------------------------------------------------------------";
/// Entries of the location table; the first is the unknown place.
const MAX_LOCATIONS: usize = 64;
/// `trigger_hurt`: off until fired.
const HURT_START_OFF: i32 = 1;
/// `target_speaker`: sounds from the start.
const SPEAKER_LOOPED_ON: i32 = 1;
/// `target_speaker`: once started, sounds until stopped.
pub(super) const SPEAKER_LOOPED: i32 = 3;
/// `target_speaker`: heard everywhere.
pub(super) const SPEAKER_GLOBAL: i32 = 4;
/// `target_speaker`: sounds from who fired it.
pub(super) const SPEAKER_ACTIVATOR: i32 = 8;

/// Words of the key `gametype`. Shape: by game type. Source: `gametypeNames`.
const GAME_TYPE_WORDS: [&str; 13] = [
    "ffa",
    "tournament",
    "single",
    "team",
    "ctf",
    "oneflag",
    "obelisk",
    "harvester",
    "elimination",
    "ctf",
    "lms",
    "dd",
    "dom",
];

impl NativeGame {
    /// Everything anew for a map, or for the same one again. Sessions stay. Source: `G_InitGame`.
    pub(super) fn begin_level(&mut self, host: &mut dyn Host, time: ServerTime, seed: u32) {
        self.rng = fastrand::Rng::with_seed(u64::from(seed));
        self.entities.reset(time);
        self.names.clear();
        self.spots.clear();
        self.level = Level {
            time,
            previous_time: time,
            start: time,
            items_used: vec![false; ITEMS.len()],
            ranking: Vec::with_capacity(MAX_CLIENTS),
            ..Level::default()
        };
        self.client_count = (host.config().sv_maxclients.max(1) as usize).min(MAX_CLIENTS);
        let game = host.config().g_gametype;
        let other_game = self.session_game_type.replace(game) != Some(game);
        for client in &mut self.clients {
            client.connection = Connection::Absent;
            client.session.void |= other_game;
        }
        host.log_game(&Record::rule(LOG_RULE));
        let serverinfo = host.configstring(ConfigstringNum::SERVERINFO).to_owned();
        host.log_game(
            &Record::new("init_game", format!("InitGame: {serverinfo}")).text("serverinfo", &serverinfo),
        );
        self.set_level_strings(host, game);
        self.begin_warmup(host);
        self.forget_votes();
        self.read_vote_files(host);
        for number in MAX_CLIENTS..MAX_CLIENTS + BODY_COUNT {
            if let Some(num) = EntityNum::new(number) {
                self.entities[num].kind = Kind::Body;
            }
        }
        for tag in [weapon::GAUNTLET, weapon::MACHINEGUN] {
            let basic = ITEMS.iter().position(|i| i.kind == item_type::WEAPON && i.tag == tag);
            self.level.items_used[basic.unwrap_or(0)] = true;
        }
        self.level.sizzle_sound = Assets::Sounds.index(host, "sound/player/fry.wav");
        // By these the engine lets players be heard who are not seen.
        for voice in VOICES {
            Assets::Sounds.index(host, voice);
        }
        self.spawn_map(host, game);
        self.enter_what_players_bring_about(host);
        self.join_teams();
        let items: String = self.level.items_used.iter().map(|&used| if used { '1' } else { '0' }).collect();
        set_configstring(host, configstring::ITEMS, &items);
        self.rank(host);
    }

    /// Sounds and models that are first needed when somebody does something. A new name is told to all clients at once, wherever
    /// they are, so none may come later: see `docs/leaks.md`.
    fn enter_what_players_bring_about(&self, host: &mut dyn Host) {
        for name in [MINE_TICKING, POWERUP_RESPAWN] {
            Assets::Sounds.index(host, name);
        }
        if item_of_class("holdable_portal").is_some_and(|index| self.level.items_used[index]) {
            for model in [PORTAL_EXIT, PORTAL_ENTRY] {
                Assets::Models.index(host, model);
            }
        }
    }

    fn set_level_strings(&self, host: &mut dyn Host, game: i32) {
        let motd = host.config().g_motd.clone();
        let start = self.level.start.0.to_string();
        let flags = match game {
            game_type::CTF => "00",
            game_type::N1FCTF => "0",
            _ => "",
        };
        for (index, text) in [
            (configstring::GAME_VERSION, GAME_VERSION),
            (configstring::LEVEL_START_TIME, &start),
            (configstring::MOTD, &motd),
            (configstring::MUSIC, ""),
            (configstring::MESSAGE, ""),
            (configstring::WARMUP, ""),
            (configstring::INTERMISSION, ""),
            (configstring::VOTE_TIME, ""),
            (configstring::TEAMVOTE_TIME, ""),
            (configstring::TEAMVOTE_TIME + 1, ""),
            (configstring::FLAGSTATUS, flags),
        ] {
            set_configstring(host, index, text);
        }
    }

    /// Reads the entity text and makes everything in it.
    fn spawn_map(&mut self, host: &mut dyn Host, game: i32) {
        let text = host.entity_string().to_owned();
        let mut oddities = Vec::new();
        let entities = parse(&text, &mut |oddity| oddities.push(oddity.to_string()));
        for line in oddities {
            host.print(&line);
        }
        self.restore_gravity(host);
        let mut unknown: Vec<&str> = Vec::new();
        for (at, fields) in entities.iter().enumerate() {
            match fields.class() {
                "worldspawn" if at == 0 => self.spawn_world(host, fields),
                _ if !fits_game_type(fields, game) => {}
                class => {
                    if !self.spawn_entity(host, fields) && !unknown.contains(&class) {
                        unknown.push(class);
                    }
                }
            }
        }
        if !unknown.is_empty() {
            host.print(&format!(
                "The map asks for things that this game does not have: {}",
                unknown.join(", ")
            ));
        }
        if !self.spots.iter().any(|spot| spot.role == Role::Spawn) {
            host.print(
                "The map has no info_player_deathmatch; players appear where intermissions look from.",
            );
        }
    }

    /// A map's own gravity ends with the map.
    fn restore_gravity(&mut self, host: &mut dyn Host) {
        if let Some(own) = self.gravity_of_host.take() {
            host.set_cvar("g_gravity", &own);
        }
    }

    fn spawn_world(&mut self, host: &mut dyn Host, fields: &Fields<'_>) {
        set_configstring(host, configstring::MUSIC, fields.text("music"));
        set_configstring(host, configstring::MESSAGE, fields.text("message"));
        if let Some(gravity) = fields.get("gravity") {
            self.gravity_of_host = Some(host.config().g_gravity.to_string());
            host.set_cvar("g_gravity", gravity);
        }
    }

    /// One entity of the map. Whether its class is known.
    fn spawn_entity(&mut self, host: &mut dyn Host, fields: &Fields<'_>) -> bool {
        let class = own_name(fields.class());
        match class_state(class) {
            None => return false,
            Some(ClassState::NotForRules | ClassState::OtherGame) => return true,
            Some(_) => {}
        }
        if let Some(role) = Role::of_class(class).or((class == "misc_portal_camera").then_some(Role::Aim)) {
            self.spawn_spot(fields, role);
            if class == "path_corner" {
                self.spawn_corner(fields);
            }
            return true;
        }
        if class == "target_location" {
            self.spawn_location(host, fields);
            return true;
        }
        let item = item_of_class(class);
        let game = host.config().g_gametype;
        let is_team_thing = |index: usize| ITEMS[index].kind == item_type::TEAM;
        if item.is_some_and(|index| is_team_thing(index) && !flags::is_played(game, index)) {
            // It belongs to another game type.
            return true;
        }
        let is_rune = |index: usize| ITEMS[index].kind == item_type::PERSISTANT_POWERUP;
        if item.is_some_and(is_rune) && !host.config().g_runes {
            return true;
        }
        if item.is_none() && class_state(class) == Some(ClassState::OtherGameType) {
            return true;
        }
        let Some(num) = self.entities.spawn(self.level.time) else { return true };
        self.read_common(num, fields);
        match item {
            Some(index) => self.spawn_item(num, index, fields),
            None => self.spawn_class(host, num, class, fields),
        }
        true
    }

    /// Keys that every entity may have.
    fn read_common(&mut self, num: EntityNum, fields: &Fields<'_>) {
        let origin = fields.vector("origin");
        let ties = Ties {
            name: self.names.intern(fields.text("targetname")),
            target: self.names.intern(fields.text("target")),
            team: self.names.intern(fields.text("team")),
            ..Ties::default()
        };
        let entity = &mut self.entities[num];
        entity.ties = ties;
        entity.spawn_flags = fields.int("spawnflags", 0);
        let shared = &mut entity.shared;
        shared.state.origin = origin;
        shared.state.angles = fields.angles();
        shared.state.pos.base = origin;
        shared.link.origin = origin;
    }

    fn spawn_class(&mut self, host: &mut dyn Host, num: EntityNum, class: &str, fields: &Fields<'_>) {
        match class {
            "func_door" | "func_button" | "func_plat" | "func_static" | "func_rotating" | "func_bobbing"
            | "func_pendulum" | "func_train" => {
                if self.take_brushes(host, num, fields, class) {
                    self.spawn_mover(host, num, class, fields);
                }
            }
            "trigger_push" | "trigger_teleport" | "trigger_hurt" | "trigger_multiple" => {
                if self.take_brushes(host, num, fields, class) {
                    self.spawn_trigger(host, num, class, fields);
                }
            }
            "trigger_always" => {
                self.entities[num].kind = Kind::Relay(Relay { wait_s: 0.0, random_s: 0.0, activator: None });
                self.think_after(num, Millis(300), Think::FireRelay);
            }
            "target_relay" | "trigger_relay" | "target_delay" => {
                let delay = class == "target_delay";
                self.entities[num].for_sides = !delay;
                let wait_s =
                    fields.get("delay").map_or(fields.float("wait", 1.0), |_| fields.float("delay", 1.0));
                self.entities[num].kind = Kind::Relay(Relay {
                    wait_s: if delay { wait_s } else { 0.0 },
                    random_s: if delay { fields.float("random", 0.0) } else { 0.0 },
                    activator: None,
                });
            }
            "target_teleporter" => self.entities[num].kind = Kind::Deed(Deed::Teleport),
            "target_remove_powerups" => self.entities[num].kind = Kind::Deed(Deed::RemovePowerups),
            "target_kill" => self.entities[num].kind = Kind::Deed(Deed::Kill),
            "target_give" => self.entities[num].kind = Kind::Deed(Deed::Give),
            "shooter_rocket" | "shooter_plasma" | "shooter_grenade" => {
                self.spawn_shooter(host, num, class, fields);
            }
            "func_timer" => self.spawn_timer(host, num, fields),
            "target_laser" => self.spawn_laser(num, fields),
            "target_print" => self.spawn_print(num, fields),
            "target_score" => {
                let points = fields.int("count", 1);
                self.entities[num].kind = Kind::Deed(Deed::Score(if points == 0 { 1 } else { points }));
            }
            "target_push" => self.spawn_target_push(host, num, fields),
            "target_speaker" => self.spawn_speaker(host, num, fields),
            _ => self.spawn_portal(host, num),
        }
    }

    /// Makes the entity the brush model that its fields name; without one it is left out. Whether it has one.
    fn take_brushes(
        &mut self,
        host: &mut dyn Host,
        num: EntityNum,
        fields: &Fields<'_>,
        class: &str,
    ) -> bool {
        let shared = &mut self.entities[num].shared;
        let result = match fields.brush_model() {
            Some(model) => host.set_brush_model(shared, model),
            None => Err(format!("its model is {:?} and not one of the map's own", fields.text("model"))),
        };
        if let Err(reason) = &result {
            let at = fields.vector("origin");
            host.print(&format!("{class} at {:.0} {:.0} {:.0} is left out: {reason}", at.x, at.y, at.z));
            self.free(host, num);
        }
        result.is_ok()
    }

    fn spawn_trigger(&mut self, host: &mut dyn Host, num: EntityNum, class: &str, fields: &Fields<'_>) {
        let shared = &mut self.entities[num].shared;
        shared.state.angles = Vec3::ZERO;
        shared.link.contents = contents::TRIGGER;
        shared.link.sv_flags = sv_flag::NOCLIENT;
        let flags = self.entities[num].spawn_flags;
        match class {
            "trigger_push" => {
                // Clients predict it.
                let shared = &mut self.entities[num].shared;
                shared.link.sv_flags = 0;
                shared.state.entity_type = entity_type::PUSH_TRIGGER;
                self.spawn_jump_pad(host, num);
            }
            "trigger_teleport" => {
                let shared = &mut self.entities[num].shared;
                shared.link.sv_flags = if flags & TELEPORT_SPECTATORS != 0 { sv_flag::NOCLIENT } else { 0 };
                shared.state.entity_type = entity_type::TELEPORT_TRIGGER;
                self.entities[num].kind = Kind::Teleporter;
            }
            "trigger_hurt" => {
                Assets::Sounds.index(host, HURT_SOUND);
                self.entities[num].kind = Kind::Hurt(Hurt {
                    damage: fields.int("dmg", 5),
                    ready_at: self.level.time,
                    off: flags & HURT_START_OFF != 0,
                });
            }
            _ => {
                self.entities[num].kind = Kind::Multiple(Multiple {
                    wait_s: fields.float("wait", 0.5),
                    random_s: fields.float("random", 0.0),
                    ready_at: self.level.time,
                });
            }
        }
        self.link(host, num);
    }

    /// `target_push`: with a target, to it; else along its angles.
    fn spawn_target_push(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let speed = fields.float("speed", 1000.0);
        let along = move_direction(fields.angles()) * speed;
        self.entities[num].kind = Kind::Deed(Deed::Push(along));
        if self.entities[num].ties.target.is_some() {
            self.think_after(num, Millis(100), Think::AimPush);
        }
        Assets::Sounds.index(host, "sound/misc/windfly.wav");
    }

    fn spawn_speaker(&mut self, host: &mut dyn Host, num: EntityNum, fields: &Fields<'_>) {
        let noise = fields.text("noise");
        if noise.is_empty() {
            self.free(host, num);
            return;
        }
        let entity = &mut self.entities[num];
        if noise.starts_with('*') {
            entity.spawn_flags |= SPEAKER_ACTIVATOR;
        }
        let name = if noise.contains(".wav") || noise.contains(".ogg") {
            noise.to_owned()
        } else {
            format!("{noise}.wav")
        };
        let name: String = name.chars().take(63).collect();
        let index = Assets::Sounds.index(host, &name);
        let entity = &mut self.entities[num];
        let state = &mut entity.shared.state;
        state.entity_type = entity_type::SPEAKER;
        state.event_parm = index;
        state.frame = (fields.float("wait", 0.0) * 10.0) as i32;
        state.client_num = (fields.float("random", 0.0) * 10.0) as i32;
        if entity.spawn_flags & SPEAKER_LOOPED_ON != 0 {
            state.loop_sound = index;
        }
        if entity.spawn_flags & SPEAKER_GLOBAL != 0 {
            entity.shared.link.sv_flags |= sv_flag::BROADCAST;
        }
        entity.kind = Kind::Speaker { noise: index };
        self.link(host, num);
    }

    /// A mirror, or a view from elsewhere.
    fn spawn_portal(&mut self, host: &mut dyn Host, num: EntityNum) {
        let shared = &mut self.entities[num].shared;
        shared.link.sv_flags = sv_flag::PORTAL;
        shared.link.bounds = Bounds::POINT;
        shared.state.entity_type = entity_type::PORTAL;
        shared.state.origin2 = shared.state.origin;
        if self.entities[num].ties.target.is_some() {
            self.think_after(num, Millis(100), Think::LocateCamera);
        }
        self.link(host, num);
    }

    fn spawn_spot(&mut self, fields: &Fields<'_>, role: Role) {
        let spot = Spot {
            role,
            origin: fields.vector("origin"),
            angles: match fields.get("roll") {
                Some(_) => fields.angles() + vec3(0.0, 0.0, fields.float("roll", 0.0)),
                None => fields.angles(),
            },
            name: self.names.intern(fields.text("targetname")),
            target: self.names.intern(fields.text("target")),
            spawn_flags: fields.int("spawnflags", 0),
            no_humans: fields.int("nohumans", 0) != 0,
        };
        self.spots.push(spot);
    }

    /// A place that team talk names. Source: `SP_target_location`.
    fn spawn_location(&mut self, host: &mut dyn Host, fields: &Fields<'_>) {
        let at = self.level.locations.len() + 1;
        if at >= MAX_LOCATIONS {
            return;
        }
        let message: String =
            fields.text("message").chars().filter(|&c| c != '"' && !c.is_control()).take(60).collect();
        let text = match fields.int("count", 0) {
            colour @ 1..=7 => format!("^{colour}{message}^7"),
            _ => message,
        };
        set_configstring(host, configstring::LOCATIONS + at as u16, &text);
        self.level.locations.push((fields.vector("origin"), text));
    }

    /// Entities of one `team` become a chain; a master keeps the name by which all are fired. Source: `G_FindTeams`.
    fn join_teams(&mut self) {
        let numbers: Vec<EntityNum> = self.entities.numbers().collect();
        for (at, &master) in numbers.iter().enumerate() {
            let ties = self.entities[master].ties;
            if ties.team.is_none() || ties.team_master.is_some() {
                continue;
            }
            self.entities[master].ties.team_master = Some(master);
            for &other in &numbers[at + 1..] {
                if self.entities[other].ties.team != ties.team {
                    continue;
                }
                let next = self.entities[master].ties.team_next.replace(other);
                let name = self.entities[other].ties.name.take();
                let slave = &mut self.entities[other].ties;
                slave.team_master = Some(master);
                slave.team_next = next;
                if name.is_some() {
                    self.entities[master].ties.name = name;
                }
            }
        }
    }

    /// A push that aims at its target; called once all places are known.
    pub(super) fn aim_target_push(&mut self, host: &dyn Host, num: EntityNum) {
        let origin = Bounds::POINT.translated(self.entities[num].shared.state.origin);
        let target = self.entities[num].ties.target.and_then(|name| self.aim(name));
        let velocity = target.and_then(|to| push_velocity(&origin, to, host.config().g_gravity));
        if let Some(velocity) = velocity {
            self.entities[num].kind = Kind::Deed(Deed::Push(velocity));
        }
    }
}

/// Whether the map wants the entity in this game type. Source: `G_SpawnGEntityFromSpawnVars`.
fn fits_game_type(fields: &Fields<'_>, game: i32) -> bool {
    let set = |key| fields.int(key, 0) != 0;
    let unwanted = if game == game_type::SINGLE_PLAYER {
        set("notsingle")
    } else if game >= game_type::TEAM {
        set("notteam")
    } else {
        set("notfree")
    };
    let word = usize::try_from(game).ok().and_then(|at| GAME_TYPE_WORDS.get(at)).copied().unwrap_or("ffa");
    let named = fields.get("gametype").is_none_or(|list| list.contains(word));
    !unwanted && !set("notq3a") && named
}

/// The way that a mover or a push goes: `-1` is up, `-2` is down. Source: `G_SetMovedir`.
pub(super) fn move_direction(angles: Vec3) -> Vec3 {
    match (angles.x, angles.y, angles.z) {
        (0.0, -1.0, 0.0) => vec3(0.0, 0.0, 1.0),
        (0.0, -2.0, 0.0) => vec3(0.0, 0.0, -1.0),
        _ => angle_vectors(angles).forward,
    }
}
