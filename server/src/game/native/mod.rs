//! The rules of OpenArena 0.8.8 in Rust: one value that plays a match behind the [`Game`] trait.
//!
//! In: usercmds and console words. Out: entity and player states, configstrings, reliable commands. It never reads a clock, a
//! file or a socket; the same inputs and the same seed give the same states. The value is meant to live on over map changes
//! and restarts: sessions (teams, wins, who spectates) are kept in it.
//!
//! Where things are: `pool` and `entity` hold entities, `client` holds players; `spawn` reads the map, of which `classes` knows
//! every class; `think` runs usercmds, `frame` runs the world; `combat`, `death`, `blast`, `weapons`, `missile`, `mines` and
//! `grapple` hurt; `items`, `triggers`, `movers`, `doors`, `trains`, `shooters` and `machines` are the map's own parts;
//! `holdables`, `kamikaze`, `portals` and `invulnerability` are what players use, `runes` what they bear, `denied` what they
//! miss. `commands`, `chat`, `follow`, `teams`, `cheats`, `votes` and `team_votes` answer players, `moderation` the host. `warmup`
//! comes before the match; `rules`, `intermission`, `scores` and `statistics` end it; `flags` and `ctf_bonuses` are what it is about
//! in capture the flag, `team_overlay` what team mates are told of each other; `bots` are players of the server's own.
//!
//! Source: facts page "q3-protocol-facts", sections 9 to 12, and the behaviour of OpenArena 0.8.8's own game.

mod afterlife;
mod blast;
mod bots;
mod chat;
mod cheats;
mod classes;
mod client;
mod combat;
mod commands;
mod connect;
mod ctf_bonuses;
mod death;
mod denied;
mod doors;
mod end_frame;
mod entity;
mod entity_string;
mod events;
mod flags;
mod follow;
mod frame;
mod grapple;
mod holdables;
mod intermission;
mod invulnerability;
mod items;
mod kamikaze;
mod level;
mod machines;
mod mines;
mod missile;
mod moderation;
mod motions;
mod movers;
mod names;
mod number;
mod player;
mod pool;
mod portals;
mod rules;
mod runes;
mod scores;
mod shooters;
mod spawn;
mod spawn_movers;
mod spots;
mod statistics;
mod targets;
mod team_overlay;
mod team_votes;
mod teams;
mod think;
mod trains;
mod triggers;
mod userinfo;
mod vote_files;
mod votes;
mod warmup;
mod weapons;

pub use classes::{ClassState, class_state};

use crate::game::{EntityTable, Game, Host, Record};
use client::{Client, Connection};
use fogline_common::ids::{ClientNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::openarena::trajectory;
use fogline_common::proto::limits::MAX_CLIENTS;
use fogline_common::proto::{PlayerState, Trajectory, UserCmd};
use fogline_common::time::ServerTime;
use level::Level;
use names::Names;
use pool::Pool;
use spots::Spot;

/// The native game.
#[derive(Debug)]
pub struct NativeGame {
    entities: Pool,
    /// Shape: one a slot, indexed by client number; only the first `client_count` may connect.
    clients: Vec<Client>,
    client_count: usize,
    level: Level,
    names: Names,
    spots: Vec<Spot>,
    rng: fastrand::Rng,
    /// Work space of box queries: lists to borrow, since a touch may ask again.
    lists: Vec<Vec<EntityNum>>,
    /// Work space of the spawn lottery.
    free_spots: Vec<usize>,
    /// Work space of pushes.
    pushed: Vec<movers::Pushed>,
    /// Work space of what team mates are told of each other.
    overlay_text: String,
    /// Maps that may be voted for; `None` for all.
    vote_maps: Option<Vec<String>>,
    /// Votes of the host's own.
    custom_votes: Vec<vote_files::CustomVote>,
    /// The vote that is open.
    vote: Option<votes::Vote>,
    /// What has been voted, and when it is done.
    passed_vote: Option<(ServerTime, motions::Motion)>,
    /// The votes that teams have open, red first.
    team_votes: [Option<team_votes::TeamVote>; 2],
    /// Sides that the host has closed to who is not in them. Shape: by team.
    locked_teams: [bool; 4],
    /// The warm-up is over: the next restart begins the match.
    warmed_up: bool,
    /// The host's own `g_gravity`, while a map has another.
    gravity_of_host: Option<String>,
    /// Game type that sessions were made for; another one makes them void.
    session_game_type: Option<i32>,
    /// The bots; elsewhere while they act.
    bots: Option<Box<bots::Bots>>,
}

impl Default for NativeGame {
    fn default() -> Self {
        Self::new()
    }
}

impl NativeGame {
    /// A game without a map: [`Game::init`] begins one.
    pub fn new() -> Self {
        Self {
            entities: Pool::new(),
            clients: vec![Client::default(); MAX_CLIENTS],
            client_count: 0,
            level: Level::default(),
            names: Names::default(),
            spots: Vec::new(),
            rng: fastrand::Rng::with_seed(0),
            lists: (0..4).map(|_| Vec::with_capacity(256)).collect(),
            free_spots: Vec::with_capacity(128),
            pushed: Vec::with_capacity(64),
            overlay_text: String::with_capacity(1024),
            vote_maps: None,
            custom_votes: Vec::new(),
            vote: None,
            passed_vote: None,
            team_votes: [None; 2],
            locked_teams: [false; 4],
            warmed_up: false,
            gravity_of_host: None,
            session_game_type: None,
            bots: Some(Box::new(bots::Bots::new())),
        }
    }

    /// Every slot that may be used, ascending.
    fn slots(&self) -> impl DoubleEndedIterator<Item = ClientNum> + use<> {
        ClientNum::all(self.client_count)
    }

    /// Every player and onlooker in the world, ascending.
    fn playing(&self) -> impl Iterator<Item = ClientNum> + '_ {
        self.slots().filter(|num| self.clients[num.index()].playing())
    }

    /// Puts an entity into the world, or moves it there.
    fn link(&mut self, host: &mut dyn Host, num: EntityNum) {
        host.link(num, &mut self.entities[num].shared);
    }

    /// Takes an entity out of the world.
    fn unlink(&mut self, host: &mut dyn Host, num: EntityNum) {
        host.unlink(num, &mut self.entities[num].shared);
    }

    /// Takes an entity out of the world and gives its number back.
    fn free(&mut self, host: &mut dyn Host, num: EntityNum) {
        self.unlink(host, num);
        self.entities.free(num, self.level.time);
    }

    /// Where an entity stands, for clients and for traces. Source: `G_SetOrigin`.
    fn set_origin(&mut self, num: EntityNum, origin: Vec3) {
        let shared = &mut self.entities[num].shared;
        shared.state.pos = Trajectory { kind: trajectory::STATIONARY, base: origin, ..Trajectory::default() };
        shared.link.origin = origin;
    }

    /// Linked entities whose box touches `bounds`, ascending, in a list that goes back through [`put_back`](Self::put_back).
    fn in_box(&mut self, host: &dyn Host, bounds: &Bounds) -> Vec<EntityNum> {
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        host.entities_in_box(&self.entities, bounds, &mut list);
        list
    }

    /// Returns a list of [`in_box`](Self::in_box) for the next question.
    fn put_back(&mut self, list: Vec<EntityNum>) {
        self.lists.push(list);
    }

    /// A number of `-1.0..1.0`. Source: `crandom`.
    fn crandom(&mut self) -> f32 {
        2.0 * (self.rng.f32() - 0.5)
    }

    /// The player that `text` means: a slot number, or a name compared without colours and case; else why not.
    fn find_client(&self, text: &str) -> Result<ClientNum, String> {
        if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) {
            let slot = text.parse().ok().and_then(ClientNum::new);
            let slot = slot.filter(|num| num.index() < self.client_count);
            return match slot {
                Some(num) if self.clients[num.index()].playing() => Ok(num),
                Some(num) => Err(format!("Client {num} is not active")),
                None => Err(format!("Bad client slot: {text}")),
            };
        }
        let wanted = userinfo::without_colours(text);
        let same = |num: &ClientNum| {
            userinfo::without_colours(&self.clients[num.index()].player.name).eq_ignore_ascii_case(&wanted)
        };
        self.playing().find(same).ok_or_else(|| format!("User {text} is not on the server"))
    }
}

impl Game for NativeGame {
    fn init(&mut self, host: &mut dyn Host, level_time: ServerTime, seed: u32, restart: bool) {
        self.begin_level(host, level_time, seed);
        self.begin_bots(seed, restart);
    }

    fn shutdown(&mut self, host: &mut dyn Host, _restart: bool) {
        host.log_game(&Record::new("shutdown_game", "ShutdownGame:"));
        host.log_game(&Record::rule(spawn::LOG_RULE));
        for client in &mut self.clients {
            if client.connection == Connection::Playing {
                client.connection = Connection::Connecting;
            }
        }
    }

    fn client_connect(
        &mut self,
        host: &mut dyn Host,
        client: ClientNum,
        first_time: bool,
        is_bot: bool,
    ) -> Result<(), String> {
        self.connect(host, client, first_time, is_bot)
    }

    fn client_begin(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.begin(host, client);
    }

    fn client_userinfo_changed(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.read_userinfo(host, client);
    }

    fn client_disconnect(&mut self, host: &mut dyn Host, client: ClientNum) {
        self.disconnect(host, client);
    }

    fn client_command(&mut self, host: &mut dyn Host, client: ClientNum, args: &[&str]) {
        self.command(host, client, args);
    }

    fn console_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool {
        self.host_command(host, args) || self.bot_command(host, args)
    }

    fn client_think(&mut self, host: &mut dyn Host, client: ClientNum, cmd: &UserCmd) {
        self.take_usercmd(host, client, cmd);
    }

    fn run_frame(&mut self, host: &mut dyn Host, level_time: ServerTime) {
        self.frame(host, level_time);
    }

    fn entities(&self) -> &dyn EntityTable {
        &self.entities
    }

    fn player_state(&self, client: ClientNum) -> PlayerState {
        self.shown_state(client)
    }

    fn score(&self, client: ClientNum) -> i32 {
        self.clients[client.index()].score()
    }
}
