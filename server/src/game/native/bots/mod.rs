//! Bots: players of the server's own, for company and for load.
//!
//! A bot has a slot and no connection ([`Host::add_bot`]); it thinks at the beginning of each frame and its usercmd runs in
//! that frame, as those of stock bots do. It finds its way by a walk graph that is made from the map's collision
//! (`graph`), so no map needs an AAS file. `manage` brings bots in and out, `roster` names them; a bot is a `mind` with a
//! `skill`, `sense`s (through no wall), `goals` among the `goods` of the map and the flags, a `route`, `arms` and a `fight`.
//!
//! Lots come from one seed a level and one a bot, and the graph is built in fixed shares a frame: a replay is the same.

mod arms;
mod fight;
mod flag_goals;
mod goals;
mod goods;
mod graph;
mod manage;
mod mind;
mod roster;
mod route;
mod sense;
mod skill;
mod thought;
mod unstick;

use super::NativeGame;
use super::think::settings;
use crate::game::Host;
use crate::telemetry::Phase;
use fogline_common::ids::ClientNum;
use fogline_common::time::Millis;
use goods::Good;
use graph::{Build, Graph, Search};
use manage::Manager;
use mind::{Deed, Mind};
use thought::Scene;

/// Movers and items have come to rest by then, counted from the start of the level.
const MAP_RESTS_AFTER: Millis = Millis(600);
/// Moves that the graph is built by for each ms of a frame, while people play and while nobody does. A move takes some µs.
const SHARE_AMONG_PEOPLE: u64 = 20;
const SHARE_ALONE: u64 = 160;

/// All that the game keeps of its bots.
#[derive(Debug)]
pub(super) struct Bots {
    manager: Manager,
    /// In slot order.
    minds: Vec<Mind>,
    ground: Ground,
    /// Gravity and speed that the graph was made for.
    ground_for: (f32, f32),
    goods: Vec<Good>,
    goods_listed: bool,
    search: Search,
    deeds: Vec<(ClientNum, Deed)>,
    rng: fastrand::Rng,
}

/// How far the ways of the map are known.
#[derive(Debug)]
enum Ground {
    Unknown,
    Surveyed(Box<Build>),
    Known(Box<Graph>),
}

impl Bots {
    /// No bots, no map.
    pub(super) fn new() -> Self {
        Self {
            manager: Manager::default(),
            minds: Vec::new(),
            ground: Ground::Unknown,
            ground_for: (0.0, 0.0),
            goods: Vec::new(),
            goods_listed: false,
            search: Search::default(),
            deeds: Vec::new(),
            rng: fastrand::Rng::with_seed(0),
        }
    }

    /// A level begins. `restart`: on the same map, whose ways are known already.
    fn begin_level(&mut self, seed: u32, restart: bool) {
        self.rng = fastrand::Rng::with_seed(u64::from(seed) ^ 0x626f_7473);
        self.manager.begin_level();
        self.goods.clear();
        self.goods_listed = false;
        if !(restart && matches!(self.ground, Ground::Known(_))) {
            self.ground = Ground::Unknown;
            self.search.forget();
        }
        for mind in &mut self.minds {
            mind.begin_level();
        }
    }

    fn run(&mut self, game: &mut NativeGame, host: &mut dyn Host) {
        self.manage(game, host);
        self.meet(game, host);
        if self.minds.is_empty() {
            return;
        }
        self.survey(game, host);
        let scene = Scene {
            game,
            host,
            graph: match &self.ground {
                Ground::Known(graph) => Some(graph),
                _ => None,
            },
            goods: &self.goods,
        };
        self.deeds.clear();
        for mind in &mut self.minds {
            if scene.game.clients[mind.num.index()].playing() {
                self.deeds.push((mind.num, mind.think(&scene, &mut self.search)));
            }
        }
        for (num, deed) in &self.deeds {
            game.clients[num.index()].cmd = deed.cmd;
        }
        for at in 0..self.deeds.len() {
            let (num, deed) = self.deeds[at];
            if deed.despairs {
                game.kill_oneself(host, num);
            }
        }
    }

    /// A mind for every bot that has none yet.
    fn meet(&mut self, game: &NativeGame, host: &dyn Host) {
        for num in game.slots() {
            let playing = game.clients[num.index()].playing() && game.is_bot(num);
            if playing && !self.minds.iter().any(|mind| mind.num == num) {
                let skill = manage::skill_of(host.userinfo(num));
                let seed = self.rng.u64(..);
                let at = self.minds.partition_point(|mind| mind.num < num);
                self.minds.insert(at, Mind::new(num, skill, seed));
            }
        }
    }

    /// Learns the ways of the map, a share each frame.
    fn survey(&mut self, game: &NativeGame, host: &dyn Host) {
        if game.level.time - game.level.start < MAP_RESTS_AFTER {
            return;
        }
        let config = host.config();
        if let Ground::Unknown = self.ground {
            self.ground_for = (config.g_gravity, config.g_speed);
            let scenery = game.scenery(host);
            let build = Build::new(scenery, settings(host), config.g_gravity as i32, config.g_speed as i32);
            self.ground = Ground::Surveyed(Box::new(build));
        }
        if let Ground::Surveyed(build) = &mut self.ground {
            let alone = game.playing().all(|num| game.is_bot(num));
            let share = if alone { SHARE_ALONE } else { SHARE_AMONG_PEOPLE };
            let frame_ms = (game.level.time - game.level.previous_time).0.clamp(1, 100) as u64;
            if let Some(graph) = build.advance(host, share * frame_ms) {
                self.ground = Ground::Known(Box::new(graph));
            }
        }
        if let (Ground::Known(graph), false) = (&self.ground, self.goods_listed) {
            self.goods = goods::list(game, graph);
            self.goods_listed = true;
        }
    }

    /// The client is gone.
    pub(super) fn forget(&mut self, num: ClientNum) {
        self.minds.retain(|mind| mind.num != num);
    }
}

impl NativeGame {
    /// The bots' part of a frame: some come, some go, and all think.
    pub(super) fn run_bots(&mut self, host: &mut dyn Host) {
        if let Some(mut bots) = self.bots.take() {
            host.enter(Phase::Bots);
            bots.run(self, host);
            host.enter(Phase::Game);
            self.bots = Some(bots);
        }
    }

    /// A level begins.
    pub(super) fn begin_bots(&mut self, seed: u32, restart: bool) {
        if let Some(bots) = &mut self.bots {
            bots.begin_level(seed, restart);
        }
    }

    /// A console word of the host about bots. Whether it was one.
    pub(super) fn bot_command(&mut self, host: &mut dyn Host, args: &[&str]) -> bool {
        let Some(mut bots) = self.bots.take() else { return false };
        let known = bots.command(self, host, args);
        self.bots = Some(bots);
        known
    }
}
