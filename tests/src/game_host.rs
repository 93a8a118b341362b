//! The native game over a world, without an engine: what the game says is kept to be looked at.

use fogline_common::collision::ClipMap;
use fogline_common::ids::{ClientNum, ConfigstringNum, EntityNum};
use fogline_common::math::{Bounds, Vec3};
use fogline_common::proto::{EntityState, PlayerState, UserCmd};
use fogline_common::time::{Millis, ServerTime};
use fogline_common::trace::{Trace, TraceRequest};
use fogline_server::config::Config;
use fogline_server::game::native::NativeGame;
use fogline_server::game::{EntityTable, Game, Host, Record, SharedEntity};
use fogline_server::rewind::cover::Explained;
use fogline_server::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The engine's side: a world, settings, and all that the game said.
#[derive(Debug)]
pub struct GameHost {
    /// What is linked where.
    pub world: World,
    /// Settings.
    pub config: Config,
    /// Configstrings that are set.
    pub configstrings: BTreeMap<usize, String>,
    /// Userinfo of each client.
    pub userinfos: BTreeMap<usize, String>,
    /// Latest usercmd of each client.
    pub usercmds: BTreeMap<usize, UserCmd>,
    /// How old the world is that each client draws.
    pub delays: BTreeMap<usize, Millis>,
    /// Reliable commands in order; `None` for to all.
    pub sent: Vec<(Option<ClientNum>, String)>,
    /// Lines for the console.
    pub printed: Vec<String>,
    /// Lines for the games log.
    pub logged: Vec<String>,
    /// The same as fields of JSON.
    pub records: Vec<String>,
    /// Console text that the game queued.
    pub queued: Vec<String>,
    /// Files of the host.
    pub files: BTreeMap<String, String>,
    /// Addresses that the game banned, for how long, and why.
    pub banned: Vec<String>,
    /// Clients that the game dropped, and why.
    pub dropped: Vec<(ClientNum, String)>,
}

impl Host for GameHost {
    fn config(&self) -> &Config {
        &self.config
    }

    fn set_cvar(&mut self, name: &str, value: &str) {
        match name {
            "g_gravity" => self.config.g_gravity = value.parse().unwrap_or(800.0),
            "g_needpass" => self.config.g_needpass = value == "1",
            "voteflags" => self.config.voteflags = value.parse().unwrap_or(0),
            _ => {}
        }
    }

    fn entity_string(&self) -> &str {
        self.world.clip_map().entity_text()
    }

    fn trace(&self, entities: &dyn EntityTable, request: &TraceRequest) -> Trace {
        self.world.trace(entities, request)
    }

    fn trace_as_seen_by(&self, _: ClientNum, entities: &dyn EntityTable, request: &TraceRequest) -> Trace {
        self.world.trace(entities, request)
    }

    fn explain_shot(&self, _: ClientNum, _: &dyn EntityTable, _: ClientNum) -> Option<Explained> {
        None
    }

    fn fired_before(&self, _: ClientNum, _: ServerTime) -> bool {
        false
    }

    fn age_of_command(&self, client: ClientNum) -> Millis {
        self.delays.get(&client.index()).copied().unwrap_or_default()
    }

    fn trace_still(&self, request: &TraceRequest, solid: &[SharedEntity]) -> Trace {
        self.world.trace_still(request, solid)
    }

    fn point_contents(&self, entities: &dyn EntityTable, point: Vec3, pass: Option<EntityNum>) -> i32 {
        self.world.point_contents(entities, point, pass)
    }

    fn link(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.world.link(num, entity);
    }

    fn unlink(&mut self, num: EntityNum, entity: &mut SharedEntity) {
        self.world.unlink(num, entity);
    }

    fn set_brush_model(&self, entity: &mut SharedEntity, model: usize) -> Result<(), String> {
        self.world.set_brush_model(entity, model)
    }

    fn entities_in_box(&self, entities: &dyn EntityTable, bounds: &Bounds, found: &mut Vec<EntityNum>) {
        self.world.entities_in_box(entities, bounds, found);
    }

    fn touches(&self, entity: &SharedEntity, bounds: &Bounds) -> bool {
        self.world.touches(entity, bounds)
    }

    fn in_pvs(&self, a: Vec3, b: Vec3, through_doors: bool) -> bool {
        self.world.in_pvs(a, b, through_doors)
    }

    fn adjust_area_portal(&mut self, num: EntityNum, open: bool) {
        self.world.adjust_area_portal(num, open);
    }

    fn configstring(&self, num: ConfigstringNum) -> &str {
        self.configstrings.get(&num.index()).map_or("", String::as_str)
    }

    fn set_configstring(&mut self, num: ConfigstringNum, text: &str) {
        self.configstrings.insert(num.index(), text.to_owned());
    }

    fn send_server_command(&mut self, to: Option<ClientNum>, text: &str) {
        self.sent.push((to, text.to_owned()));
    }

    fn ban_address(&mut self, address: &str, minutes: i32, reason: &str) {
        self.banned.push(format!("{address} {minutes} {reason}"));
    }

    fn read_text(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn maps(&self) -> Vec<String> {
        ["oa_ctf2", "oa_dm1", "oa_dm5"].map(str::to_owned).to_vec()
    }

    fn add_bot(&mut self, userinfo: &str) -> Result<ClientNum, String> {
        let slots = self.config.sv_maxclients.max(1) as usize;
        let free = (0..slots).find(|slot| !self.userinfos.contains_key(slot));
        let free = free.ok_or_else(|| "Every slot is taken.".to_owned())?;
        self.userinfos.insert(free, userinfo.to_owned());
        Ok(client(free))
    }

    fn drop_client(&mut self, client: ClientNum, reason: &str) {
        self.dropped.push((client, reason.to_owned()));
    }

    fn userinfo(&self, client: ClientNum) -> &str {
        self.userinfos.get(&client.index()).map_or("", String::as_str)
    }

    fn set_userinfo(&mut self, client: ClientNum, info: &str) {
        self.userinfos.insert(client.index(), info.to_owned());
    }

    fn last_usercmd(&self, client: ClientNum) -> UserCmd {
        self.usercmds.get(&client.index()).copied().unwrap_or_default()
    }

    fn ping(&self, _: ClientNum) -> i32 {
        48
    }

    fn queue_console(&mut self, text: &str) {
        self.queued.push(text.to_owned());
    }

    fn print(&mut self, line: &str) {
        self.printed.push(line.to_owned());
    }

    fn log_game(&mut self, record: &Record) {
        self.logged.push(record.line().to_owned());
        self.records.extend(record.fields().map(str::to_owned));
    }
}

/// A match under test: the game, its host and the clock.
#[derive(Debug)]
pub struct Match {
    /// The engine's side.
    pub host: GameHost,
    /// The game.
    pub game: NativeGame,
    /// Time of the world.
    pub now: ServerTime,
}

impl Match {
    /// Length of a frame.
    pub const FRAME: Millis = Millis(50);

    /// A fresh match on a map, after the frames in which a server lets it settle.
    pub fn new(map: Arc<ClipMap>, config: Config) -> Self {
        let host = GameHost {
            world: World::new(map),
            config,
            configstrings: BTreeMap::new(),
            userinfos: BTreeMap::new(),
            usercmds: BTreeMap::new(),
            delays: BTreeMap::new(),
            sent: Vec::new(),
            printed: Vec::new(),
            logged: Vec::new(),
            records: Vec::new(),
            queued: Vec::new(),
            files: BTreeMap::new(),
            banned: Vec::new(),
            dropped: Vec::new(),
        };
        let mut run = Self { host, game: NativeGame::new(), now: ServerTime(1000) };
        run.begin_level(7, false);
        run
    }

    /// Begins the level anew, as `map_restart` does, with the clients that there are.
    pub fn restart(&mut self, seed: u32) {
        self.game.shutdown(&mut self.host, true);
        self.host.world.clear();
        self.begin_level(seed, true);
        let clients: Vec<usize> = self.host.userinfos.keys().copied().collect();
        for slot in clients {
            let num = client(slot);
            self.game
                .client_connect(&mut self.host, num, false, false)
                .expect("a client that stays is welcome");
            self.game.client_begin(&mut self.host, num);
        }
    }

    fn begin_level(&mut self, seed: u32, restart: bool) {
        self.game.init(&mut self.host, self.now, seed, restart);
        for _ in 0..6 {
            self.frame();
        }
    }

    /// A client comes in and enters the world.
    ///
    /// # Panics
    /// If the game refuses it.
    pub fn join(&mut self, slot: usize, userinfo: &str) -> ClientNum {
        let num = client(slot);
        self.host.userinfos.insert(slot, userinfo.to_owned());
        self.game.client_connect(&mut self.host, num, true, false).expect("the client is welcome");
        self.game.client_begin(&mut self.host, num);
        num
    }

    /// One frame of the world.
    pub fn frame(&mut self) {
        self.now += Self::FRAME;
        self.game.run_frame(&mut self.host, self.now);
    }

    /// One usercmd of a client, its time as given.
    pub fn think_at(&mut self, num: ClientNum, time: i32, mut cmd: UserCmd) {
        cmd.server_time = time;
        self.host.usercmds.insert(num.index(), cmd);
        self.game.client_think(&mut self.host, num, &cmd);
    }

    /// Runs for `ms`, the client repeating a usercmd every 10 ms.
    pub fn hold(&mut self, num: ClientNum, ms: i32, cmd: UserCmd) {
        self.hold_all(&[(num, cmd)], ms);
    }

    /// Runs for `ms`, each client repeating its usercmd every 10 ms.
    pub fn hold_all(&mut self, commands: &[(ClientNum, UserCmd)], ms: i32) {
        for _ in 0..ms / Self::FRAME.0 {
            for step in 1..=5 {
                for &(num, cmd) in commands {
                    self.think_at(num, self.now.0 + step * 10, cmd);
                }
            }
            self.frame();
        }
    }

    /// A command of a client.
    pub fn command(&mut self, num: ClientNum, text: &str) {
        let args: Vec<&str> = text.split(' ').collect();
        self.game.client_command(&mut self.host, num, &args);
    }

    /// A console word of the host. Whether the game knew it.
    pub fn host_command(&mut self, text: &str) -> bool {
        let args: Vec<&str> = text.split(' ').collect();
        self.game.console_command(&mut self.host, &args)
    }

    /// What the client is told of its player.
    pub fn player(&self, num: ClientNum) -> PlayerState {
        self.game.player_state(num)
    }

    /// An entity's state.
    pub fn state(&self, num: EntityNum) -> EntityState {
        self.game.entities().get(num).state
    }

    /// Every linked entity that satisfies `wanted`.
    pub fn find(&self, wanted: impl Fn(&SharedEntity) -> bool) -> Vec<EntityNum> {
        let table = self.game.entities();
        let all = (0..table.len()).filter_map(EntityNum::new);
        all.filter(|&num| Some(table.get(num)).is_some_and(|e| e.link.linked && wanted(&e))).collect()
    }

    /// A configstring.
    pub fn configstring(&self, index: u16) -> &str {
        self.host.configstrings.get(&usize::from(index)).map_or("", String::as_str)
    }

    /// Whether anybody was sent a command that contains `text`.
    pub fn was_told(&self, text: &str) -> bool {
        self.host.sent.iter().any(|(_, line)| line.contains(text))
    }
}

/// A slot that exists.
///
/// # Panics
/// If there is no such slot.
pub fn client(slot: usize) -> ClientNum {
    ClientNum::new(slot).unwrap_or_else(|| panic!("there is no slot {slot}"))
}
